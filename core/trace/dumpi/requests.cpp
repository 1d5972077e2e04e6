#include "core/trace/dumpi/requests.hpp"

#include <span>
#include <utility>

#include "core/trace/event_args.hpp"

namespace latitude::trace::dumpi {
namespace {

/// Whether one handle may be used for this operation and for others at the same time: a
/// non-blocking send, or a receive from MPI_PROC_NULL. The number of MPI_PROC_NULL may also mean
/// MPI_ANY_SOURCE.
bool ends_where_posted(const Event& event) {
  return class_of(event.call) == CallClass::isend || event.peer < 0;
}

}  // namespace

std::optional<Message> received(const Message& asked, const Status* status) {
  if (status == nullptr) return std::nullopt;
  const bool empty = status->bytes == 0 && status->source == 0 && status->tag == 0;
  if (asked.peer == kAnySource && empty) return std::nullopt;
  if (status->source < 0) return Message{kProcNull, 0, asked.bytes};
  return Message{asked.peer == kAnySource ? status->source : asked.peer,
                 asked.tag == kAnyTag ? status->tag : asked.tag, asked.bytes};
}

bool Requests::post(std::int32_t number, const Event& event) {
  Request& request = requests_[number];
  const std::vector<Event>& events = log_.trace.events;
  if (request.is_active()) {
    const std::uint32_t before = request.active.back();
    if (before != kNoCall && !(ends_where_posted(event) && ends_where_posted(events[before]))) {
      return false;
    }
  } else {
    request.active.clear();
    request.done = 0;
  }
  request.described = kNothing;
  request.active.push_back(static_cast<std::uint32_t>(events.size()));
  return true;
}

void Requests::post_nothing(std::int32_t number) { requests_[number].active.push_back(kNoCall); }

void Requests::describe(std::int32_t number, std::uint32_t event) {
  requests_[number] = Request{.active = {}, .described = event};
}

bool Requests::start(const std::vector<std::int32_t>& numbers, std::uint32_t event, Event& start) {
  std::vector<std::uint32_t> made;
  for (const std::int32_t number : numbers) {
    Request& request = requests_[number];
    if (request.described == kNothing || request.is_active()) return false;
    request.active.assign(1, request.described);
    request.done = 0;
    request.start = event;
    request.slot = static_cast<std::uint32_t>(made.size());
    made.push_back(request.described);
  }
  set_requests(log_.trace, start, made);
  return true;
}

void Requests::free(std::int32_t number, Event& event) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) {
    event.flags |= kUnrecorded;
    return;
  }
  Request& request = found->second;
  const std::uint32_t made =
      request.is_active() ? request.active[request.done++] : request.described;
  if (made != kNothing && made != kNoCall) {
    set_requests(log_.trace, event, std::span(&made, 1));
  }
  if (request.described != kNothing || !request.is_active()) requests_.erase(found);
}

void Requests::cancel(std::int32_t number) {
  const auto found = requests_.find(number);
  if (found != requests_.end()) found->second.cancelled = true;
}

bool Requests::complete(std::int32_t number, const Status* status,
                        std::vector<std::uint32_t>& completed) {
  if (number == kNull) return true;
  const auto found = requests_.find(number);
  if (found == requests_.end()) return false;
  Request& request = found->second;
  if (!request.is_active()) return request.described != kNothing;
  const std::uint32_t made = request.active[request.done++];
  if (made == kNoCall) return true;
  apply(request, made, status);
  completed.push_back(made);
  return true;
}

/// Applies the information in a status about a receive, or about a cancelled operation.
void Requests::apply(Request& request, std::uint32_t made, const Status* status) {
  Event& event = log_.trace.events[made];
  const bool persistent = request.described != kNothing;
  const auto settle = [&](std::int32_t peer, std::int32_t tag) {
    if (persistent) {
      resolve_started(log_.trace, log_.trace.events[request.start], request.slot, peer, tag);
    } else {
      set_message(event, {peer, tag, event.bytes});
    }
  };
  if (std::exchange(request.cancelled, false)) {
    if (status == nullptr) {
      event.flags |= kUnsupported;  // unknown whether it was cancelled
    } else if (status->cancelled) {
      return settle(kProcNull, 0);
    }
  }
  const Message asked = message_of(event);
  const bool wild = asked.peer == kAnySource || asked.tag == kAnyTag;
  if (!receives(event.call) || !wild || asked.peer == kProcNull) return;
  const std::optional<Message> got = received(asked, status);
  if (got) {
    log_.wildcards += got->peer == kProcNull ? 0 : 1;
    settle(got->peer, got->tag);
  } else if (asked.peer == kAnySource) {
    log_.from_minus_one.push_back({.event = persistent ? request.start : made,
                                   .slot = persistent ? request.slot : kNothing,
                                   .has_status = status != nullptr});
  }
}

}  // namespace latitude::trace::dumpi
