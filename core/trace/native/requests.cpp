#include "core/trace/native/requests.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/error.hpp"
#include "core/trace/native/receive.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Resolver {
 public:
  explicit Resolver(RankLog& log) : log_(log), events_(log.trace.events), args_(log.trace.args) {}

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
      case CallClass::persistent:
      case CallClass::icollective:
        return make();
      case CallClass::start:
        return start();
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
    e.args = kind == CallClass::icollective ? static_cast<std::uint32_t>(log_.requests[e.args + 1])
                                            : kNoArgs;
    Request request{static_cast<std::uint32_t>(current_)};
    request.persistent = kind == CallClass::persistent;
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
    const std::uint32_t args = event().args;
    const auto count = static_cast<std::size_t>(args_[args]);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t number = args_[args + 1 + i];
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
      args_[args + 1 + i] = request.event;
    }
  }

  void complete() {
    if (event().args == kNoArgs) return;
    const std::size_t args = event().args;
    const auto count = static_cast<std::size_t>(args_[args]);
    for (std::size_t at = args + 1; at <= args + count; ++at) {
      const auto found = find(args_[at], "completes");
      Request& request = found->second;
      if (!request.active) {
        refuse("completes request " + std::to_string(args_[at]) + ", which is not active");
      }
      report(request, at);
      args_[at] = request.event;
      request.active = false;
      if (!request.persistent) live_.erase(found);
    }
  }

  void free() {
    const std::size_t args = event().args;
    const auto count = static_cast<std::size_t>(args_[args]);
    for (std::size_t at = args + 1; at <= args + count; ++at) {
      const auto found = find(args_[at], "frees");
      args_[at] = found->second.event;
      live_.erase(found);
    }
  }

  /// What the completion at args_[at] says about its request.
  void report(const Request& request, std::size_t at) {
    const auto said = std::ranges::lower_bound(log_.received, at, {}, &Received::at);
    if (said == log_.received.end() || said->at != at) return;
    Event& made = events_[request.event];
    if ((made.flags & kUnsupported) != 0) return;
    const CallClass kind = class_of(made.call);
    const bool receives = kind == CallClass::irecv || made.call == Call::Recv_init;
    if (!receives && (said->how != Received::How::cancelled || kind == CallClass::icollective)) {
      return;
    }
    std::int32_t peer = made.peer;
    std::int32_t tag = made.tag;
    const auto size = static_cast<std::int32_t>(log_.comms[made.comm].group.size);
    switch (settle(*said, size, peer, tag)) {
      case Settled::contradicts:
        refuse("completes the receive of record " + std::to_string(made.position) +
               " with what that had not asked for");
      case Settled::resolved:
        ++log_.wildcards;
        break;
      case Settled::as_asked:
        if (peer == made.peer) return;  // not even cancelled
    }
    if (!request.persistent) {
      made.peer = peer;
      made.tag = tag;
      return;
    }
    const auto pairs = resolved_pairs(log_.trace, events_[request.start]);
    pairs[2 * std::size_t{request.slot}] = peer;
    pairs[2 * std::size_t{request.slot} + 1] = tag;
  }

  RankLog& log_;
  std::vector<Event>& events_;
  std::vector<std::int64_t>& args_;
  std::unordered_map<std::uint64_t, Request> live_;
  std::size_t current_ = 0;
};

}  // namespace

void resolve_requests(RankLog& log) {
  Resolver(log).run();
  log.requests = {};
  log.received = {};
}

}  // namespace latitude::trace::native
