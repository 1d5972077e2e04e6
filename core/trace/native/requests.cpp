#include "core/trace/native/requests.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/error.hpp"
#include "core/release.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/native/receive.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Resolver {
 public:
  explicit Resolver(RankLog& log) : log_(log), events_(log.trace.events) {}

  void run() {
    for (current_ = 0; current_ < events_.size(); ++current_) step();
  }

 private:
  /// A request that exists.
  struct Request {
    std::uint32_t event;          ///< that made it
    std::uint32_t start = kNone;  ///< persistent: the call that started it last
    std::uint32_t slot = 0;       ///< persistent: its place in that call
    bool persistent = false;
    bool active = true;
  };

  Event& event() { return events_[current_]; }
  [[noreturn]] void refuse(const std::string& text) const {
    throw InputError(where(log_.trace, events_[current_]) + " " + text +
                     "; the file is damaged, trace the program again");
  }

  void step() {
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

  void make() {
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
    if (!live_.try_emplace(number, request).second) {
      refuse("makes request " + std::to_string(number) + ", which exists already");
    }
  }

  std::unordered_map<std::uint64_t, Request>::iterator find(std::int64_t number, const char* does) {
    const auto found = live_.find(static_cast<std::uint64_t>(number));
    if (found == live_.end()) {
      refuse(std::string(does) + " request " + std::to_string(number) + ", which does not exist");
    }
    return found;
  }

  void start() {
    const std::span<std::int64_t> numbers = request_values(log_.trace, event());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t number = numbers[i];
      Request& request = find(number, "starts")->second;
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

  void ready() {
    for (std::int64_t& number : request_values(log_.trace, event())) {
      const Request& request = find(number, "readies")->second;
      if (!request.active || events_[request.event].call != Call::Psend_init) {
        refuse("marks partitions of request " + std::to_string(number) +
               " ready, which is no active partitioned send");
      }
      number = request.event;
    }
  }

  void complete() {
    const std::size_t count = request_values(log_.trace, event()).size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t number = request_values(log_.trace, event())[i];
      const auto found = find(number, "completes");
      Request& request = found->second;
      if (!request.active) {
        refuse("completes request " + std::to_string(number) + ", which is not active");
      }
      report(request, request_values_at(event()) + i);  // may move the values
      request_values(log_.trace, event())[i] = request.event;
      request.active = false;
      if (!request.persistent) live_.erase(found);
    }
  }

  void free() {
    for (std::int64_t& number : request_values(log_.trace, event())) {
      const auto found = find(number, "frees");
      number = found->second.event;
      live_.erase(found);
    }
  }

  /// What a completion says about its request, whose number stands at `at` in RankTrace::args.
  void report(const Request& request, std::size_t at) {
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
    const auto size = static_cast<std::int32_t>(log_.comms[made.comm].group.size);
    switch (settle(*said, size, message)) {
      case Settled::contradicts:
        refuse("completes the receive of record " + std::to_string(made.position) +
               " with what that had not asked for");
      case Settled::resolved:
        ++log_.wildcards;
        break;
      case Settled::as_asked:
        if (message.peer == asked().peer) return;  // not even cancelled
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

  RankLog& log_;
  std::vector<Event>& events_;
  std::unordered_map<std::uint64_t, Request> live_;
  /// Partitioned messages so far, by communicator, peer, tag, and whether they are received.
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t, bool>, std::uint32_t> partitioned_;
  std::size_t current_ = 0;
};

}  // namespace

void resolve_requests(RankLog& log) {
  Resolver(log).run();
  release(log.requests);
  release(log.received);
}

}  // namespace latitude::trace::native
