#include "core/trace/native/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/trace/warnings.hpp"

namespace latitude::trace::native {
namespace {

constexpr double kNoisy = 0.05;  ///< share of the run without a core from which Latitude warns

bool crowded(const RankLog& log) {
  return log.meta.cores > 0 && log.meta.ranks_on_host > log.meta.cores;
}

bool waits_known(const RankLog& log) { return log.trace.cores && log.trace.cores->waited_ns; }

/// The share of the run in which the rank had no core; 0 if unknown.
double without_core(const RankLog& log) {
  const std::optional<CoreTimes>& cores = log.trace.cores;
  if (!cores || cores->wall_ns <= 0) return 0;
  return static_cast<double>(cores->kept_ns().value_or(0)) / static_cast<double>(cores->wall_ns);
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + "%"; }

/// Warns of a busy machine.
void warn_of_cores(const std::vector<RankLog>& logs, Trace& trace) {
  const auto worst = std::ranges::max_element(logs, {}, without_core);
  if (worst == logs.end() || without_core(*worst) < kNoisy) return;
  double sum = 0;
  for (const RankLog& log : logs) sum += without_core(log);
  const bool all_known = std::ranges::all_of(logs, waits_known);
  std::string text = "ranks were without a core for " +
                     percent(sum / static_cast<double>(logs.size())) + " of the run, rank " +
                     std::to_string(worst - logs.begin()) + " for " + percent(without_core(*worst));
  const auto shared = std::ranges::find_if(logs, crowded);
  text += shared == logs.end()
              ? ": other programs ran on their cores"
              : ": " + std::to_string(shared->meta.ranks_on_host) + " ranks shared " +
                    std::to_string(shared->meta.cores) + " cores";
  const bool left_out = all_known && std::ranges::all_of(logs, &RankLog::without_waits);
  text += left_out ? "; computation is measured without that time"
          : std::ranges::all_of(logs, &RankLog::cpu_clock) ? "; computation is CPU time"
                                                           : "; computation holds that time";
  trace.warnings.push_back({"without-core", text});
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
  const bool wall_crowded = std::ranges::any_of(logs, [](const RankLog& log) {
    return crowded(log) && !log.cpu_clock && !(log.without_waits && waits_known(log));
  });
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
  warn_of_cores(logs, trace);
  warn_of_wildcards(logs, trace);
}

}  // namespace latitude::trace::native
