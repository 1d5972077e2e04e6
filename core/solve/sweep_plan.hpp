#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// Most values of θ that one pass over the graph evaluates.
inline constexpr int kMaxLanes = 16;

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
  /// value[to] = max over i of value[from[i]] + constant[i] + slope[i] · θ.
  struct Step {
    std::uint32_t from[2];
    std::uint32_t to;
    double constant[2];
    double slope[2];
  };

  /// The DAG's memory is freed as its nodes become steps.
  explicit SweepPlan(AffineDag dag);

  /// T at each θ, `lanes` (1 to 16) of them per pass. The numbers do not depend on `lanes`.
  std::vector<double> runtimes(std::span<const double> theta, int lanes = 8) const;

  /// T and its one-sided derivative at each θ, up to kMaxLanes of them per pass.
  std::vector<Tangent> tangents(std::span<const double> theta, Side side = Side::right) const;
  Tangent tangent(double theta, Side side = Side::right) const;

  /// The line that T follows for large θ.
  Affine asymptote() const;

  std::size_t nodes() const noexcept { return steps_.size(); }
  const std::vector<Step>& steps() const noexcept { return steps_; }
  /// T = value in this slot after the last step, + weight.
  std::uint32_t result_slot() const noexcept { return result_slot_; }
  Affine result_weight() const noexcept { return result_weight_; }
  std::size_t slots() const noexcept { return slots_; }
  std::size_t memory_bytes() const noexcept { return steps_.capacity() * sizeof(Step); }

 private:
  std::vector<Step> steps_;
  std::size_t slots_ = 1;
  std::uint32_t result_slot_ = 0;
  Affine result_weight_;
};

}  // namespace latitude::solve
