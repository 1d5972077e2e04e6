#include "core/trace/native/warnings.hpp"

#include <algorithm>
#include <string>

#include "core/trace/warnings.hpp"

namespace latitude::trace::native {
namespace {

bool crowded(const RankLog& log) {
  return log.meta.cores > 0 && log.meta.ranks_on_host > log.meta.cores;
}

void warn_of_clock(const std::vector<RankLog>& logs, Trace& trace) {
  const auto by_cpu = std::ranges::count_if(logs, &RankLog::cpu_clock);
  const auto worst = std::ranges::find_if(logs, crowded);
  std::string why;
  if (worst != logs.end()) {
    why = ": " + std::to_string(worst->meta.ranks_on_host) + " ranks shared " +
          std::to_string(worst->meta.cores) + " cores" +
          (worst->meta.host.empty() ? "" : " of " + worst->meta.host);
  }
  if (by_cpu > 0) {
    trace.warnings.push_back(cpu_clock(static_cast<std::uint64_t>(by_cpu), logs.size(), why));
  }
  const bool wall_crowded =
      std::ranges::any_of(logs, [](const RankLog& log) { return crowded(log) && !log.cpu_clock; });
  if (wall_crowded) {
    trace.warnings.push_back(
        {"wall-clock-crowded", "computation is measured by the wall clock" + why +
                                   ", so it holds the time other ranks had the core"});
  }
}

void warn_of_wildcards(const std::vector<RankLog>& logs, Trace& trace) {
  std::uint64_t count = 0;
  for (const RankLog& log : logs) count += log.wildcards;
  if (count != 0) trace.warnings.push_back(wildcard_matches(count));
}

}  // namespace

void add_warnings(const std::vector<RankLog>& logs, Trace& trace) {
  warn_of_clock(logs, trace);
  warn_of_wildcards(logs, trace);
}

}  // namespace latitude::trace::native
