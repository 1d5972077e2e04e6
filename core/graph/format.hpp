#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// A format of whole execution graphs, in which collectives are already messages: one file each.
/// (core/trace/format.hpp has the formats of traces.)
struct GraphFormat {
  std::string_view name;    ///< "goal-binary", for options
  std::string_view title;   ///< "GOAL binary", for people
  std::string_view suffix;  ///< suffix of a file to write in this format
  bool by_suffix;           ///< a file with this suffix has this format, whatever its first bytes
  /// Whether a file that starts with these bytes (64 KiB of them, or all) has this format.
  bool (*begins)(std::string_view head);
  Graph (*read)(const std::string& path);  ///< throws InputError
  void (*write)(const Graph& graph, const std::string& path, std::uint64_t eager_limit);
};

/// All formats, in the order in which Latitude tries them.
std::span<const GraphFormat> graph_formats();

}  // namespace latitude::graph
