#include "core/solve/sweep_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/solve/slots.hpp"
#include "core/solve/sweep_kernels.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {
namespace {

/// Number of steps, over all passes, that is worth starting threads: about a millisecond of work.
constexpr std::size_t kWorthThreads = 250'000;

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

template <class Number>
bool fits(double number) {
  return number >= 0 && number <= std::numeric_limits<Number>::max() &&
         static_cast<double>(static_cast<Number>(number)) == number;
}

bool has_small_slopes(const Node& node) {
  return fits<std::uint8_t>(node.slope[0]) && fits<std::uint8_t>(node.slope[1]);
}

/// Steps of one of both forms. The memory of the nodes is freed on the way.
template <class Step>
std::vector<Step> steps_of(std::vector<Node>& nodes, const Slots& slots) {
  using Slot = decltype(Step::to);
  using Slope = std::remove_extent_t<decltype(Step::slope)>;
  const auto slot = [&](NodeId id) { return static_cast<Slot>(slots.of[id]); };
  std::vector<Step> steps;
  steps.reserve(nodes.size());
  for (NodeId i = 0; i < nodes.size(); ++i) {
    if (i % kReleasedAtOnce == 0 && i > 0) release_part(nodes, i - kReleasedAtOnce, i);
    if (!slots.read[i + 1]) continue;
    const Node& node = nodes[i];
    steps.push_back({{slot(node.from[0]), slot(node.from[1])},
                     slot(i + 1),
                     {static_cast<Slope>(node.slope[0]), static_cast<Slope>(node.slope[1])},
                     {node.constant[0], node.constant[1]}});
  }
  return steps;
}

}  // namespace

SweepPlan::SweepPlan(AffineDag dag) : result_weight_(dag.result.weight) {
  const Slots slots = assign_slots(dag.nodes, dag.result.node,
                                   [](const Node& node, int edge) { return node.from[edge]; });
  slots_ = slots.count;
  result_slot_ = slots.of[dag.result.node];
  if (slots_ <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1 &&
      std::ranges::all_of(dag.nodes, has_small_slopes)) {
    steps_ = steps_of<SmallStep>(dag.nodes, slots);
  } else {
    steps_ = steps_of<Step>(dag.nodes, slots);
  }
}

std::size_t SweepPlan::nodes() const noexcept {
  return std::visit([](const auto& steps) { return steps.size(); }, steps_);
}

std::size_t SweepPlan::memory_bytes() const noexcept {
  return std::visit([](const auto& steps) { return steps.capacity() * sizeof(steps[0]); }, steps_);
}

std::vector<double> SweepPlan::runtimes(std::span<const double> theta, int lanes) const {
  const std::size_t width = std::bit_ceil(static_cast<unsigned>(std::max(1, lanes)));
  const auto sweep = [&]<class Each>(const std::vector<Each>& steps) {
    auto* const run = runtime_kernel<Each>(lanes < 1 ? 0 : static_cast<int>(width), unit_in_use());
    const Values values(slots_ * width);
    std::fill_n(values.data(), width, 0.0);
    std::vector<double> result(theta.size());
    in_lanes(theta, width, [&](std::size_t first, std::span<const double> own, const double* lane) {
      run(steps.data(), steps.size(), lane, values.data());
      const double* last = values.data() + result_slot_ * width;
      for (std::size_t k = 0; k < own.size(); ++k) {
        result[first + k] = last[k] + result_weight_.at(own[k]);
      }
    });
    return result;
  };
  return std::visit(sweep, steps_);
}

std::vector<Tangent> SweepPlan::tangents(std::span<const double> theta, Side side) const {
  const std::size_t width = std::bit_ceil(std::clamp<std::size_t>(theta.size(), 1, kMaxLanes));
  const auto sweep = [&]<class Each>(const std::vector<Each>& steps) {
    auto* const run = tangent_kernel<Each>(static_cast<int>(width), side, unit_in_use());
    const Values values(slots_ * 2 * width);
    std::fill_n(values.data(), 2 * width, 0.0);
    std::vector<Tangent> result(theta.size());
    in_lanes(theta, width, [&](std::size_t first, std::span<const double> own, const double* lane) {
      run(steps.data(), steps.size(), lane, values.data());
      const double* last = values.data() + result_slot_ * 2 * width;
      for (std::size_t k = 0; k < own.size(); ++k) {
        result[first + k] = {own[k], last[k] + result_weight_.at(own[k]),
                             last[width + k] + result_weight_.slope};
      }
    });
    return result;
  };
  return std::visit(sweep, steps_);
}

Tangent SweepPlan::tangent(double theta, Side side) const {
  return tangents({&theta, 1}, side).front();
}

Affine SweepPlan::asymptote() const {
  std::vector<Affine> at(slots_);
  const auto run = [&](const auto& steps) {
    for (const auto& step : steps) {
      const Affine a =
          at[step.from[0]] + Affine{step.constant[0], static_cast<double>(step.slope[0])};
      const Affine b =
          at[step.from[1]] + Affine{step.constant[1], static_cast<double>(step.slope[1])};
      at[step.to] = higher_far_away(a, b);
    }
  };
  std::visit(run, steps_);
  return at[result_slot_] + result_weight_;
}

std::vector<Tangent> tangents_of(const SweepPlan& plan, std::span<const double> theta,
                                 std::size_t left, unsigned most_threads) {
  std::vector<Tangent> result(theta.size());
  const std::size_t to_left = passes_for(left);
  const std::size_t passes = to_left + passes_for(theta.size() - left);
  const unsigned threads = passes * plan.nodes() < kWorthThreads ? 1 : most_threads;
  parallel_for(passes, threads, [&](std::size_t pass) {
    const bool is_left = pass < to_left;
    const std::size_t first = is_left ? pass * kMaxLanes : left + (pass - to_left) * kMaxLanes;
    const std::size_t end = is_left ? left : theta.size();
    const auto own = theta.subspan(first, std::min<std::size_t>(kMaxLanes, end - first));
    const auto part = plan.tangents(own, is_left ? Side::left : Side::right);
    std::ranges::copy(part, result.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return result;
}

}  // namespace latitude::solve
