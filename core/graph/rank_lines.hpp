#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The lines of ranks: a line does one thing after the other. Lines are in the order of ranks. A
/// rank has one line for each resource that runs its operations (Unit::line), in the order of the
/// resources; a rank without operations has one line.
class RankLines {
 public:
  /// Keeps a reference to the graph, which must outlive this object.
  explicit RankLines(const Graph& graph);

  /// Whether some rank has several lines. If not, the number of a line is that of its rank.
  bool several() const noexcept { return count() > graph_.ranks(); }
  /// Whether some rank has several threads of a traced process, whose operations are in program
  /// order.
  bool several_threads() const noexcept {
    return several() && resources_.front().kind == Resource::Kind::thread;
  }
  std::uint32_t count() const noexcept { return begin_.empty() ? graph_.ranks() : begin_.back(); }
  std::uint32_t of(VertexId v) const noexcept { return on(graph_.rank_of(v), v); }
  /// The line of a vertex of this rank.
  std::uint32_t on(std::uint32_t rank, VertexId v) const noexcept;
  std::uint32_t rank(std::uint32_t line) const noexcept {
    return begin_.empty() ? line : rank_[line];
  }
  /// The resource that runs the operations of a line.
  const Resource& resource(std::uint32_t line) const noexcept {
    return resources_[begin_.empty() ? 0 : number_[line]];
  }

 private:
  const Graph& graph_;
  Numbering numbering_;
  std::vector<Resource> resources_;    ///< ascending, at least one
  std::vector<std::uint32_t> begin_;   ///< ranks + 1; empty if all ranks have the same single
                                       ///< resource
  std::vector<std::uint32_t> rank_;    ///< by line; empty in the same case
  std::vector<std::uint32_t> number_;  ///< by line, index into resources_; empty in the same case
};

}  // namespace latitude::graph
