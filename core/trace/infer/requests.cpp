#include "core/trace/infer/requests.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "core/trace/event_args.hpp"
#include "core/trace/infer/fail.hpp"
#include "core/trace/infer/open_waits.hpp"
#include "core/trace/infer/pending.hpp"

namespace latitude::trace::infer {
namespace {

constexpr std::size_t kMostPolled = std::size_t{1} << 25;
constexpr std::string_view kAssume =
    ", and --assume wildcards=arrival has it complete what is done in a simulation";

bool is_send(Call posted) {
  const CallClass kind = class_of(posted);
  return kind == CallClass::isend || (kind == CallClass::persistent && !receives(posted));
}

class Resolver {
 public:
  Resolver(RankLog& log, RequestSize integer_size, bool leave_open)
      : events_(log.trace.events),
        log_(log),
        pending_(log.requests),
        integer_size_(integer_size),
        leaves_open_(leave_open) {}

  Resolution run() {
    log_.trace.args.reserve(log_.trace.args.size() + space_needed());
    for (current_ = 0; current_ + 1 < events_.size(); ++current_) step();  // then MPI_Finalize
    settle_all();
    complete_polled();
    for (const std::uint32_t id : pending_.all_active()) lose(id);
    decide_lost();
    return found_;
  }

 private:
  Event& event() { return events_[current_]; }
  std::uint32_t now() const { return static_cast<std::uint32_t>(current_); }
  const RequestLog::ArrayCall& next_array() { return log_.requests.array_calls[next_array_++]; }

  std::size_t space_needed() const {
    std::size_t values = log_.requests.array_calls.size();
    for (const Event& e : events_) {
      const CallClass c = class_of(e.call);
      const bool posts =
          c == CallClass::isend || c == CallClass::irecv || c == CallClass::icollective;
      values += posts || c == CallClass::completion ? 1 : 0;
    }
    return values;
  }

  [[noreturn]] void refuse(std::size_t index, std::string_view text,
                           std::string_view besides = {}) const {
    throw InputError(where(log_.trace, events_[index]) + " " + std::string(text) + "; " + kRetrace +
                     std::string(besides));
  }

  void step() {
    const std::uint32_t id = event().args;
    switch (class_of(event().call)) {
      case CallClass::isend:
      case CallClass::irecv:
      case CallClass::icollective:
        return post(id, false);
      case CallClass::persistent:
        return post(id, true);
      case CallClass::start:
        return event().call == Call::Start ? start_one(id) : start_array();
      case CallClass::request_free:
        return free(id);
      case CallClass::completion:
        return complete();
      default:
        return;
    }
  }

  void post(std::uint32_t id, bool persistent) {
    if (pending_.active(id)) replaced(id);
    pending_.put(id, now(), persistent);
    event().args = kNoArgs;
  }

  /// The program uses the place of an active request again, so another call has completed it.
  void replaced(std::uint32_t id) {
    if (polled_.contains(id)) return completed_by_last_poll(id);
    const OpenWaits::Choice choice = open_.taker_of(id);
    if (choice.what == OpenWaits::kNone) {
      lose(id);
      return pending_.complete(id);
    }
    if (choice.guessed) guess(choice.what);
    take(choice.what, id);
  }

  void lose(std::uint32_t id) { lost_.add({pending_.event(id), pending_.active_since(id), now()}); }

  void start_one(std::uint32_t id) {
    ids_.clear();
    if (id != kNoArgs) ids_.push_back(id);
    start(1);
  }

  void start_array() {
    const RequestLog::ArrayCall array = next_array();
    // A restart shows that the request has completed, so active ones are searched too.
    find(array, PendingRequests::Which::active);
    std::vector<std::uint32_t> active = ids_;
    std::erase_if(active, [&](std::uint32_t id) { return !pending_.persistent(id); });
    find(array, PendingRequests::Which::startable);
    ids_.insert(ids_.end(), active.begin(), active.end());
    std::ranges::sort(ids_, {}, [&](std::uint32_t id) {
      return log_.requests.addresses[id].value - array.first;
    });
    start(array.count);
  }

  void start(std::uint32_t expected) {
    for (const std::uint32_t id : ids_) {
      if (!pending_.persistent(id)) break;
      if (pending_.active(id)) replaced(id);
    }
    if (ids_.size() != expected ||
        !std::ranges::all_of(ids_, [&](std::uint32_t id) { return pending_.persistent(id); })) {
      refuse(current_,
             "starts a request that no MPI_Send_init or MPI_Recv_init put at this "
             "address");
    }
    for (const std::uint32_t id : ids_) pending_.activate(id, now());
    write_posters(event(), ids_);
  }

  void free(std::uint32_t id) {
    if (id == kNoArgs || pending_.event(id) == PendingRequests::kNone) {
      refuse(current_, "frees a request that was not posted at this address");
    }
    if (polled_.contains(id)) {
      if (!pending_.persistent(id)) {
        refuse(current_, "frees a request that a call before it may have completed");
      }
      completed_by_last_poll(id);
    }
    open_.exclude(id);  // a request that can be freed has not been completed
    ids_.assign(1, id);
    write_posters(event(), ids_);
    pending_.forget(id);
  }

  void complete() {
    const Call call = event().call;
    if (call == Call::Wait || call == Call::Test) {
      ids_.clear();
      if (event().args != kNoArgs) {
        settle_covering(event().args);
        if (pending_.active(event().args)) ids_.push_back(event().args);
      }
      if (ids_.empty()) lost_.add_free_place(now(), call, event().args != kNoArgs);
    } else {
      const RequestLog::ArrayCall array = next_array();
      find(array, PendingRequests::Which::active);
      if (call == Call::Waitany && ids_.size() > 1 && !leaves_open_) {
        lost_.add_free_places(now(), call, array, ids_.size());
        return leave_for_later();
      }
      if (std::ranges::any_of(ids_, [&](std::uint32_t id) { return open_.covers(id); })) {
        for (const std::uint32_t id : std::vector(ids_)) settle_covering(id);
        std::erase_if(ids_, [&](std::uint32_t id) { return !pending_.active(id); });
      }
      lost_.add_free_places(now(), call, array, ids_.size());
    }
    const bool is_test = call == Call::Test || call == Call::Testall || call == Call::Testany ||
                         call == Call::Testsome;
    const bool chooses = (call == Call::Waitany || call == Call::Waitsome) && ids_.size() > 1;
    if (leaves_open_ && (is_test || chooses || any_polled())) return poll();
    if (is_test && !ids_.empty()) {
      refuse(current_, "may or may not have completed a request, which this format does not say",
             kAssume);
    }
    if (call == Call::Waitsome && ids_.size() > 1) {
      refuse(current_,
             "had " + std::to_string(ids_.size()) +
                 " requests to complete some of, and this format does not say which",
             kAssume);
    }
    write_posters(event(), ids_);
    for (const std::uint32_t id : ids_) pending_.complete(id);
  }

  bool any_polled() const {
    return std::ranges::any_of(ids_, [&](std::uint32_t id) { return polled_.contains(id); });
  }

  /// Leaves the requests open that the call may have completed. The requests stay active until a
  /// later fact shows that they are complete. Then the last call that covered a request, or an
  /// earlier one, has completed it.
  void poll() {
    posters_.clear();
    for (const std::uint32_t id : ids_) posters_.push_back(pending_.event(id));
    if (posters_.empty()) return set_requests(log_.trace, event(), posters_);
    polls_ += ids_.size();
    if (polls_ > kMostPolled) too_many_polls(current_);
    set_open_requests(log_.trace, event(), posters_);
    for (std::uint32_t slot = 0; slot < ids_.size(); ++slot) {
      polled_[ids_[slot]] = {now(), slot};
    }
    if (event().call != Call::Wait && event().call != Call::Waitall) return;
    for (const std::uint32_t id : std::vector(ids_)) completed_by_last_poll(id);
  }

  [[noreturn]] void too_many_polls(std::size_t index) const {
    refuse(index, "and similar calls leave more than " + std::to_string(kMostPolled) +
                      " possible completions open, which is too many to simulate");
  }

  void completed_by_last_poll(std::uint32_t id) {
    const Polled last = polled_.at(id);
    set_completed_by_then(log_.trace, events_[last.event], last.slot);
    polled_.erase(id);
    pending_.complete(id);
  }

  void complete_polled() {
    while (!polled_.empty()) completed_by_last_poll(polled_.begin()->first);
  }

  /// Finds the requests `which` of `array`, into ids_.
  void find(const RequestLog::ArrayCall& array, PendingRequests::Which which) {
    switch (pending_.in_array(array, integer_size_, which, ids_)) {
      case PendingRequests::Found::yes:
        return;
      case PendingRequests::Found::size_unknown:
        refuse(current_,
               "covers an array of requests, and no gap between request addresses in "
               "this trace shows whether one takes 4 or 8 bytes");
      case PendingRequests::Found::sizes_mixed:
        refuse(current_, "covers requests of C and of Fortran, whose sizes differ");
    }
  }

  void leave_for_later() {
    if (open_.full()) settle(open_.oldest());
    std::erase_if(ids_, [&](std::uint32_t id) { return !pending_.active(id); });
    open_.add(now(), ids_);
  }

  void settle_covering(std::uint32_t id) {
    while (open_.covers(id)) settle(open_.first_covering(id));
  }
  void settle_all() {
    while (!open_.empty()) settle(open_.oldest());
  }

  /// Decides an MPI_Waitany whose completed request cannot be proved: takes the first remaining
  /// request of the array.
  void settle(std::uint32_t wait) {
    const OpenWaits::Choice choice = open_.first_candidate(wait);
    if (choice.guessed) guess(wait);
    if (choice.what != OpenWaits::kNone) return take(wait, choice.what);
    open_.close(wait);
    write_posters(events_[wait], {});
  }

  void take(std::uint32_t wait, std::uint32_t id) {
    write_posters(events_[wait], std::span(&id, 1));
    open_.close(wait);
    open_.exclude(id);
    pending_.complete(id);
  }

  void guess(std::uint32_t wait) {
    if (found_.guesses.count++ == 0 || events_[wait].position < first_guess_) {
      first_guess_ = events_[wait].position;
      found_.guesses.first = at(log_.trace.source, first_guess_);
    }
  }

  /// Replaces the requests of the call by the events that posted them.
  void write_posters(Event& e, std::span<const std::uint32_t> ids) {
    posters_.clear();
    for (const std::uint32_t id : ids) posters_.push_back(pending_.event(id));
    set_requests(log_.trace, e, posters_);
  }

  /// Decides what has completed the requests that no call completes at their address.
  void decide_lost() {
    const std::span<const LostRequest> requests = lost_.in_order();
    const std::vector<std::uint32_t> calls =
        lost_.completing_calls([&](const RequestLog::ArrayCall& array) {
          pending_.in_array(array, integer_size_, PendingRequests::Which::any, ids_);
          return !ids_.empty();
        });
    posters_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const LostRequest& lost = requests[i];
      if (calls[i] == LostRequests::kUndecided) {
        found_.assumable = false;
        count(found_.undecided, where(log_.trace, events_[lost.since]));
      } else if (calls[i] != LostRequests::kNoCall) {
        count(found_.copied, at(log_.trace.source, events_[lost.since].position));
        posters_.push_back(lost.posted);
        if (i + 1 < requests.size() && calls[i + 1] == calls[i]) continue;
        set_requests(log_.trace, events_[calls[i]], posters_);
        posters_.clear();
      } else if (!is_send(events_[lost.posted].call)) {
        leave_to_tests(lost);
      }  // no recorded call has waited for the end of a send
    }
  }

  void leave_to_tests(const LostRequest& lost) {
    if (!leaves_open_) return count(found_.undecided, where(log_.trace, events_[lost.since]));
    count(found_.tested, at(log_.trace.source, events_[lost.since].position));
    found_.open.push_back(lost);
    polls_ += lost.until - lost.since;
    if (polls_ > kMostPolled) too_many_polls(lost.since);
  }

  static void count(Cases& cases, const std::string& first) {
    if (cases.count++ == 0) cases.first = first;
  }

  std::vector<Event>& events_;
  RankLog& log_;
  PendingRequests pending_;
  OpenWaits open_{pending_};
  RequestSize integer_size_;
  bool leaves_open_;
  struct Polled {
    std::uint32_t event;  ///< the last call that may have completed it
    std::uint32_t slot;   ///< the request's place among that call's requests
  };
  std::unordered_map<std::uint32_t, Polled> polled_;  ///< by id, only active requests
  std::size_t polls_ = 0;
  LostRequests lost_;
  Resolution found_;
  std::uint32_t first_guess_ = 0;
  std::size_t current_ = 0;
  std::size_t next_array_ = 0;
  std::vector<std::uint32_t> ids_;  ///< requests of the current call
  std::vector<std::uint32_t> posters_;
};

}  // namespace

Resolution resolve_requests(RankLog& log, RequestSize integer_size, bool leave_open) {
  return Resolver(log, integer_size, leave_open).run();
}

}  // namespace latitude::trace::infer
