#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace latitude::solve {

/// constant + slope · θ.
struct Affine {
  double constant = 0;
  double slope = 0;

  double at(double theta) const noexcept { return constant + slope * theta; }
  friend Affine operator+(Affine a, Affine b) noexcept {
    return {a.constant + b.constant, a.slope + b.slope};
  }
};

using NodeId = std::uint32_t;
inline constexpr NodeId kOrigin = 0;  ///< the node whose value is 0: time zero
inline constexpr NodeId kNowhere = std::numeric_limits<NodeId>::max();

/// An instant: value(node) + weight. It is copied number by number: a wide load that follows narrow
/// stores makes the processor wait for them.
struct Ref {
  NodeId node = kNowhere;
  Affine weight;

  Ref() = default;
  Ref(NodeId node, Affine weight) noexcept : node(node), weight(weight) {}
  Ref(const Ref& other) noexcept { *this = other; }
  Ref& operator=(const Ref& other) noexcept {
    node = other.node;
    weight.constant = other.weight.constant;
    weight.slope = other.weight.slope;
    return *this;
  }

  bool exists() const noexcept { return node != kNowhere; }
  /// This instant, later by `more`.
  Ref plus(Affine more) const noexcept { return {node, weight + more}; }
};

/// value = max over the two edges of value(from[i]) + constant[i] + slope[i] · θ. 40 bytes.
struct Node {
  Node() = default;
  Node(Ref a, Ref b)
      : from{a.node, b.node},
        constant{a.weight.constant, b.weight.constant},
        slope{a.weight.slope, b.weight.slope} {}

  NodeId from[2];
  double constant[2];
  double slope[2];

  Ref edge(int i) const noexcept { return {from[i], {constant[i], slope[i]}}; }
};
static_assert(sizeof(Node) == 40);

/// T(θ) as the longest path of a DAG with affine edge weights. Every node is the maximum of exactly
/// two edges: chains are folded into edges, and wider joins are trees of nodes. One loop without
/// branches can therefore evaluate the graph. nodes[i] has the id i + 1 and depends only on lower
/// ids.
struct AffineDag {
  std::vector<Node> nodes;
  Ref result;
};

/// True if lower ≤ upper for every θ ≥ 0.
inline bool covers(Affine upper, Affine lower) noexcept {
  return upper.constant >= lower.constant && upper.slope >= lower.slope;
}

/// The upper one of two lines for large θ; `a` if they are equal.
inline Affine higher_far_away(Affine a, Affine b) noexcept {
  const bool first = a.slope != b.slope ? a.slope > b.slope : a.constant >= b.constant;
  return first ? a : b;
}

/// Whether the instant `a` + weight is never later than the instant `b` + weight_b at another node,
/// because node `b` has waited for `a`. (The answer to a message cannot come before the message.)
/// `b` has from[0], from[1] and edge(i).
template <class Name, class Built>
bool waited_for(Name a, Affine weight, const Built& b, Affine weight_b) noexcept {
  for (int i = 0; i < 2; ++i) {
    if (b.from[i] == a && covers(b.edge(i).weight + weight_b, weight)) return true;
  }
  return false;
}

[[noreturn]] void throw_too_many_joins();

/// Builds nodes in topological order, and drops edges that can never decide a maximum. A node of
/// type `Joined` holds two edges, and is their maximum.
template <class Joined>
class JoinBuilder {
 public:
  static Ref origin() noexcept { return {kOrigin, {}}; }

  /// The later of two instants; an instant that does not exist is ignored.
  Ref join(Ref a, Ref b) {
    if (!a.exists()) return b;
    if (!b.exists()) return a;
    if (never_later(b, a)) return a;
    if (never_later(a, b)) return b;
    return keep(a, b);
  }

  /// The later of two instants as a new node, even if one of the two can never be late.
  Ref keep(Ref a, Ref b) {
    if (nodes_.size() >= kNowhere - 1) throw_too_many_joins();
    nodes_.push_back(Joined(a, b));
    return {size(), {}};
  }

  /// Reserves memory for about this many nodes, because a growing list is copied each time.
  void expect(std::size_t nodes) { nodes_.reserve(nodes); }

  NodeId size() const noexcept { return static_cast<NodeId>(nodes_.size()); }
  /// The node created last.
  Joined& last() noexcept { return nodes_.back(); }
  std::vector<Joined> take() { return std::move(nodes_); }

 private:
  /// True if a ≤ b for every θ ≥ 0 is evident: same node, or b's node already waited for a's.
  bool never_later(Ref a, Ref b) const noexcept {
    if (a.node == b.node) return covers(b.weight, a.weight);
    return b.node != kOrigin && waited_for(a.node, a.weight, nodes_[b.node - 1], b.weight);
  }

  std::vector<Joined> nodes_;
};

/// Builds an AffineDag.
class DagBuilder : public JoinBuilder<Node> {
 public:
  AffineDag finish(Ref result) { return {take(), result.exists() ? result : origin()}; }
};

}  // namespace latitude::solve
