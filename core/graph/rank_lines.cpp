#include "core/graph/rank_lines.hpp"

#include <algorithm>

namespace latitude::graph {

RankLines::RankLines(const Graph& graph) : graph_(graph) {
  const bool of_threads = std::ranges::all_of(
      graph.units, [](const Unit& unit) { return unit.line.kind == Resource::Kind::thread; });
  if (!of_threads || graph.units.size() < 2) return;
  begin_.push_back(0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    std::uint32_t last = 0;
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      last = std::max(last, thread_of(v));
    }
    rank_.insert(rank_.end(), last + std::size_t{1}, rank);
    begin_.push_back(static_cast<std::uint32_t>(rank_.size()));
  }
}

}  // namespace latitude::graph
