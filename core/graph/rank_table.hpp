#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// Tells the rank of a vertex as Graph::rank_of does, for many vertices: without a search.
class RankTable {
 public:
  explicit RankTable(const Graph& graph) : begin_(graph.rank_begin) {
    std::uint32_t rank = 0;
    for (std::size_t v = 0; v < graph.vertices.size(); v += kBlock) {
      while (begin_[rank + 1] <= v) ++rank;
      first_.push_back(rank);
    }
  }

  std::uint32_t rank_of(VertexId v) const {
    std::uint32_t rank = first_[v / kBlock];
    while (begin_[rank + 1] <= v) ++rank;
    return rank;
  }

 private:
  static constexpr std::size_t kBlock = 256;

  const std::vector<VertexId>& begin_;
  std::vector<std::uint32_t> first_;  ///< by block: the rank of its first vertex
};

}  // namespace latitude::graph
