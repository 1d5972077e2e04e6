#include <algorithm>
#include <cstring>
#include <memory>

#include "core/graph/goal/goal.hpp"
#include "core/graph/goal/input_file.hpp"
#include "core/graph/goal/text_reader.hpp"

namespace latitude::graph {
namespace {

/// Also the longest line: memory stays bounded for any file.
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

/// Cuts the data that `read(to, count)` delivers into blocks of whole lines. `expected` bytes in
/// all, 0: not known.
template <class Read>
Graph read_blocks(const std::string& name, std::uint64_t expected, Read read) {
  goal::TextReader reader(name);
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  char* const begin = buffer.get();
  std::size_t held = 0;
  for (;;) {
    if (held == kBlockBytes) reader.fail_long_line(kBlockBytes);
    const std::size_t got = read(begin + held, kBlockBytes - held);
    if (got == 0) {
      if (held == 0) return reader.finish();
      begin[held++] = '\n';  // the last line may lack it
    } else {
      held += got;
    }
    std::size_t whole = held;
    while (whole > 0 && begin[whole - 1] != '\n') --whole;
    reader.read({begin, whole});
    if (expected > whole && whole > 0) {
      reader.expect(static_cast<double>(expected) / static_cast<double>(whole));
    }
    expected = 0;
    std::memmove(begin, begin + whole, held - whole);
    held -= whole;
  }
}

}  // namespace

Graph read_goal_text(const std::string& path) {
  goal::InputFile file(path);
  return read_blocks(path, file.expected(),
                     [&](char* to, std::size_t count) { return file.read(to, count); });
}

Graph parse_goal_text(std::string_view text, const std::string& name) {
  return read_blocks(name, text.size(), [&](char* to, std::size_t count) {
    count = text.copy(to, count);
    text.remove_prefix(count);
    return count;
  });
}

}  // namespace latitude::graph
