#pragma once

#include <cstddef>

#include "core/solve/lanes.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// Runs `count` steps in order, at the θ of each lane. `values` has the lanes of a slot side by
/// side; for tangents, first the values of the slot, and then their slopes.
template <class Step>
using SweepKernel = void(const Step* steps, std::size_t count, const double* theta, double* values);

/// For T alone, with steps of either form. InputError unless `lanes` is 1, 2, 4, 8 or 16.
template <class Step = SweepPlan::Step>
SweepKernel<Step>* runtime_kernel(int lanes, Unit unit);

/// For T and its slope on one side. InputError as above.
template <class Step = SweepPlan::Step>
SweepKernel<Step>* tangent_kernel(int lanes, Side side, Unit unit);

}  // namespace latitude::solve
