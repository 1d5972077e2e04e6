#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The lines on which ranks do one thing after the other, in the order of ranks: of a traced
/// process one for each thread that calls MPI, of any other rank one.
class RankLines {
 public:
  /// Keeps the graph, which has to outlive it.
  explicit RankLines(const Graph& graph);

  /// Whether some rank has more than one. If not, a line has the number of its rank.
  bool several() const noexcept { return !begin_.empty(); }
  std::uint32_t count() const noexcept { return several() ? begin_.back() : graph_.ranks(); }
  std::uint32_t of(VertexId v) const noexcept {
    const std::uint32_t rank = graph_.rank_of(v);
    return several() ? begin_[rank] + thread_of(v) : rank;
  }
  std::uint32_t rank(std::uint32_t line) const noexcept { return several() ? rank_[line] : line; }
  /// The thread of its rank that it is, from 0.
  std::uint32_t thread(std::uint32_t line) const noexcept {
    return several() ? line - begin_[rank_[line]] : 0;
  }
  std::uint32_t thread_of(VertexId v) const noexcept { return graph_.unit_of(v).line.number; }
  /// The line of a rank's first thread.
  std::uint32_t first(std::uint32_t rank) const noexcept { return several() ? begin_[rank] : rank; }

 private:
  const Graph& graph_;
  std::vector<std::uint32_t> begin_;  ///< ranks + 1; empty where each has one
  std::vector<std::uint32_t> rank_;   ///< by line; likewise
};

}  // namespace latitude::graph
