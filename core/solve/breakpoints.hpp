#pragma once

#include <vector>

#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// Where the slope of T changes: a critical latency when θ is L ([S] §II.B).
struct Breakpoint {
  double theta;
  double value;  ///< T there
  double left;   ///< slope on either side
  double right;
};

/// All breakpoints of T in (low, high), in order.
///
/// Tangent intersection (Eisner and Severance 1976), many at a time: where the tangents of two
/// neighbouring points meet on T, there is the one breakpoint between them; where they meet below
/// T, the tangent there splits the interval in two. About two evaluations a breakpoint, 16 of
/// which share a pass over the graph. `threads` = 0: one a core.
std::vector<Breakpoint> breakpoints(const SweepPlan& plan, double low, double high,
                                    unsigned threads = 0);

}  // namespace latitude::solve
