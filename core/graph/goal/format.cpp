#include "core/graph/format.hpp"

#include <algorithm>
#include <cstring>

#include "core/graph/goal/binary_layout.hpp"
#include "core/graph/goal/goal.hpp"

namespace latitude::graph {
namespace {

bool begins_as_binary(std::string_view head) {
  std::uint64_t magic;
  if (head.size() < sizeof magic) return false;
  std::memcpy(&magic, head.data(), sizeof magic);
  return magic == goal::kMagic || magic == goal::kSpentMagic;
}

/// Comments may precede the text with which every file begins.
bool begins_as_text(std::string_view head) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto skip_to = [&](std::string_view end, std::size_t behind) {
    const std::size_t at = head.find(end, 2);
    head.remove_prefix(at == std::string_view::npos ? head.size() : at + behind);
  };
  for (;;) {
    head.remove_prefix(std::min(head.find_first_not_of(kSpace), head.size()));
    if (head.starts_with("//")) {
      skip_to("\n", 1);
    } else if (head.starts_with("/*")) {
      skip_to("*/", 2);
    } else {
      return head.starts_with("num_ranks");
    }
  }
}

}  // namespace

std::span<const GraphFormat> graph_formats() {
  static constexpr GraphFormat kFormats[] = {
      {.name = "goal-binary",
       .title = "GOAL binary",
       .suffix = ".bin",
       .by_suffix = false,
       .begins = begins_as_binary,
       .read = read_goal_binary,
       .write = write_goal_binary},
      {.name = "goal",
       .title = "GOAL text",
       .suffix = ".goal",
       .by_suffix = true,
       .begins = begins_as_text,
       .read = read_goal_text,
       .write = write_goal_text},
  };
  return kFormats;
}

}  // namespace latitude::graph
