#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// A format of whole execution graphs, whose collectives are messages already: one file each. (The
/// formats of traces are those of core/trace/format.hpp.)
struct GraphFormat {
  std::string_view name;    ///< "goal-binary", for options
  std::string_view title;   ///< "GOAL binary", for people
  std::string_view suffix;  ///< that a file to be written in this format has
  bool by_suffix;           ///< a file with this suffix is taken for one, whatever it begins with
  /// Whether a file that starts with these bytes (64 KiB of them, or all) is one of this format.
  bool (*begins)(std::string_view head);
  Graph (*read)(const std::string& path);  ///< throws InputError
  void (*write)(const Graph& graph, const std::string& path, std::uint64_t eager_limit);
};

/// All formats, in the order in which they are tried.
std::span<const GraphFormat> graph_formats();

}  // namespace latitude::graph
