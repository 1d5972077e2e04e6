#pragma once

#include <cstdint>
#include <limits>

#include "core/graph/graph.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {

/// An instant without a path from time zero.
inline constexpr double kNoPath = -std::numeric_limits<double>::infinity();

/// Algebra of Lowering whose instants are nodes of a DAG, and which give each stretch with
/// latencies of a message a node of its own (a *hop*, with the message on its edge 1). `At` is an
/// instant of the DAG: it `exists`, and `plus` a weight gives a later one. Of (the derived class)
/// makes the nodes, and has
///   At zero()                – the instant zero
///   Affine weight(const Cost&)
///   At join_nodes(At, At)    – the later one
///   At keep(At, At)          – the same as a node, even if one of the two can never be late
///   bool keeps(At, At)       – whether a join other than a hop is kept in this way
///   void hop(VertexId recv, std::uint8_t latencies)  – the last node is a hop, with this number of
///                              latencies of the message of `recv` on its edge 1
template <class Of, class At>
class MessageJoins {
 public:
  struct Instant {
    At at;
    /// The message whose latencies on the way are not on the edge of a node yet, and their number.
    graph::VertexId receive = graph::kNoVertex;
    std::uint8_t latencies = 0;
  };

  Instant origin() { return {of().zero()}; }

  Instant add(Instant at, const Cost& cost) {
    const bool flies = cost.latencies > 0 && cost.message != graph::kNoVertex;
    if (flies) at = settled(at);
    at.at = at.at.plus(of().weight(cost));
    if (flies) {
      at.receive = cost.message;
      at.latencies = static_cast<std::uint8_t>(cost.latencies);
    }
    return at;
  }

  Instant join(const Instant& a, const Instant& b) {
    if (b.latencies > 0) return hop(settled(a).at, b);
    if (a.latencies > 0) return hop(b.at, a);
    return {of().keeps(a.at, b.at) ? of().keep(a.at, b.at) : of().join_nodes(a.at, b.at)};
  }

  static const Instant& started(graph::VertexId, const Instant& at) { return at; }
  Instant entered(graph::VertexId, const Instant& at) { return settled(at); }
  Instant ended(graph::VertexId, const Instant& at) { return settled(at); }

 private:
  Of& of() { return static_cast<Of&>(*this); }

  /// The instant `at` with its latencies, if any, on the edge of a node.
  Instant settled(const Instant& at) {
    return at.latencies == 0 ? at : hop(of().zero().plus({kNoPath, 0}), at);
  }

  /// A node even if the message is never late: with its slack added, it may become late.
  Instant hop(const At& other, const Instant& at) {
    Instant node{of().keep(other, at.at)};
    of().hop(at.receive, at.latencies);
    return node;
  }
};

}  // namespace latitude::solve
