#include "core/trace/infer/lost.hpp"

#include <algorithm>
#include <utility>

#include "core/trace/event_args.hpp"

namespace latitude::trace::infer {

namespace {

/// Whether the request is persistent. Copies of such a request name the same operation, so the
/// event that uses its address again ends their use.
bool restarts(const LostRequest& request) { return request.posted != request.since; }

}  // namespace

std::vector<std::uint32_t> calls_over_copies(
    std::span<const LostRequest> lost, std::span<const FreePlaces> places,
    const std::function<bool(const RequestLog::ArrayCall&)>& posted_into) {
  std::vector<std::uint32_t> calls(lost.size(), kNoCall);
  std::size_t first = 0;  // the first request that no call before may have completed
  std::size_t end = 0;    // the first request that is not active yet
  for (const FreePlaces& free : places) {
    while (end < lost.size() && lost[end].since < free.event) ++end;
    if (first == end) continue;
    const bool decided = free.all && free.count == end - first && !posted_into(free.array) &&
                         std::ranges::none_of(lost.subspan(first, end - first), [&](auto& each) {
                           return restarts(each) && each.until < free.event;
                         });
    for (; first < end; ++first) calls[first] = decided ? free.event : kOneOfSeveral;
  }
  return calls;
}

namespace {

bool has_requests(CallClass kind) {
  return kind == CallClass::start || kind == CallClass::completion ||
         kind == CallClass::request_free;
}

/// A test before `next` that may have completed the requests.
Event test_before(RankTrace& rank, const Event& next, std::span<const LostRequest> active,
                  std::uint32_t next_id, std::span<const std::uint32_t> renumbered) {
  Event test;
  test.enter_ns = test.leave_ns = next.enter_ns;
  test.position = next.position;
  test.call = Call::Testsome;
  std::vector<std::uint32_t> posted;
  for (const LostRequest& each : active) posted.push_back(renumbered[each.posted]);
  set_open_requests(rank, test, posted);
  for (std::size_t slot = 0; slot < active.size(); ++slot) {
    if (active[slot].until == next_id) set_completed_by_then(rank, test, slot);
  }
  return test;
}

}  // namespace

void add_tests(RankTrace& rank, std::span<const LostRequest> lost) {
  if (lost.empty()) return;
  const std::vector<Event> events = std::exchange(rank.events, {});
  std::vector<std::uint32_t> renumbered(events.size());
  std::vector<LostRequest> active;
  rank.events.reserve(events.size());
  for (std::uint32_t id = 0; id < events.size(); ++id) {
    if (!active.empty()) {
      rank.events.push_back(test_before(rank, events[id], active, id, renumbered));
    }
    std::erase_if(active, [&](const LostRequest& each) { return each.until == id; });
    for (; !lost.empty() && lost.front().since == id; lost = lost.subspan(1)) {
      active.push_back(lost.front());
    }
    renumbered[id] = static_cast<std::uint32_t>(rank.events.size());
    rank.events.push_back(events[id]);
    if (!has_requests(class_of(events[id].call))) continue;
    for (std::int64_t& request : request_values(rank, events[id])) {
      request = renumbered[static_cast<std::size_t>(request)];
    }
  }
}

}  // namespace latitude::trace::infer
