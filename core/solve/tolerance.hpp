#pragma once

#include <span>
#include <vector>

#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// For each limit (ns) the largest θ ≥ start with T(θ) ≤ limit (Shen et al. 2024, §II.D.2);
/// infinity if T never exceeds it. Newton's method on the convex T from the right: every step lands
/// on or right of the answer, and the last step is the exact intersection with T's line there.
/// InputError if T(start) is already above a limit.
std::vector<double> tolerances(const SweepPlan& plan, std::span<const double> limits, double start);

}  // namespace latitude::solve
