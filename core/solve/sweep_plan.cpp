#include "core/solve/sweep_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/release.hpp"
#include "core/solve/slots.hpp"
#include "core/solve/sweep_kernels.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {
namespace {

/// Calls pass(first, lane values) for each group of up to `width` θ; unused lanes repeat the last.
template <class Pass>
void in_lanes(std::span<const double> theta, std::size_t width, Pass pass) {
  for (std::size_t first = 0; first < theta.size(); first += width) {
    const std::span<const double> own = theta.subspan(first, std::min(width, theta.size() - first));
    std::array<double, kMaxLanes> lane{};
    for (std::size_t k = 0; k < width; ++k) lane[k] = own[std::min(k, own.size() - 1)];
    pass(first, own, lane.data());
  }
}

}  // namespace

SweepPlan::SweepPlan(AffineDag dag) : result_weight_(dag.result.weight) {
  const Slots slots = assign_slots(dag.nodes, dag.result.node,
                                   [](const Node& node, int edge) { return node.from[edge]; });
  steps_.reserve(dag.nodes.size());
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    if (i % kReleasedAtOnce == 0 && i > 0) release_part(dag.nodes, i - kReleasedAtOnce, i);
    if (!slots.read[i + 1]) continue;
    const Node& node = dag.nodes[i];
    steps_.push_back({{slots.of[node.from[0]], slots.of[node.from[1]]},
                      slots.of[i + 1],
                      {node.constant[0], node.constant[1]},
                      {node.slope[0], node.slope[1]}});
  }
  slots_ = slots.count;
  result_slot_ = slots.of[dag.result.node];
}

std::vector<double> SweepPlan::runtimes(std::span<const double> theta, int lanes) const {
  const std::size_t width = std::bit_ceil(static_cast<unsigned>(std::max(1, lanes)));
  SweepKernel* const run = runtime_kernel(lanes < 1 ? 0 : static_cast<int>(width), unit_in_use());
  const Values values(slots_ * width);
  std::fill_n(values.data(), width, 0.0);
  std::vector<double> result(theta.size());
  in_lanes(theta, width, [&](std::size_t first, std::span<const double> own, const double* lane) {
    run(steps_.data(), steps_.size(), lane, values.data());
    const double* last = values.data() + result_slot_ * width;
    for (std::size_t k = 0; k < own.size(); ++k) {
      result[first + k] = last[k] + result_weight_.at(own[k]);
    }
  });
  return result;
}

std::vector<Tangent> SweepPlan::tangents(std::span<const double> theta, Side side) const {
  const std::size_t width = std::bit_ceil(std::clamp<std::size_t>(theta.size(), 1, kMaxLanes));
  SweepKernel* const run = tangent_kernel(static_cast<int>(width), side, unit_in_use());
  const Values values(slots_ * 2 * width);
  std::fill_n(values.data(), 2 * width, 0.0);
  std::vector<Tangent> result(theta.size());
  in_lanes(theta, width, [&](std::size_t first, std::span<const double> own, const double* lane) {
    run(steps_.data(), steps_.size(), lane, values.data());
    const double* last = values.data() + result_slot_ * 2 * width;
    for (std::size_t k = 0; k < own.size(); ++k) {
      result[first + k] = {own[k], last[k] + result_weight_.at(own[k]),
                           last[width + k] + result_weight_.slope};
    }
  });
  return result;
}

Tangent SweepPlan::tangent(double theta, Side side) const {
  return tangents({&theta, 1}, side).front();
}

Affine SweepPlan::asymptote() const {
  std::vector<Affine> at(slots_);
  for (const Step& step : steps_) {
    const Affine a = at[step.from[0]] + Affine{step.constant[0], step.slope[0]};
    const Affine b = at[step.from[1]] + Affine{step.constant[1], step.slope[1]};
    at[step.to] = higher_far_away(a, b);
  }
  return at[result_slot_] + result_weight_;
}

}  // namespace latitude::solve
