#include "core/trace/native/common_clock.hpp"

#include <algorithm>
#include <limits>

namespace latitude::trace::native {

std::string no_common_clock(const std::vector<RankLog>& logs) {
  if (std::ranges::any_of(logs, &RankLog::cpu_clock)) {
    return "its computation is measured by CPU time; read it with --clock wall";
  }
  const std::string& host = logs.front().meta.host;
  std::int64_t latest_begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t earliest_end = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < logs.size(); ++r) {
    const RankLog& log = logs[r];
    const std::string rank = "rank " + std::to_string(r);
    if (log.meta.host.empty()) return "it does not say which host " + rank + " ran on";
    if (log.meta.host != host) {
      return rank + " ran on " + log.meta.host + ", rank 0 on " + host +
             ", and each host has a clock of its own; trace on one host";
    }
    const std::vector<Event>& events = log.trace.events;
    if (events.empty()) return "nothing was recorded of " + rank;
    latest_begin = std::max(latest_begin, events.front().leave_ns);
    if (log.ending == Ending::finalized) {  // others may have gone on
      earliest_end = std::min(earliest_end, events.back().leave_ns);
    }
    if (latest_begin > earliest_end) {
      return "the clock of " + rank +
             " is another one: by it the rank did not run together with those before it";
    }
  }
  return {};
}

bool one_wall_clock(const std::vector<RankLog>& logs) {
  std::int64_t latest_begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t earliest_end = std::numeric_limits<std::int64_t>::max();
  for (const RankLog& log : logs) {
    if (!log.trace.wall || log.meta.host.empty() || log.meta.host != logs.front().meta.host) {
      return false;
    }
    latest_begin = std::max(latest_begin, log.trace.wall->begin_ns);
    earliest_end = std::min(earliest_end, log.trace.wall->end_ns);
  }
  return latest_begin <= earliest_end;
}

}  // namespace latitude::trace::native
