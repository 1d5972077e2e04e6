// Any text is either a sound trace, however it is cut into pieces, and that a sound graph, or an
// InputError.
//
// Input: byte 0 chooses what computation is, byte 1 the pieces; the rest is the .prv file and,
// after a `|`, the .pcf file.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/trace/paraver/format.hpp"
#include "fuzz/graph_of_trace_check.hpp"
#include "fuzz/trace_check.hpp"

namespace {

using namespace latitude;
using namespace latitude::trace;

struct Outcome {
  std::optional<Trace> trace;
  std::string error;
};

Outcome load(const std::vector<std::string_view>& files, const Chosen& chosen, std::size_t piece) {
  try {
    const std::vector<std::string> names = {"a.prv", "a.pcf"};
    const auto loader = paraver::kFormat.loader(
        {names.begin(), names.begin() + static_cast<long>(files.size())}, chosen);
    for (std::size_t part = 0; part < files.size(); ++part) {
      for (std::string_view left = files[part]; !left.empty();) {
        const std::size_t n = std::min(piece, left.size());
        // A copy, so that a sanitizer sees reading past the end of a piece.
        const std::vector<std::uint8_t> copy(left.begin(), left.begin() + static_cast<long>(n));
        loader->feed(part, copy);
        left.remove_prefix(n);
      }
    }
    return {loader->finish(1), {}};
  } catch (const InputError& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t bar = rest.find('|');
  std::vector<std::string_view> files = {rest.substr(0, bar)};
  if (bar != std::string_view::npos) files.push_back(rest.substr(bar + 1));
  const Chosen chosen = {{"computation", (data[0] & 1) != 0 ? "outside-mpi" : "between-calls"}};
  Outcome whole = load(files, chosen, std::string_view::npos);
  const Outcome cut = load(files, chosen, data[1] + std::size_t{1});
  require(whole.error == cut.error);
  if (!whole.trace) {
    check_message(whole.error);
    return 0;
  }
  check_trace(*whole.trace);
  for (std::size_t r = 0; r < whole.trace->ranks.size(); ++r) {
    require(std::ranges::equal(whole.trace->ranks[r].events, cut.trace->ranks[r].events, same));
    require(whole.trace->ranks[r].args == cut.trace->ranks[r].args);
  }
  check_graph_of(*whole.trace);
  return 0;
}
