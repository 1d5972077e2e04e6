#include "core/trace/native/common_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace latitude::trace::native {
namespace {

constexpr double kMostLeftOut =
    0.01;  ///< largest share of a rank's time that its clock may leave out
constexpr double kMostDrift =
    1e-3;  ///< largest drift of a working clock; crystals are 20 times better

/// The line through the first and the last measurement.
CommonClock line_through(const ClockPoint& first, const ClockPoint& last) {
  const auto more = static_cast<double>(last.offset_ns - first.offset_ns);
  return {first.own_ns, first.offset_ns, more / static_cast<double>(last.own_ns - first.own_ns),
          std::max(first.error_ns, last.error_ns)};
}

bool on_several_hosts(const std::vector<RankLog>& logs) {
  return std::ranges::any_of(
      logs, [&](const RankLog& log) { return log.meta.host != logs.front().meta.host; });
}

/// The reason for which the hosts' clocks are not comparable, or none; sets RankTrace::common.
std::string compare_clocks(std::vector<RankLog>& logs) {
  for (std::size_t r = 0; r < logs.size(); ++r) {
    const std::vector<ClockPoint>& points = logs[r].clocks;
    const std::string rank = "rank " + std::to_string(r);
    const std::string where = rank + " ran on " + logs[r].meta.host;
    if (points.empty()) {
      return where +
             ", and its clock was not compared with others'; trace again with this latitude";
    }
    if (points.size() == 1) {
      return where +
             ", and its clock was compared with others' at its start only, since it never came to "
             "MPI_Finalize";
    }
    const CommonClock line = line_through(points.front(), points.back());
    if (std::abs(line.drift) > kMostDrift) {
      return "the clock of " + rank + " was set while it ran; trace again";
    }
    logs[r].trace.common = line;
  }
  return {};
}

}  // namespace

std::string find_common_clock(std::vector<RankLog>& logs) {
  for (std::size_t r = 0; r < logs.size(); ++r) {
    if (logs[r].meta.host.empty()) {
      return "it does not say which host rank " + std::to_string(r) + " ran on";
    }
  }
  if (on_several_hosts(logs)) {
    if (std::string reason = compare_clocks(logs); !reason.empty()) return reason;
  }
  if (std::ranges::any_of(logs, &RankLog::cpu_clock)) {
    return "its computation is measured by CPU time; read it with --clock wall";
  }
  for (const RankLog& log : logs) {
    if (!log.trace.wall) continue;
    const auto whole = static_cast<double>(log.trace.wall->end_ns - log.trace.wall->begin_ns);
    if (static_cast<double>(log.left_out_ns) > kMostLeftOut * whole) {
      return "its computation is measured without waiting for a core; read it with --clock wall";
    }
  }
  std::int64_t latest_begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t earliest_end = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < logs.size(); ++r) {
    const RankLog& log = logs[r];
    const std::string rank = "rank " + std::to_string(r);
    const std::vector<Event>& events = log.trace.events;
    if (events.empty()) return "nothing was recorded of " + rank;
    const CommonClock& common = log.trace.common;
    latest_begin = std::max(latest_begin, common.at(events.front().leave_ns));
    if (log.ending == Ending::finalized) {  // other ranks may have continued
      earliest_end = std::min(earliest_end, common.at(events.back().leave_ns));
    }
    if (latest_begin > earliest_end) {
      return "the clock of " + rank +
             " is another one: by it the rank did not run together with those before it";
    }
  }
  return {};
}

bool one_wall_clock(const std::vector<RankLog>& logs) {
  const bool several = on_several_hosts(logs);
  std::int64_t latest_begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t earliest_end = std::numeric_limits<std::int64_t>::max();
  for (const RankLog& log : logs) {
    if (!log.trace.wall || log.meta.host.empty()) return false;
    if (several && log.clocks.size() < 2) return false;
    const CommonClock& common = log.trace.common;
    latest_begin = std::max(latest_begin, common.at(log.trace.wall->begin_ns));
    earliest_end = std::min(earliest_end, common.at(log.trace.wall->end_ns));
  }
  return latest_begin <= earliest_end;
}

}  // namespace latitude::trace::native
