#include "core/trace/native/requests.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/release.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/native/receive.hpp"

namespace latitude::trace::native {

void Resolver::refuse(const std::string& text) const {
  throw InputError(where(log_.trace, events_[current_]) + " " + text +
                   "; the file is damaged, trace the program again");
}

void Resolver::step(std::size_t event_index) {
  current_ = event_index;
  completed_.clear();
  switch (class_of(event().call)) {
    case CallClass::isend:
    case CallClass::irecv:
    case CallClass::isendrecv:
    case CallClass::persistent:
    case CallClass::partitioned:
    case CallClass::icollective:
    case CallClass::collective_init:
      return make();
    case CallClass::start:
      return start();
    case CallClass::ready:
      return ready();
    case CallClass::completion:
      return complete();
    case CallClass::request_free:
      return free();
    default:
      return;
  }
}

void Resolver::make() {
  Event& e = event();
  const std::uint64_t number = log_.requests[e.args];
  const CallClass kind = class_of(e.call);
  e.args = static_cast<std::uint32_t>(log_.requests[e.args + 1]);
  Request request{static_cast<std::uint32_t>(current_)};
  request.persistent = kind == CallClass::persistent || kind == CallClass::partitioned ||
                       kind == CallClass::collective_init;
  if (kind == CallClass::partitioned && (e.flags & kUnsupported) == 0) {
    const Message message = message_of(e);
    const std::tuple key(e.comm, message.peer, message.tag, receives(e.call));
    set_partitioned_order(log_.trace, e, partitioned_[key]++);
  }
  request.active = !request.persistent;
  if (live_.contains(number)) {
    refuse("makes request " + std::to_string(number) + ", which exists already");
  }
  live_[number] = request;
}

Resolver::Request& Resolver::find(std::int64_t number, const char* does) {
  Request* const found = live_.find(static_cast<std::uint64_t>(number));
  if (found == nullptr) {
    refuse(std::string(does) + " request " + std::to_string(number) + ", which does not exist");
  }
  return *found;
}

void Resolver::start() {
  const std::span<std::int64_t> numbers = request_values(log_.trace, event());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    Request& request = find(number, "starts");
    if (!request.persistent) {
      refuse("starts request " + std::to_string(number) + ", which is not persistent");
    }
    if (request.active) {
      refuse("starts request " + std::to_string(number) + ", which is active");
    }
    request.active = true;
    request.start = static_cast<std::uint32_t>(current_);
    request.slot = static_cast<std::uint32_t>(i);
    numbers[i] = request.event;
  }
}

void Resolver::ready() {
  for (std::int64_t& number : request_values(log_.trace, event())) {
    const Request& request = find(number, "readies");
    if (!request.active || events_[request.event].call != Call::Psend_init) {
      refuse("marks partitions of request " + std::to_string(number) +
             " ready, which is no active partitioned send");
    }
    number = request.event;
  }
}

void Resolver::complete() {
  const std::size_t count = request_values(log_.trace, event()).size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t number = request_values(log_.trace, event())[i];
    Request& request = find(number, "completes");
    if (!request.active) {
      refuse("completes request " + std::to_string(number) + ", which is not active");
    }
    report(request, request_values_at(event()) + i);  // report() may move the values
    request_values(log_.trace, event())[i] = request.event;
    request.active = false;
    completed_.push_back({request.persistent ? request.start : request.event, !request.persistent});
    if (!request.persistent) live_.erase(static_cast<std::uint64_t>(number));
  }
}

void Resolver::free() {
  for (std::int64_t& number : request_values(log_.trace, event())) {
    const auto name = static_cast<std::uint64_t>(number);
    number = find(number, "frees").event;
    live_.erase(name);
  }
}

std::int32_t Resolver::size_of(std::uint32_t comm) const {
  return static_cast<std::int32_t>(communicators_ == nullptr
                                       ? log_.comms[comm].group.size
                                       : (*communicators_)[comm].group.size());
}

/// Applies a completion's record of its request, whose number is at `at` in RankTrace::args.
void Resolver::report(const Request& request, std::size_t at) {
  const auto said = std::ranges::lower_bound(log_.received, at, {}, &Received::at);
  if (said == log_.received.end() || said->at != at) return;
  Event& made = events_[request.event];
  if ((made.flags & kUnsupported) != 0) return;
  const CallClass kind = class_of(made.call);
  const bool both = kind == CallClass::isendrecv;
  const bool cancelled_send = said->how == Received::How::cancelled &&
                              (kind == CallClass::isend || kind == CallClass::persistent);
  if (!both && !receives(made.call) && !cancelled_send) return;
  const auto asked = [&] { return both ? received_by(log_.trace, made) : message_of(made); };
  Message message = asked();
  switch (settle(*said, size_of(made.comm), message)) {
    case Settled::contradicts:
      refuse("completes the receive of record " + std::to_string(made.position) +
             " with what that had not asked for");
    case Settled::resolved:
      ++log_.wildcards;
      break;
    case Settled::as_asked:
      if (message.peer == asked().peer) return;  // the receive was not even cancelled
  }
  if (handed_ != nullptr && (*handed_)[request.persistent ? request.start : request.event]) {
    const Message before = asked();
    if (message.peer == before.peer && message.tag == before.tag) return;
    throw NotInPiecesError(
        where(log_.trace, event()) + ": record " + std::to_string(made.position) +
        " was cancelled, which is known too late where a trace is read in pieces");
  }
  if (both) {
    set_received(log_.trace, made, message);
    return;
  }
  if (!request.persistent) {
    set_message(made, message);
    return;
  }
  resolve_started(log_.trace, events_[request.start], request.slot, message.peer, message.tag);
}

void resolve_requests(RankLog& log) {
  Resolver resolver(log);
  for (std::size_t event = 0; event < log.trace.events.size(); ++event) resolver.step(event);
  release(log.requests);
  release(log.received);
}

}  // namespace latitude::trace::native
