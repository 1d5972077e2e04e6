#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
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

/// What to find out about T over an interval of θ.
struct CurveSearch {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  /// Breakpoints to list, from the interval's lower end upwards.
  std::size_t most = kAll;
  /// Beyond these T is known within this share of it.
  double within = 1e-4;
  /// Of a graph in memory; 0: one a core. What is found does not depend on it.
  unsigned threads = 0;
  /// Told which share of the list is there, after each round of passes; 1: only what is beyond it
  /// is left to do.
  std::function<void(double)> progress{};

  /// No search takes more passes over the graph, unless it is for all breakpoints.
  std::size_t sweeps_at_most() const noexcept;
};

/// T over an interval, as its lower end and these tell.
struct CurveFound {
  /// In order. No other is in the interval up to the last of them, nor, where `beyond` is empty,
  /// after it.
  std::vector<Breakpoint> breakpoints;
  /// In order, from the last breakpoint to the interval's upper end: T is at least what each says,
  /// and at most what the line from one to the next says. Empty where all breakpoints are listed.
  std::vector<Tangent> beyond;
  /// By which share of T these two differ at most.
  double bound = 0;
  /// Passes over the graph that this took.
  std::size_t sweeps = 0;
};

/// T at each θ with its slope: towards lower θ at the first `left` of them, towards higher θ at the
/// others. What the search asks for at once does not depend on what has been answered at once, so
/// that it may be answered by any passes.
using TangentsAt =
    std::function<std::vector<Tangent>(std::span<const double> theta, std::size_t left)>;

/// The first breakpoints of T in (low, high), and T itself beyond them within a share.
///
/// Tangent intersection ([Eisner76]), many at a time: where the tangents of two neighbouring points
/// meet on T, there is the one breakpoint between them; where they meet below T, the tangent there
/// splits the interval in two. About two evaluations a breakpoint, 16 of which share a pass over
/// the graph. The lowest intervals go first, and a list that ends early has the bits of the
/// complete one. Beyond it an interval is split as long as the line between its ends is too far
/// above the tangents at them, as a convex T lies between (sandwich algorithm, [Rote92]): n points
/// leave a distance of order 1 / n², however many breakpoints there are. Where passes are not
/// enough for all of these, those come first in which line and tangents part most.
/// InputError: the interval is none, or `most` is 0.
CurveFound curve_of(const TangentsAt& tangents, double low, double high,
                    const CurveSearch& search = {});
/// The same by sweeps over a graph in memory.
CurveFound curve_of(const SweepPlan& plan, double low, double high, const CurveSearch& search = {});

}  // namespace latitude::solve
