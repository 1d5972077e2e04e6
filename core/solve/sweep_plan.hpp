#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// Most values of θ that one pass over the graph evaluates.
inline constexpr int kMaxLanes = 16;

/// Passes for this many values of θ.
inline std::size_t passes_for(std::size_t values) noexcept {
  return (values + kMaxLanes - 1) / kMaxLanes;
}

/// The slope to choose if critical paths tie.
enum class Side : std::uint8_t { left, right };

/// T at one θ with the slope of a critical path: a line that touches the convex T from below.
struct Tangent {
  double theta;
  double value;
  double slope;

  double at(double other) const noexcept { return value + slope * (other - theta); }
};

/// A DAG prepared for evaluation at many θ. A node's value has a slot that is reused after its last
/// reader, so that a sweep works in the cache for graphs of any size.
class SweepPlan {
 public:
  /// value[to] = max over i of value[from[i]] + slope[i] · θ + constant[i].
  template <class Slot, class Slope>
  struct StepOf {
    Slot from[2];
    Slot to;
    Slope slope[2];
    double constant[2];
  };
  using Step = StepOf<std::uint32_t, double>;
  /// The form for a plan whose slots and slopes all fit: a sweep over a large graph takes as long
  /// as reading its steps.
  using SmallStep = StepOf<std::uint16_t, std::uint8_t>;
  static_assert(sizeof(SmallStep) == 24);

  /// The DAG's memory is freed as its nodes become steps.
  explicit SweepPlan(AffineDag dag);

  /// T at each θ, `lanes` (1 to 16) of them per pass. The numbers do not depend on `lanes`.
  std::vector<double> runtimes(std::span<const double> theta, int lanes = 8) const;

  /// T and its one-sided derivative at each θ, up to kMaxLanes of them per pass.
  std::vector<Tangent> tangents(std::span<const double> theta, Side side = Side::right) const;
  Tangent tangent(double theta, Side side = Side::right) const;

  /// The line that T follows for large θ.
  Affine asymptote() const;

  std::size_t nodes() const noexcept;
  /// T = value in this slot after the last step, + weight.
  std::uint32_t result_slot() const noexcept { return result_slot_; }
  Affine result_weight() const noexcept { return result_weight_; }
  std::size_t slots() const noexcept { return slots_; }
  std::size_t memory_bytes() const noexcept;

 private:
  std::variant<std::vector<Step>, std::vector<SmallStep>> steps_;
  std::size_t slots_ = 1;
  std::uint32_t result_slot_ = 0;
  Affine result_weight_;
};

/// T and its derivative at each θ: to the left at the first `left` of them, to the right at the
/// others. Up to `threads` threads share the passes; 0 means one per core.
std::vector<Tangent> tangents_of(const SweepPlan& plan, std::span<const double> theta,
                                 std::size_t left, unsigned threads);

}  // namespace latitude::solve
