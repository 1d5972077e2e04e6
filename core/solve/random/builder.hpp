#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/random/model.hpp"

namespace latitude::solve {

/// coefficient · (a value drawn from a table).
struct Draw {
  double coefficient = 1;                     ///< 1 for a latency, ns for a computation
  graph::VertexId vertex = graph::kNoVertex;  ///< receive of the message; the calc
  std::uint32_t stream = 0;                   ///< distinguishes draws of a vertex, or shared ones

  static constexpr std::uint32_t kNoise = 0x80000000U;   ///< in `stream`: a factor on computation
  static constexpr std::uint32_t kShared = 0x40000000U;  ///< in `stream`: independent of the vertex

  bool noise() const noexcept { return (stream & kNoise) != 0; }
  bool shared() const noexcept { return (stream & kShared) != 0; }
  /// Draws with equal keys are the same number in a sample.
  std::uint64_t key() const noexcept {
    return std::uint64_t{stream} << 32U | (shared() ? 0U : vertex);
  }
};

/// An instant: value(node) + constant + a draw, if any.
struct RandomRef {
  NodeId node = kNowhere;
  bool random = false;
  double constant = 0;
  Draw draw;

  bool exists() const noexcept { return node != kNowhere; }
};

/// value = the later of two instants; only the second may have a draw. A missing edge comes from
/// the origin at −∞.
struct RandomNode {
  RandomRef edge[2];
};

inline const RandomRef kAbsent{kOrigin, false, -std::numeric_limits<double>::infinity(), {}};

/// T of a sample as the longest path. nodes[i] has the id i + 1 and depends only on lower ids.
struct RandomDag {
  std::vector<RandomNode> nodes;
  NodeId result = kOrigin;
};

/// Builds a RandomDag in topological order. All constants must be multiples of one quantum, so that
/// sums are exact. Then neither dropping nor folding can change a bit of T.
class RandomBuilder {
 public:
  explicit RandomBuilder(const RandomModel& model) : model_(model) {}

  static RandomRef origin() noexcept { return {kOrigin, false, 0, {}}; }

  /// `at`, later by a draw.
  RandomRef add(RandomRef at, const Draw& draw);

  /// The later of two instants; an instant that does not exist is ignored.
  RandomRef join(const RandomRef& a, const RandomRef& b);

  /// The same instant without a draw of its own, for several readers.
  RandomRef settled(const RandomRef& at) { return at.random ? new_node(kAbsent, at) : at; }

  NodeId size() const noexcept { return static_cast<NodeId>(dag_.nodes.size()); }

  /// When pruning: drops every edge that is on no longest path for any draws.
  RandomDag finish(const RandomRef& last);

 private:
  RandomRef new_node(RandomRef a, RandomRef b);
  Bounds bounds_of(const Draw& draw) const noexcept;
  double earliest(const RandomRef& at) const noexcept;
  double latest(const RandomRef& at) const noexcept;
  double span_high(const RandomRef& at) const noexcept;
  bool never_later(const RandomRef& a, const RandomRef& b) const;
  RandomDag contract() const;

  RandomModel model_;
  RandomDag dag_;
  std::vector<Bounds> head_{Bounds{}};  ///< by node id: the bounds of its instant
};

}  // namespace latitude::solve
