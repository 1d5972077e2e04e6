#include "core/solve/tolerance.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// If T exceeds a limit by less than this share, the excess is the rounding of a long sum. The
/// answer is then on the tangent at that point: Newton's method would follow the noise from one
/// number to the next.
constexpr double kRounding = 1e-12;

/// A θ at or right of the answer. The tangent at the start and the asymptote both support T from
/// below, so T has reached the limit at each point where one of them has.
double upper_bound(const Tangent& start, const Affine& far, double limit) {
  if (start.value > limit) {
    throw InputError("the limit " + std::to_string(limit) + " ns is below the runtime " +
                     std::to_string(start.value) + " ns at the start; give a higher limit");
  }
  if (far.slope <= 0) return kUnbounded;
  double theta = (limit - far.constant) / far.slope;
  if (start.slope > 0) theta = std::min(theta, start.theta + (limit - start.value) / start.slope);
  return std::max(theta, start.theta);
}

}  // namespace

std::vector<double> tolerances(const SweepPlan& plan, std::span<const double> limits,
                               double start) {
  const Tangent at_start = plan.tangent(start);
  const Affine far = plan.asymptote();
  std::vector<double> result;
  std::vector<std::size_t> open;
  for (const double limit : limits) {
    result.push_back(upper_bound(at_start, far, limit));
    if (result.back() > start && result.back() < kUnbounded) open.push_back(result.size() - 1);
  }
  while (!open.empty()) {
    std::vector<double> theta;
    for (const std::size_t i : open) theta.push_back(result[i]);
    const std::vector<Tangent> tangents = plan.tangents(theta);
    std::vector<std::size_t> still_open;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const Tangent& at = tangents[k];
      if (at.value <= limits[open[k]] || at.slope <= 0) continue;
      const double next = std::max(start, at.theta - (at.value - limits[open[k]]) / at.slope);
      if (next >= at.theta) continue;
      result[open[k]] = next;
      const bool found = at.value - limits[open[k]] <= kRounding * limits[open[k]];
      if (next > start && !found) still_open.push_back(open[k]);
    }
    open = std::move(still_open);
  }
  return result;
}

}  // namespace latitude::solve
