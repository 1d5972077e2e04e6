// Any bytes are either a sound trace, and that a sound graph, or an InputError.
//
// Input: byte 0 chooses clock, cut, and whether checksums and ranks are put right (what fuzzing
// would hardly find); then up to 3 files, each after its length in 2 bytes.
#include "core/trace/native/native.hpp"

#include <cstring>
#include <string>

#include "core/trace/native/crc32c.hpp"
#include "fuzz/files.hpp"
#include "fuzz/graph_of_trace_check.hpp"
#include "fuzz/trace_check.hpp"

namespace {

using namespace latitude;
using File = std::vector<std::uint8_t>;

void put(File& file, std::size_t at, std::uint32_t value) {
  std::memcpy(file.data() + at, &value, sizeof value);
}

/// Right rank and size, chunks in sequence with right checksums.
void repair(File& file, std::size_t rank, std::size_t ranks) {
  if (file.size() < 32) return;
  put(file, 12, static_cast<std::uint32_t>(rank));
  put(file, 16, static_cast<std::uint32_t>(ranks));
  std::uint32_t sequence = 0;
  for (std::size_t at = 32; file.size() - at >= 32;) {
    std::uint32_t bytes;
    std::memcpy(&bytes, file.data() + at + 8, 4);
    if (bytes > file.size() - at - 32) return;
    put(file, at + 24, sequence++);
    const std::span whole(file);
    const std::uint32_t head = trace::native::crc32c(whole.subspan(at, 28));
    put(file, at + 28, trace::native::crc32c(whole.subspan(at + 32, bytes), head));
    at += 32 + bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const unsigned choice = data[0];
  std::vector<File> files = trace::files_in(data + 1, size - 1);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < files.size(); ++r) {
    names.push_back(std::to_string(r));
    if ((choice & 1) == 0) repair(files[r], r, files.size());
  }
  try {
    const auto clock = static_cast<trace::Clock>(choice / 4 % 3);
    const auto incomplete = (choice & 2) != 0 ? trace::Incomplete::cut : trace::Incomplete::refuse;
    trace::NativeLoader loader(names, clock, incomplete);
    for (std::size_t r = 0; r < files.size(); ++r) loader.read(r, files[r]);
    trace::Trace read = loader.finish();
    trace::check_trace(read);
    trace::check_graph_of(read);
  } catch (const InputError& error) {
    trace::check_message(error.what());
  }
  return 0;
}
