#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/solve/affine_dag.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"
#include "core/solve/stream/live_program.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

class HeldNodes;

/// A node of the DAG with at least one reference. Its value is in a slot, which another node gets
/// once this node has no references.
struct HeldNode {
  std::uint64_t name = 0;  ///< from 1; 0 is time zero. Never given twice
  std::uint64_t from[2] = {};
  Affine weight[2];
  HeldNodes* of = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t holders = 0;

  /// As Node::edge, for waited_for().
  struct Edge {
    Affine weight;
  };
  Edge edge(int i) const noexcept { return {weight[i]}; }
};

class HeldRef;

/// The nodes with references, in places that do not move. The first node is time zero.
class HeldNodes {
 public:
  HeldNodes() = default;
  HeldNodes(const HeldNodes&) = delete;
  HeldNodes& operator=(const HeldNodes&) = delete;

  HeldNode* take();
  /// A node for the later of two instants, even if one of the instants can never be late.
  inline HeldRef keep(const HeldRef& a, const HeldRef& b);
  __attribute__((noinline)) void give_back(HeldNode* node) { free_.push_back(node); }
  /// Largest number of slots in use at a time, including that of time zero.
  std::size_t slots() const noexcept { return slots_; }

 private:
  std::vector<std::unique_ptr<HeldNode[]>> blocks_;
  std::vector<HeldNode*> free_;
  std::size_t slots_ = 1;
  std::uint64_t names_ = 0;
};

/// An instant, as Ref: value(node) + weight. Keeps a reference to the node.
class HeldRef {
 public:
  HeldRef() = default;
  explicit HeldRef(HeldNode* node, Affine weight = {}) : weight(weight), node_(node) {
    ++node_->holders;
  }
  HeldRef(const HeldRef& other) : weight(other.weight), node_(other.node_) {
    if (node_ != nullptr) ++node_->holders;
  }
  HeldRef(HeldRef&& other) noexcept
      : weight(other.weight), node_(std::exchange(other.node_, nullptr)) {}
  HeldRef& operator=(const HeldRef& other) { return *this = HeldRef(other); }
  HeldRef& operator=(HeldRef&& other) noexcept {
    std::swap(node_, other.node_);
    weight = other.weight;
    return *this;
  }
  ~HeldRef() {
    if (node_ != nullptr && --node_->holders == 0) [[unlikely]] {
      node_->of->give_back(node_);
    }
  }

  bool exists() const noexcept { return node_ != nullptr; }
  const HeldNode& node() const noexcept { return *node_; }
  /// The same node with more weight: a later instant.
  HeldRef plus(Affine more) const { return HeldRef(node_, weight + more); }

  /// The one of two instants that is later for every θ ≥ 0, if that is evident as in JoinBuilder;
  /// null if a node is needed.
  static const HeldRef* later(const HeldRef& a, const HeldRef& b) noexcept {
    if (!a.exists()) return &b;
    if (!b.exists() || never_later(b, a)) return &a;
    return never_later(a, b) ? &b : nullptr;
  }

  Affine weight;

 private:
  static bool never_later(const HeldRef& a, const HeldRef& b) noexcept {
    if (a.node().name == b.node().name) return covers(b.weight, a.weight);
    return b.node().name != 0 && waited_for(a.node().name, a.weight, b.node(), b.weight);
  }

  HeldNode* node_ = nullptr;
};

HeldRef HeldNodes::keep(const HeldRef& a, const HeldRef& b) {
  HeldNode* const node = take();
  node->name = ++names_;
  node->from[0] = a.node().name;
  node->from[1] = b.node().name;
  node->weight[0] = a.weight;
  node->weight[1] = b.weight;
  return HeldRef(node);
}

/// Receives the steps of a sweep over the DAG (SweepPlan::Step) as they become known.
class StepSink {
 public:
  virtual ~StepSink() = default;
  /// Values are in slots below `slots`.
  virtual void take(std::span<const SweepPlan::Step> steps, std::size_t slots) = 0;
};

/// Algebra of Lowering that makes the same DAG as Building, and passes its nodes on as steps
/// instead of keeping them. It computes the same sums in the same order as compile() and SweepPlan,
/// so results have the same bits.
class Stepping {
 public:
  using Instant = HeldRef;

  Stepping(Direction direction, StepSink& sink);

  /// The program of this algebra.
  void runs(const LiveProgram<HeldRef>& program) { program_ = &program; }
  HeldRef origin() { return held_origin_; }
  HeldRef add(const HeldRef& at, const Cost& cost) const {
    const bool one_class = direction_.links.size() == 1;
    return at.plus(
        direction_.of(cost, one_class ? model::ClassId{0} : program_->link_of(cost.message)));
  }
  /// As DagBuilder::join.
  HeldRef join(const HeldRef& a, const HeldRef& b);
  static const HeldRef& started(graph::VertexId, const HeldRef& at) { return at; }
  static HeldRef ended(graph::VertexId, HeldRef at) { return at; }
  /// As Building::finished.
  void finished(const HeldRef& at) { result_ = result_.exists() ? keep(result_, at) : at; }

  /// Passes on the steps that have not been passed on yet.
  void flush();
  /// T = value in this slot after all steps + this weight.
  std::uint32_t result_slot() const { return result_.exists() ? result_.node().slot : 0; }
  Affine result_weight() const { return result_.weight; }
  std::size_t steps() const noexcept { return taken_; }

 private:
  HeldRef keep(const HeldRef& a, const HeldRef& b);

  Direction direction_;
  const LiveProgram<HeldRef>* program_ = nullptr;
  StepSink& sink_;
  HeldNodes nodes_;
  HeldRef held_origin_;
  HeldRef result_;
  std::size_t taken_ = 0;
  std::vector<SweepPlan::Step> steps_;
};

}  // namespace latitude::solve
