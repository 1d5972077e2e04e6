#include "core/trace/infer/lost.hpp"

#include <algorithm>
#include <utility>

#include "core/trace/event_args.hpp"

namespace latitude::trace::infer {

namespace {

bool waits_for_all(Call call, std::uint32_t places) {
  if (call == Call::Wait || call == Call::Waitall) return true;
  return places == 1 && (call == Call::Waitany || call == Call::Waitsome);
}

/// Whether the program used a persistent request again before the event. Copies name the same
/// request, which must complete before its next start.
bool had_completed(const LostRequest& request, std::uint32_t event) {
  return request.posted != request.since && request.until < event;
}

}  // namespace

void LostRequests::add_free_place(std::uint32_t event, Call call, bool posted_there) {
  places_.push_back({event, 1, !posted_there && waits_for_all(call, 1), {}});
}

void LostRequests::add_free_places(std::uint32_t event, Call call,
                                   const RequestLog::ArrayCall& array, std::size_t active) {
  if (active >= array.count) return;
  const std::uint32_t count = array.count - static_cast<std::uint32_t>(active);
  places_.push_back({event, count, active == 0 && waits_for_all(call, count), array});
}

std::span<const LostRequest> LostRequests::in_order() {
  std::ranges::sort(requests_, {}, &LostRequest::since);
  return requests_;
}

std::vector<std::uint32_t> LostRequests::completing_calls(const PostedInto& posted_into) const {
  std::vector<std::uint32_t> calls(requests_.size(), kNoCall);
  std::size_t first = 0;  // the first request that no earlier call may have completed
  std::size_t end = 0;    // the first request that is not active yet
  for (const FreePlaces& free : places_) {
    while (end < requests_.size() && requests_[end].since < free.event) ++end;
    if (first == end) continue;
    const auto before = std::span(requests_).subspan(first, end - first);
    const bool decided = free.all && free.count == before.size() && !posted_into(free.array) &&
                         std::ranges::none_of(before, [&](const LostRequest& each) {
                           return had_completed(each, free.event);
                         });
    for (; first < end; ++first) calls[first] = decided ? free.event : kUndecided;
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
