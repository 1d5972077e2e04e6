// Any bytes are either a sound trace, and that a sound graph, or an InputError.
//
// Input: byte 0 chooses whether a .meta file says how many ranks there are, and whether what
// follows are streams of calls, around which whole files are made, or whole files; then up to 3 of
// them, each after its length in 2 bytes.
#include "core/trace/dumpi/dumpi.hpp"

#include <optional>
#include <string>

#include "core/trace/dumpi/rank_reader.hpp"
#include "core/trace/dumpi/record.hpp"
#include "core/trace/source.hpp"
#include "fuzz/files.hpp"
#include "fuzz/graph_of_trace_check.hpp"
#include "fuzz/trace_check.hpp"

namespace {

using namespace latitude;
using File = std::vector<std::uint8_t>;

constexpr std::uint64_t kMagic = 0xffaadd44554d5049;

void put(File& file, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) file.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

/// A whole file with this stream of calls.
File around(const File& stream) {
  const std::size_t calls = trace::dumpi::call_layouts().size();
  File file;
  put(file, kMagic, 8);
  put(file, 0, 8);
  file.insert(file.end(), stream.begin(), stream.end());
  put(file, calls + 3, 2);
  const std::size_t header = file.size();
  put(file, 0x010000, 3);
  const std::size_t footer = file.size();
  put(file, 0xf007fee7, 8);
  file.resize(file.size() + 2 * 4 * (calls + 1));
  const std::size_t sizes = file.size();
  constexpr std::uint32_t kTypes = 28;
  put(file, kTypes, 4);
  for (std::uint32_t type = 0; type < kTypes; ++type) put(file, type % 9, 4);
  for (const std::uint64_t word :
       {kMagic, std::uint64_t{sizes}, std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{header},
        std::uint64_t{8}, std::uint64_t{footer}, std::uint64_t{0}}) {
    put(file, word, 8);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const unsigned choice = data[0];
  const std::vector<File> files = trace::files_in(data + 1, size - 1);
  try {
    std::vector<trace::dumpi::Log> logs;
    for (std::size_t r = 0; r < files.size(); ++r) {
      const File file = (choice & 1) == 0 ? around(files[r]) : files[r];
      trace::MemorySource source(std::to_string(r), file);
      logs.push_back(trace::dumpi::read_rank(source));
    }
    std::optional<std::uint32_t> ranks;
    if ((choice & 2) == 0) ranks = static_cast<std::uint32_t>(files.size());
    trace::Trace read = trace::assemble_dumpi(std::move(logs), ranks, 1);
    trace::check_trace(read);
    trace::check_graph_of(read);
  } catch (const InputError& error) {
    trace::check_message(error.what());
  }
  return 0;
}
