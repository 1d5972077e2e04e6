#pragma once

#include <cstddef>

#include "core/solve/lanes.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// Takes `count` steps in order, at θ of each lane. `values` has a slot's lanes side by side, for
/// tangents its values and then its slopes.
using SweepKernel = void(const SweepPlan::Step* steps, std::size_t count, const double* theta,
                         double* values);

/// Of T alone. InputError unless `lanes` is 1, 2, 4, 8 or 16.
SweepKernel* runtime_kernel(int lanes, Unit unit);

/// Of T and its slope on one side. InputError as above.
SweepKernel* tangent_kernel(int lanes, Side side, Unit unit);

}  // namespace latitude::solve
