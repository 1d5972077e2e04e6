#include "core/solve/tolerance.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.hpp"
#include "core/solve/sweep.hpp"

namespace latitude::solve {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double tolerance(const AffineDag& dag, double limit, double start, const Slopes& at_start,
                 const Affine& far) {
  if (at_start.value > limit) {
    throw InputError("the limit " + std::to_string(limit) + " ns is below the runtime " +
                     std::to_string(at_start.value) + " ns at the start; give a higher limit");
  }
  if (far.slope <= 0) return kUnbounded;
  // Both lines support T from below, so T has reached the limit where either of them does.
  double theta = (limit - far.constant) / far.slope;
  if (at_start.right > 0) {
    theta = std::min(theta, start + (limit - at_start.value) / at_start.right);
  }
  theta = std::max(theta, start);
  while (theta > start) {
    const Slopes at = slopes(dag, theta);
    if (at.value <= limit || at.left <= 0) break;
    const double next = std::max(start, theta - (at.value - limit) / at.left);
    if (next >= theta) break;
    theta = next;
  }
  return theta;
}

}  // namespace

std::vector<double> tolerances(const AffineDag& dag, std::span<const double> limits,
                               double start) {
  const Slopes at_start = slopes(dag, start);
  const Affine far = asymptote(dag);
  std::vector<double> result;
  result.reserve(limits.size());
  for (const double limit : limits) {
    result.push_back(tolerance(dag, limit, start, at_start, far));
  }
  return result;
}

}  // namespace latitude::solve
