#include "core/graph/rank_lines.hpp"

#include <algorithm>

namespace latitude::graph {

RankLines::RankLines(const Graph& graph)
    : graph_(graph),
      numbering_(numbering(graph.units, &Unit::line)),
      resources_(std::max(numbering_.count, 1U)) {
  for (std::size_t unit = 0; unit < graph.units.size(); ++unit) {
    resources_[numbering_.of_unit[unit]] = graph.units[unit].line;
  }
  if (resources_.size() < 2) return;
  std::vector<std::uint32_t> last_rank(resources_.size(), graph.ranks());
  begin_.push_back(0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const std::uint32_t number = numbering_.of_unit[graph.vertices[v].unit];
      if (last_rank[number] == rank) continue;
      last_rank[number] = rank;
      number_.push_back(number);
    }
    if (number_.size() == begin_.back()) number_.push_back(0);
    std::sort(number_.begin() + begin_.back(), number_.end());
    rank_.resize(number_.size(), rank);
    begin_.push_back(static_cast<std::uint32_t>(number_.size()));
  }
}

std::uint32_t RankLines::on(std::uint32_t rank, VertexId v) const noexcept {
  if (begin_.empty()) return rank;
  const std::uint32_t number = numbering_.of_unit[graph_.vertices[v].unit];
  const auto first = number_.begin() + begin_[rank];
  const auto found = std::lower_bound(first, number_.begin() + begin_[rank + 1], number);
  return static_cast<std::uint32_t>(found - number_.begin());
}

}  // namespace latitude::graph
