#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/program_clock.hpp"

// The common part of other tracers' formats, which record the beginning and end of each call.

namespace latitude::trace {

/// A rank's events while they are put together, by the program's time.
class ProgramEvents {
 public:
  /// `out`: intervals in which the tracer did its own work, or was off.
  ProgramEvents(std::vector<Interval> out, RankTrace& rank) : clock_(std::move(out)), rank_(rank) {}

  /// The program's time begins now, at `at_ns`.
  void begin(std::int64_t ns, std::int64_t at_ns = 0) { clock_.begin(ns, at_ns); }
  /// The program computed until now.
  std::int64_t compute_until(std::int64_t ns) { return clock_.compute_until(ns); }
  /// Passes a call that takes no time of its own.
  void pass(std::int64_t enter_ns, std::int64_t leave_ns) {
    clock_.compute_until(enter_ns);
    clock_.skip_until(leave_ns);
  }
  /// Gives the event its times.
  Event timed(Event event, std::int64_t enter_ns, std::int64_t leave_ns) {
    event.enter_ns = clock_.compute_until(enter_ns);
    event.leave_ns = clock_.call_until(leave_ns);
    return event;
  }
  /// Adds an event, and returns its index.
  std::uint32_t add(const Event& event) {
    rank_.events.push_back(event);
    return static_cast<std::uint32_t>(rank_.events.size() - 1);
  }
  /// The tracer's part of the computation.
  std::int64_t left_out_ns() const { return clock_.left_out_ns(); }

 private:
  ProgramClock clock_;
  RankTrace& rank_;
};

/// Counts a rank's calls by name.
void count_calls(std::span<const std::string_view> names, RankTrace& rank);

/// The call sites of a format that records them.
class NamedSites {
 public:
  explicit NamedSites(Trace& trace) : trace_(trace) {}
  /// The site with this caller (or kNoSite); a new site is added to the trace.
  std::uint32_t of(const Frame& frame, std::uint32_t caller);

 private:
  Trace& trace_;
  std::map<Frame, std::uint64_t> frames_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> sites_;  ///< by frame and caller
};

/// A communicator by the file's number, and its members.
using NumberedGroup = std::pair<std::uint64_t, Members>;

/// Adds the world, whether the file has it or not, and the file's communicators; the world is the
/// first one with all ranks in their order. Returns their indices by the file's numbers.
std::map<std::uint64_t, std::uint32_t> add_communicators(std::span<const NumberedGroup> groups,
                                                         std::size_t ranks, Trace& trace);

/// Warns about the tracer's part of the computation, for the rank with the largest part; no warning
/// without any.
void warn_of_tracer(std::int64_t most_ns, Trace& trace);

}  // namespace latitude::trace
