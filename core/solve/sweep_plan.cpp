#include "core/solve/sweep_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/error.hpp"
#include "core/solve/lanes.hpp"
#include "core/solve/slots.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {
namespace {

using Step = SweepPlan::Step;

template <int K>
LATITUDE_INLINE void sweep(const Step* steps, std::size_t count, const double* theta_in,
                           double* values) {
  double theta[K];
  std::memcpy(theta, theta_in, sizeof theta);
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps[i];
    const double* a = values + std::size_t{step.from[0]} * K;
    const double* b = values + std::size_t{step.from[1]} * K;
    double out[K];
    for (int k = 0; k < K; ++k) {
      const double x = a[k] + (step.constant[0] + step.slope[0] * theta[k]);
      const double y = b[k] + (step.constant[1] + step.slope[1] * theta[k]);
      out[k] = x > y ? x : y;
    }
    std::memcpy(values + std::size_t{step.to} * K, out, sizeof out);
  }
}

using Sweep = void(const Step*, std::size_t, const double*, double*);

LATITUDE_EVERY_VECTOR_UNIT
void sweep1(const Step* s, std::size_t n, const double* t, double* v) { sweep<1>(s, n, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep2(const Step* s, std::size_t n, const double* t, double* v) { sweep<2>(s, n, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep4(const Step* s, std::size_t n, const double* t, double* v) { sweep<4>(s, n, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep8(const Step* s, std::size_t n, const double* t, double* v) { sweep<8>(s, n, t, v); }
LATITUDE_EVERY_VECTOR_UNIT
void sweep16(const Step* s, std::size_t n, const double* t, double* v) { sweep<16>(s, n, t, v); }

Sweep* sweep_for(int lanes) {
  switch (lanes) {
    case 1:
      return sweep1;
    case 2:
      return sweep2;
    case 4:
      return sweep4;
    case 8:
      return sweep8;
    case 16:
      return sweep16;
    default:
      throw InputError("lanes must be 1 to 16");
  }
}

template <int K, Side side>
LATITUDE_INLINE void sweep_slopes(const Step* steps, std::size_t count, const double* theta_in,
                                  double* values) {
  double theta[K];
  std::memcpy(theta, theta_in, sizeof theta);
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = steps[i];
    const double* a = values + std::size_t{step.from[0]} * (2 * K);
    const double* b = values + std::size_t{step.from[1]} * (2 * K);
    double out[2 * K];  // K values, then their K slopes
    for (int k = 0; k < K; ++k) {
      const double x = a[k] + (step.constant[0] + step.slope[0] * theta[k]);
      const double y = b[k] + (step.constant[1] + step.slope[1] * theta[k]);
      const double x_slope = a[K + k] + step.slope[0];
      const double y_slope = b[K + k] + step.slope[1];
      const bool x_steeper = side == Side::right ? x_slope > y_slope : x_slope < y_slope;
      out[k] = x > y ? x : y;
      const double tied = x_steeper ? x_slope : y_slope;
      const double decided = x > y ? x_slope : y_slope;
      out[K + k] = x == y ? tied : decided;
    }
    std::memcpy(values + std::size_t{step.to} * (2 * K), out, sizeof out);
  }
}

LATITUDE_EVERY_VECTOR_UNIT
void right1(const Step* s, std::size_t n, const double* t, double* v) {
  sweep_slopes<1, Side::right>(s, n, t, v);
}
LATITUDE_EVERY_VECTOR_UNIT
void left1(const Step* s, std::size_t n, const double* t, double* v) {
  sweep_slopes<1, Side::left>(s, n, t, v);
}
LATITUDE_EVERY_VECTOR_UNIT
void right16(const Step* s, std::size_t n, const double* t, double* v) {
  sweep_slopes<kMaxLanes, Side::right>(s, n, t, v);
}
LATITUDE_EVERY_VECTOR_UNIT
void left16(const Step* s, std::size_t n, const double* t, double* v) {
  sweep_slopes<kMaxLanes, Side::left>(s, n, t, v);
}

/// Calls pass(first, lane values) for each run of up to `width` θ; unused lanes repeat the last.
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

SweepPlan::SweepPlan(const AffineDag& dag, std::span<const std::uint32_t> tags)
    : result_weight_(dag.result.weight) {
  const Slots slots = assign_slots(dag.nodes, dag.result.node,
                                   [](const Node& node, int edge) { return node.from[edge]; });
  steps_.reserve(dag.nodes.size());
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    if (!slots.read[i + 1]) continue;
    const Node& node = dag.nodes[i];
    steps_.push_back({{slots.of[node.from[0]], slots.of[node.from[1]]},
                      slots.of[i + 1],
                      tags.empty() ? 0 : tags[i],
                      {node.constant[0], node.constant[1]},
                      {node.slope[0], node.slope[1]}});
  }
  slots_ = slots.count;
  result_slot_ = slots.of[dag.result.node];
}

std::vector<double> SweepPlan::runtimes(std::span<const double> theta, int lanes) const {
  const std::size_t width = std::bit_ceil(static_cast<unsigned>(std::max(1, lanes)));
  Sweep* const run = sweep_for(lanes < 1 ? 0 : static_cast<int>(width));
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
  const std::size_t width = theta.size() == 1 ? 1 : kMaxLanes;
  Sweep* const run = width == 1 ? (side == Side::right ? right1 : left1)
                                : (side == Side::right ? right16 : left16);
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
    const bool first_wins = a.slope != b.slope ? a.slope > b.slope : a.constant >= b.constant;
    at[step.to] = first_wins ? a : b;
  }
  return at[result_slot_] + result_weight_;
}

}  // namespace latitude::solve
