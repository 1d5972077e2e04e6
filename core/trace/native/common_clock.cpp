#include "core/trace/native/common_clock.hpp"

#include <algorithm>

namespace latitude::trace::native {

std::string no_common_clock(const std::vector<RankLog>& logs) {
  if (std::ranges::any_of(logs, &RankLog::cpu_clock)) {
    return "its computation is measured by CPU time; read it with --clock wall";
  }
  const std::string& host = logs.front().meta.host;
  if (host.empty()) return "it does not say which hosts its ranks ran on";
  std::int64_t latest_begin = 0;
  std::int64_t earliest_end = 0;
  for (std::size_t rank = 0; rank < logs.size(); ++rank) {
    const std::string& other = logs[rank].meta.host;
    if (other != host) {
      return "rank " + std::to_string(rank) + " ran on " + other + ", rank 0 on " + host +
             ", and each host has a clock of its own; trace on one host";
    }
    const std::vector<Event>& events = logs[rank].trace.events;
    if (events.empty()) continue;
    const std::int64_t begin = events.front().leave_ns;
    const std::int64_t end = events.back().leave_ns;
    latest_begin = rank == 0 ? begin : std::max(latest_begin, begin);
    earliest_end = rank == 0 ? end : std::min(earliest_end, end);
    if (latest_begin > earliest_end) {
      return "the clock of rank " + std::to_string(rank) +
             " is another one: by it the rank did not run together with those before it";
    }
  }
  return {};
}

}  // namespace latitude::trace::native
