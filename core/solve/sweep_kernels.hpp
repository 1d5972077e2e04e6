#pragma once

#include <cstddef>

#include "core/solve/lanes.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// Runs `count` steps in order, at the θ of each lane. `values` has the lanes of a slot side by
/// side; for tangents, first the values of the slot, and then their slopes.
using SweepKernel = void(const SweepPlan::Step* steps, std::size_t count, const double* theta,
                         double* values);

/// For T alone. InputError unless `lanes` is 1, 2, 4, 8 or 16.
SweepKernel* runtime_kernel(int lanes, Unit unit);

/// For T and its slope on one side. InputError as above.
SweepKernel* tangent_kernel(int lanes, Side side, Unit unit);

}  // namespace latitude::solve
