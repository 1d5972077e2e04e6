// Any text is either a sound trace, however it is cut into chunks, or an InputError.
//
// Input: byte 0 chooses the MPI and whether what the text does not say is left to a simulation,
// byte 1 the chunks; the rest is up to 3 files, separated by `|`.
#include "core/trace/liballprof/liballprof.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/graph_of_trace_check.hpp"
#include "fuzz/trace_check.hpp"

namespace {

using namespace latitude;
using namespace latitude::trace;

struct Outcome {
  std::optional<Trace> trace;
  std::string error;
};

/// `seed` 0: each file in one piece.
Outcome load(const std::vector<std::string_view>& files, Mpi mpi, bool leave_open,
             std::uint32_t seed) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < files.size(); ++r) names.push_back(std::to_string(r));
  try {
    LiballprofLoader loader(std::move(names), mpi, leave_open);
    for (std::size_t r = 0; r < files.size(); ++r) {
      for (std::string_view left = files[r]; !left.empty();) {
        seed = seed * 1664525 + 1013904223 * (seed != 0);
        const std::size_t n =
            seed == 0 ? left.size() : std::min<std::size_t>(1 + (seed >> 26), left.size());
        // A copy, so that a sanitizer sees reading past the end of a chunk.
        const std::vector<char> chunk(left.begin(), left.begin() + static_cast<long>(n));
        loader.feed(r, {chunk.data(), chunk.size()});
        left.remove_prefix(n);
      }
    }
    return {loader.finish(), {}};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::vector<std::string_view> files;
  while (files.size() < 2 && rest.find('|') != std::string_view::npos) {
    files.push_back(rest.substr(0, rest.find('|')));
    rest.remove_prefix(files.back().size() + 1);
  }
  files.push_back(rest);
  const auto mpi = static_cast<Mpi>(data[0] % 3);
  const bool leave_open = data[0] / 3 % 2 == 1;
  Outcome whole = load(files, mpi, leave_open, 0);
  const Outcome cut = load(files, mpi, leave_open, data[1] + 1u);
  require(whole.error == cut.error);
  if (!whole.trace) {
    check_message(whole.error);
    return 0;
  }
  check_trace(*whole.trace);
  for (std::size_t r = 0; r < files.size(); ++r) {
    require(std::ranges::equal(whole.trace->ranks[r].events, cut.trace->ranks[r].events, same));
    require(whole.trace->ranks[r].args == cut.trace->ranks[r].args);
  }
  check_graph_of(*whole.trace, leave_open);
  return 0;
}
