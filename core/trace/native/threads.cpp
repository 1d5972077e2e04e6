#include "core/trace/native/threads.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/release.hpp"

namespace latitude::trace::native {
namespace {

template <class T>
void permute(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::uint32_t from : order) sorted.push_back(values[from]);
  values = std::move(sorted);
}

/// RankLog::order for an event, by the adjusted clock.
std::int64_t instant(const Event& event) {
  return class_of(event.call) == CallClass::completion ? event.leave_ns : event.enter_ns;
}

/// Shifts each thread's adjusted clock to the clock of the first event's thread.
void align(const std::vector<std::uint64_t>& when, RankTrace& trace) {
  std::map<std::uint16_t, std::int64_t> shift{{trace.threads.front(), 0}};
  std::size_t before = 0;  // latest event of the first thread
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    Event& event = trace.events[i];
    const std::uint16_t thread = trace.threads[i];
    if (thread == trace.threads.front()) {
      before = i;
    } else if (!shift.contains(thread)) {
      const auto since = static_cast<std::int64_t>(when[i] - when[before]);
      shift[thread] = instant(trace.events[before]) + since - instant(event);
    }
    event.enter_ns += shift[thread];
    event.leave_ns += shift[thread];
  }
}

}  // namespace

void merge_threads(RankLog& log) {
  if (log.order.empty()) return;
  std::vector<std::uint16_t>& threads = log.trace.threads;
  threads.reserve(log.trace.events.size());
  for (std::size_t run = 0; run < log.runs.size(); ++run) {
    const std::size_t end =
        run + 1 < log.runs.size() ? log.runs[run + 1].begin : log.trace.events.size();
    threads.resize(end, log.runs[run].thread);
  }
  std::vector<std::uint32_t> order(log.trace.events.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return log.order[i]; });
  permute(log.trace.events, order);
  permute(log.trace.sites, order);
  permute(log.order, order);
  permute(threads, order);
  if (!log.as_recorded) align(log.order, log.trace);
  release(log.order);
  if (std::ranges::all_of(threads, [&](std::uint16_t t) { return t == threads.front(); })) {
    release(threads);
  }
}

}  // namespace latitude::trace::native
