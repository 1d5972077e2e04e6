#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {

/// A change of the slope of T: a critical latency if θ is L (Shen et al. 2024, §II.B).
struct Breakpoint {
  double theta;
  double value;  ///< T at theta
  double left;   ///< slope on either side
  double right;
};

/// The questions about T over an interval of θ.
struct CurveSearch {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  /// Number of breakpoints to list, from the interval's lower end upwards.
  std::size_t most = kAll;
  /// Beyond the list T is known within this share.
  double within = 1e-4;
  /// Threads for a graph in memory; 0: one per core. The results do not depend on it.
  unsigned threads = 0;
  /// Called after each round of passes with the finished share of the list; 1 means that only the
  /// part beyond the list is left.
  std::function<void(double)> progress{};

  /// No search takes more passes over the graph, unless it is for all breakpoints.
  std::size_t sweeps_at_most() const noexcept;
};

/// The result of a search: T over an interval.
struct CurveFound {
  /// Breakpoints in order of θ, without gaps up to the last one. If `beyond` is empty, the interval
  /// has no other breakpoints.
  std::vector<Breakpoint> breakpoints;
  /// Tangents in order of θ, from the last breakpoint to the interval's upper end. T is at least
  /// the value on each tangent, and at most the value on the line between neighbours. Empty if all
  /// breakpoints are listed.
  std::vector<Tangent> beyond;
  /// The largest distance of these two bounds, as a share of T.
  double bound = 0;
  /// Number of passes over the graph.
  std::size_t sweeps = 0;
};

/// T at each θ with its slope: towards lower θ for the first `left` of them, towards higher θ for
/// the others. The points that the search requests together do not depend on earlier grouping, so
/// any passes may give the answers.
using TangentsAt =
    std::function<std::vector<Tangent>(std::span<const double> theta, std::size_t left)>;

/// The first breakpoints of T in (low, high), and bounds of T beyond them.
///
/// The method is tangent intersection ([Eisner76]), many at a time. If the tangents of two
/// neighbouring points meet on T, the only breakpoint between the points is that intersection. If
/// they meet below T, the tangent at the intersection splits the interval in two. This takes about
/// two evaluations per breakpoint, and 16 evaluations share a pass over the graph. The lowest
/// intervals go first, so a list that ends early has the bits of the complete one. Beyond the list
/// an interval is split while the line between its ends is too far above the tangents at its ends:
/// a convex T lies between the line and the tangents (sandwich algorithm, [Rote92]). With n points
/// the distance is of order 1 / n², whatever the number of breakpoints. If the passes do not
/// suffice for all intervals, those with the largest distance between line and tangents come first.
///
/// InputError: the interval is empty, or `most` is 0.
CurveFound curve_of(const TangentsAt& tangents, double low, double high,
                    const CurveSearch& search = {});
/// The curve by sweeps over a graph in memory.
CurveFound curve_of(const SweepPlan& plan, double low, double high, const CurveSearch& search = {});

}  // namespace latitude::solve
