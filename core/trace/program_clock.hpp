#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace latitude::trace {

struct Interval {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// The intervals in order, none touching another.
inline std::vector<Interval> apart(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::begin_ns);
  std::vector<Interval> merged;
  for (const Interval& interval : intervals) {
    if (!merged.empty() && interval.begin_ns <= merged.back().end_ns) {
      merged.back().end_ns = std::max(merged.back().end_ns, interval.end_ns);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

/// A rank's time in its events, computed from a trace's times in order: it advances during
/// computation and calls, but not during excluded intervals. It begins at 0 with the first time of
/// the trace.
class ProgramClock {
 public:
  /// `out`: intervals in which the tracer did its own work, or was off.
  explicit ProgramClock(std::vector<Interval> out) : out_(apart(std::move(out))) {}

  /// The program's time begins now, at `at_ns`.
  void begin(std::int64_t ns, std::int64_t at_ns = 0) {
    last_ns_ = ns;
    now_ns_ = at_ns;
  }
  /// The program computed until now, except during the tracer's work.
  std::int64_t compute_until(std::int64_t ns) {
    std::int64_t computed = ns - last_ns_;
    while (at_ < out_.size() && out_[at_].end_ns <= last_ns_) ++at_;
    for (std::size_t i = at_; i < out_.size() && out_[i].begin_ns < ns; ++i) {
      const std::int64_t out = std::min(ns, out_[i].end_ns) - std::max(last_ns_, out_[i].begin_ns);
      computed -= out;
      left_out_ns_ += out;
    }
    last_ns_ = ns;
    return now_ns_ += computed;
  }
  /// The program was in a call until now.
  std::int64_t call_until(std::int64_t ns) {
    now_ns_ += ns - last_ns_;
    last_ns_ = ns;
    return now_ns_;
  }
  /// The time until now does not count.
  void skip_until(std::int64_t ns) { last_ns_ = ns; }
  /// The tracer's part of the computation.
  std::int64_t left_out_ns() const { return left_out_ns_; }

 private:
  std::vector<Interval> out_;
  std::size_t at_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t now_ns_ = 0;
  std::int64_t left_out_ns_ = 0;
};

}  // namespace latitude::trace
