#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::solve {

/// What Lowering knows of each operation of a program that is in memory as a whole. (Of one that is
/// read while it is evaluated: core/solve/stream/live_program.hpp.)
class WholeProgram {
 public:
  using VertexId = graph::VertexId;

  /// Operations come while others run already.
  static constexpr bool kLive = false;

  static constexpr std::uint32_t kNoSlot = 0xffffffffU;

  struct Successor {
    VertexId vertex;
    graph::DepKind kind;
  };

  explicit WholeProgram(const graph::Graph& graph) : graph_(graph) {}

  const graph::Graph& graph() const { return graph_; }
  const graph::Vertex& vertex(VertexId v) const { return graph_.vertices[v]; }
  /// Of two operations of a rank, that which its program has first comes first.
  VertexId order(VertexId v) const { return v; }
  /// Local predecessors still to come.
  std::uint32_t& waiting(VertexId v) { return waiting_[v]; }
  /// Where Lowering keeps what it knows of a vertex that waits; kNoSlot: nowhere.
  std::uint32_t& slot(VertexId v) { return slot_[v]; }
  std::uint32_t slot(VertexId v) const { return slot_[v]; }
  /// A message of a rank to itself, asked by either end: it is never on the wire.
  bool to_itself(VertexId v) const { return !to_itself_.empty() && to_itself_[v]; }
  void mark_to_itself(VertexId v) {
    if (to_itself_.empty()) to_itself_.resize(graph_.vertices.size());
    to_itself_[v] = true;
  }
  /// What a receive is posted after. Counted when something of it is known first: until then it
  /// takes no memory, and most receives of a program are far ahead.
  std::uint32_t postings_of(VertexId v) const {
    std::uint32_t count = 0;
    for (const graph::Dep& dep : graph_.deps_of(v)) {
      count += dep.kind == graph::DepKind::posted ? 1 : 0;
    }
    return count;
  }
  /// The vertex that follows v in its chain, or kNoVertex.
  VertexId after(VertexId v) const {
    const VertexId next = v + 1;
    return next < graph_.vertices.size() && graph_.vertices[next].chained ? next : graph::kNoVertex;
  }
  /// With a gap: the send after a send, the receive after a receive; kNoVertex: none.
  VertexId next_in_turn(VertexId v) const { return next_in_turn_[v]; }
  std::vector<VertexId>& turns() { return next_in_turn_; }

  /// Visits the explicit dependencies on v.
  template <class Visit>
  void each_successor(VertexId v, Visit visit) const {
    if (successor_begin_.empty()) return;
    for (std::uint32_t i = successor_begin_[v]; i < successor_begin_[v + 1]; ++i) {
      visit(successors_[i]);
    }
  }

  void prepare() {
    waiting_.assign(graph_.vertices.size(), 0);
    slot_.assign(graph_.vertices.size(), kNoSlot);
    prepare_successors();
  }

 private:
  /// Reverses the explicit dependencies (counting sort by the vertex depended on).
  void prepare_successors() {
    if (graph_.deps.empty()) return;
    const std::size_t n = graph_.vertices.size();
    successor_begin_.assign(n + 1, 0);
    for (const graph::Dep& dep : graph_.deps) ++successor_begin_[dep.vertex + 1];
    for (std::size_t i = 0; i < n; ++i) successor_begin_[i + 1] += successor_begin_[i];
    successors_.resize(graph_.deps.size());
    std::vector<std::uint32_t> fill(successor_begin_.begin(), successor_begin_.end() - 1);
    for (VertexId v = 0; v < n; ++v) {
      for (const graph::Dep& dep : graph_.deps_of(v)) {
        successors_[fill[dep.vertex]++] = {v, dep.kind};
      }
    }
  }

  const graph::Graph& graph_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::uint32_t> slot_;
  std::vector<bool> to_itself_;                 ///< empty when there is no such message
  std::vector<std::uint32_t> successor_begin_;  ///< empty when there are no explicit deps
  std::vector<Successor> successors_;
  std::vector<VertexId> next_in_turn_;  ///< with a gap only
};

}  // namespace latitude::solve
