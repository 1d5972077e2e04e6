#pragma once

#include <vector>

#include "core/solve/affine_dag.hpp"

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
/// Divide and prune: D_e(θ), the longest path through edge e, is convex, so over [a, b] its chord
/// bounds it from above; the tangents of T at a and b bound T from below. Where the chord is under
/// the tangents at their intersection, e is never critical inside (a, b) and leaves the graph.
/// Each task evaluates 8 values of θ in one pass, then goes on with a smaller graph between each
/// pair of neighbours that differ in slope by more than one step. `threads` = 0: one a core.
std::vector<Breakpoint> breakpoints(const AffineDag& dag, double low, double high,
                                    unsigned threads = 0);

}  // namespace latitude::solve
