#include "core/trace/common_prefix.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/matching.hpp"

namespace latitude::trace {
namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

struct Send {
  std::uint32_t event;
  std::uint32_t destination = 0;
  std::uint32_t receive =
      kNever;  ///< index of the receive at `destination`; kNever: no rank receives it
};

struct Receive {
  std::uint32_t posted;              ///< event of its posting
  std::uint32_t completed = kNever;  ///< event of its completion
  std::uint32_t slot = 0;            ///< number among the requests of a start
  std::uint32_t source = 0;
  std::uint32_t send = kNever;  ///< index of the send at `source`; kNever: no rank sends it
};

/// The collectives of one communicator, or the starts of one persistent collective: the i-th calls
/// of all members belong together.
struct Calls {
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_rank;  ///< events of each member
};

class Cutter {
 public:
  explicit Cutter(Trace& trace)
      : trace_(trace),
        postings_(trace.ranks.size()),
        sends_(trace.ranks.size()),
        receives_(trace.ranks.size()),
        unknown_(trace.ranks.size()),
        contexts_of_(trace.ranks.size()) {
    for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
      kept_.push_back(static_cast<std::uint32_t>(trace.ranks[r].events.size()));
      walk(r);
    }
    match_messages(postings_, 1, Ends{*this});
    for (auto& [context, calls] : calls_) {
      for (const std::int32_t member : group_of(context)) {
        const auto rank = static_cast<std::uint32_t>(member);
        calls.of_rank[rank];
        contexts_of_[rank].push_back(context);
      }
    }
  }

  /// Cuts until nothing in the kept part lacks its other end.
  void run() {
    std::deque<std::uint32_t> dirty;
    std::vector<bool> waiting(kept_.size(), true);
    std::vector<std::uint32_t> before;  // kept, at the last check of its other ends
    for (std::uint32_t r = 0; r < kept_.size(); ++r) {
      dirty.push_back(r);
      before.push_back(static_cast<std::uint32_t>(trace_.ranks[r].events.size()));
      cut_unmatched(r);
    }
    const auto cut = [&](std::uint32_t rank, std::uint32_t at) {
      if (at >= kept_[rank]) return;
      kept_[rank] = at;
      if (!waiting[rank]) dirty.push_back(rank);
      waiting[rank] = true;
    };
    while (!dirty.empty()) {
      const std::uint32_t rank = dirty.front();
      dirty.pop_front();
      waiting[rank] = false;
      const std::uint32_t now = kept_[rank];  // a message to itself may cut it again
      follow(rank, before[rank], cut);
      before[rank] = now;
      for (const std::uint64_t context : contexts_of_[rank]) check(calls_[context], cut);
    }
    for (std::uint32_t r = 0; r < kept_.size(); ++r) {
      for (const Receive& receive : receives_[r]) {
        if (!is_sent(receive)) leave_out(r, receive);
      }
      for (const Receive& receive : unknown_[r]) leave_out(r, receive);
    }
  }

  std::uint32_t kept(std::size_t rank) const { return kept_[rank]; }

 private:
  /// Receives the matches of the messages.
  struct Ends {
    Cutter& cutter;
    void match(std::uint32_t source, std::uint32_t send, std::uint32_t destination,
               std::uint32_t receive) const {
      Send& from = cutter.sends_[source][send];
      Receive& to = cutter.receives_[destination][receive];
      from.destination = destination;
      from.receive = receive;
      to.source = source;
      to.send = send;
    }
    void no_receive(std::uint32_t, std::uint32_t) const {}
    void no_send(std::uint32_t, std::uint32_t) const {}
    void ambiguous(std::uint32_t, std::uint32_t, std::size_t) const {}
  };

  /// A wildcard receive that was never completed. It may have taken an unknown message, so the
  /// messages of later receives that could have taken the same message are unknown, too.
  struct Taker {
    std::uint64_t context;
    std::int64_t peer;
    std::int64_t tag;
  };
  bool may_be_taken(std::uint64_t context, std::int64_t peer, std::int64_t tag) const {
    return std::ranges::any_of(takers_, [&](const Taker& taker) {
      return taker.context == context && (taker.peer == kAnySource || taker.peer == peer) &&
             (taker.tag == kAnyTag || taker.tag == tag);
    });
  }

  void walk(std::uint32_t rank) {
    RankTrace& trace = trace_.ranks[rank];
    open_.clear();
    takers_.clear();
    unknown_ids_.clear();
    inits_.clear();
    inits_of_.clear();
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if ((e.flags & kUnsupported) != 0) continue;
      switch (class_of(e.call)) {
        case CallClass::send:
        case CallClass::isend:
          send(rank, i, e.comm, message_of(e));
          break;
        case CallClass::recv:
          receive(rank, {i, i}, e.comm, message_of(e), kNever);
          break;
        case CallClass::irecv:
          receive(rank, {i}, e.comm, message_of(e), i);
          break;
        case CallClass::sendrecv:
          send(rank, i, e.comm, message_of(e));
          receive(rank, {i, i}, e.comm, received_by(trace, e), kNever);
          break;
        case CallClass::isendrecv:
          send(rank, i, e.comm, message_of(e));
          receive(rank, {i}, e.comm, received_by(trace, e), i);
          break;
        case CallClass::start:
          start(rank, i);
          break;
        case CallClass::ready:
          for (const std::uint32_t id : requests_of(trace, e)) {
            const Event& made = trace.events[id];
            send(rank, i, context_of(trace, made), message_of(made));
          }
          break;
        case CallClass::collective_init:
          inits_[i] = ++inits_of_[e.comm];
          calls_[e.comm].of_rank[rank].push_back(i);
          break;
        case CallClass::completion:
          complete(rank, i);
          break;
        case CallClass::collective:
        case CallClass::icollective:
          calls_[e.comm].of_rank[rank].push_back(i);
          break;
        case CallClass::comm_create:
          creation(rank, i);
          break;
        default:
          break;
      }
    }
  }

  void creation(std::uint32_t rank, std::uint32_t index) {
    const Event& e = trace_.ranks[rank].events[index];
    if (!made_by_members(e.call)) {
      calls_[e.comm].of_rank[rank].push_back(index);
    } else {
      const std::int64_t made = communicator_made(trace_.ranks[rank], e).value_or(kCommNull);
      if (made != kCommNull) {
        calls_[static_cast<std::uint32_t>(made)].of_rank[rank].push_back(index);
      }
    }
  }

  void start(std::uint32_t rank, std::uint32_t index) {
    const RankTrace& trace = trace_.ranks[rank];
    const Event& e = trace.events[index];
    const auto count = static_cast<std::uint32_t>(requests_of(trace, e).size());
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      const Started operation = started(trace, e, slot);
      const Event& made = operation.made;
      if ((made.flags & kUnsupported) != 0) continue;
      if (class_of(made.call) == CallClass::collective_init) {
        const std::uint64_t init = inits_[operation.id];
        calls_[init << 32 | made.comm].of_rank[rank].push_back(index);
      } else if (receives(made.call)) {
        receive(rank, {index, kNever, slot}, context_of(trace, made), operation.message,
                operation.id);
      } else if (made.call != Call::Psend_init) {
        send(rank, index, made.comm, operation.message);
      }
    }
  }

  void complete(std::uint32_t rank, std::uint32_t index) {
    const RankTrace& trace = trace_.ranks[rank];
    for (const std::uint32_t id : requests_of(trace, trace.events[index])) {
      if (unknown_ids_.erase(id) > 0) kept_[rank] = std::min(kept_[rank], index);
      const auto found = open_.find(id);
      if (found == open_.end()) continue;
      receives_[rank][found->second].completed = index;
      open_.erase(found);
    }
  }

  void send(std::uint32_t rank, std::uint32_t index, std::uint64_t context,
            const Message& message) {
    if (message.peer == kProcNull) return;
    post(postings_[rank].sends, context, message, sends_[rank].size());
    sends_[rank].push_back({index});
  }

  /// Adds a receive. `id`: its name in completions; kNever if it is completed at once.
  void receive(std::uint32_t rank, Receive receive, std::uint64_t context, const Message& message,
               std::uint32_t id) {
    const auto [peer, tag, bytes] = message;
    if (peer == kProcNull) return;
    const bool open =
        peer == kAnySource || tag == kAnyTag;  // a completion would have resolved this
    if (open) takers_.push_back({context, peer, tag});
    if (open || may_be_taken(context, peer, tag)) {
      unknown_[rank].push_back(receive);
      if (id != kNever) unknown_ids_.insert(id);
      kept_[rank] = std::min(kept_[rank], receive.completed);
      return;
    }
    if (id != kNever) open_[id] = receives_[rank].size();
    post(postings_[rank].receives, context, message, receives_[rank].size());
    receives_[rank].push_back(receive);
  }

  /// The members of a context's communicator.
  const std::vector<std::int32_t>& group_of(std::uint64_t context) const {
    return trace_.communicators[static_cast<std::uint32_t>(context)].group;
  }

  void post(std::vector<Posting>& to, std::uint64_t context, const Message& message,
            std::size_t id) const {
    const auto peer = group_of(context)[static_cast<std::size_t>(message.peer)];
    to.push_back({context, peer, message.tag, static_cast<std::uint32_t>(id)});
  }

  bool is_sent(const Receive& receive) const {
    return receive.send != kNever &&
           sends_[receive.source][receive.send].event < kept_[receive.source];
  }

  void cut_unmatched(std::uint32_t rank) {
    for (const Send& send : sends_[rank]) {
      if (send.receive == kNever) kept_[rank] = std::min(kept_[rank], send.event);
    }
    for (const Receive& receive : receives_[rank]) {
      if (receive.send == kNever) kept_[rank] = std::min(kept_[rank], receive.completed);
    }
  }

  /// Cuts the other ends of events that the rank no longer keeps of its first `before` events.
  template <class Cut>
  void follow(std::uint32_t rank, std::uint32_t before, const Cut& cut) const {
    const std::vector<Send>& sends = sends_[rank];
    for (auto send = std::ranges::lower_bound(sends, kept_[rank], {}, &Send::event);
         send != sends.end() && send->event < before; ++send) {
      if (send->receive == kNever) continue;
      cut(send->destination, receives_[send->destination][send->receive].completed);
    }
    const std::vector<Receive>& receives = receives_[rank];
    for (auto receive = std::ranges::lower_bound(receives, kept_[rank], {}, &Receive::posted);
         receive != receives.end() && receive->posted < before; ++receive) {
      if (receive->send == kNever) continue;
      cut(receive->source, sends_[receive->source][receive->send].event);
    }
  }

  template <class Cut>
  void check(const Calls& calls, const Cut& cut) const {
    std::size_t common = std::numeric_limits<std::size_t>::max();
    for (const auto& [rank, events] : calls.of_rank) {
      const auto end = std::ranges::lower_bound(events, kept_[rank]);
      common = std::min(common, static_cast<std::size_t>(end - events.begin()));
    }
    for (const auto& [rank, events] : calls.of_rank) {
      if (events.size() > common) cut(rank, events[common]);
    }
  }

  /// A receive that is never completed becomes one from MPI_PROC_NULL.
  void leave_out(std::uint32_t rank, const Receive& receive) {
    if (receive.posted >= kept_[rank] || receive.completed < kept_[rank]) return;
    Event& posted = trace_.ranks[rank].events[receive.posted];
    if (class_of(posted.call) == CallClass::start) {
      const std::int32_t tag = started(trace_.ranks[rank], posted, receive.slot).message.tag;
      resolve_started(trace_.ranks[rank], posted, receive.slot, kProcNull, tag);
    } else if (class_of(posted.call) == CallClass::isendrecv) {
      Message message = received_by(trace_.ranks[rank], posted);
      message.peer = kProcNull;
      set_received(trace_.ranks[rank], posted, message);
    } else {
      Message message = message_of(posted);
      message.peer = kProcNull;
      set_message(posted, message);
    }
  }

  Trace& trace_;
  std::vector<std::uint32_t> kept_;             ///< events of each rank
  std::vector<RankPostings> postings_;          ///< until they are matched
  std::vector<std::vector<Send>> sends_;        ///< by rank, in the order of events
  std::vector<std::vector<Receive>> receives_;  ///< the same
  /// By communicator; the starts of a persistent collective also by its number there.
  std::map<std::uint64_t, Calls> calls_;
  /// By rank: receives with an unknown message.
  std::vector<std::vector<Receive>> unknown_;
  std::vector<std::vector<std::uint64_t>> contexts_of_;  ///< by rank
  // For the current rank:
  std::unordered_map<std::uint32_t, std::size_t> open_;  ///< request → receive
  std::vector<Taker> takers_;
  std::set<std::uint32_t> unknown_ids_;
  std::unordered_map<std::uint32_t, std::uint64_t> inits_;     ///< collective_init → its number
  std::unordered_map<std::uint32_t, std::uint64_t> inits_of_;  ///< number so far, by communicator
};

/// Requests that are active after the last event, by id.
std::vector<std::uint32_t> open_requests(const RankTrace& rank) {
  std::map<std::uint32_t, bool> active;
  for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
    const Event& e = rank.events[i];
    const CallClass kind = class_of(e.call);
    const bool unsupported = (e.flags & kUnsupported) != 0;
    if (kind == CallClass::isend || kind == CallClass::irecv || kind == CallClass::isendrecv ||
        kind == CallClass::icollective) {
      active[i] = true;
    } else if (!unsupported && (kind == CallClass::start || kind == CallClass::completion ||
                                kind == CallClass::request_free)) {
      for (const std::uint32_t id : requests_of(rank, e)) {
        if (kind == CallClass::start) {
          active[id] = true;
        } else {
          active.erase(id);
        }
      }
    }
  }
  std::vector<std::uint32_t> ids;
  for (const auto& [id, yes] : active) ids.push_back(id);
  return ids;
}

/// Gives a beginning of a rank's events the end of a complete run.
void finish(RankTrace& rank, std::uint32_t kept) {
  rank.events.resize(kept);
  if (!rank.sites.empty()) rank.sites.resize(kept);
  if (!rank.threads.empty()) rank.threads.resize(kept);
  const auto append = [&](Event event) {
    event.position = rank.events.empty() ? 1 : rank.events.back().position + 1;
    rank.events.push_back(event);
    if (!rank.sites.empty()) rank.sites.push_back(kNoSite);
    if (!rank.threads.empty()) rank.threads.push_back(rank.threads.front());
  };
  if (rank.events.empty()) append({.call = Call::Init});
  // The thread that called MPI_Init continues.
  std::size_t last = rank.events.size() - 1;
  while (!rank.threads.empty() && rank.threads[last] != rank.threads.front()) --last;
  const std::int64_t now = rank.events[last].leave_ns;
  for (const std::uint32_t id : open_requests(rank)) {
    Event release{.enter_ns = now, .leave_ns = now, .call = Call::Request_free};
    set_requests(rank, release, {&id, 1});
    append(release);
  }
  append({.enter_ns = now, .leave_ns = now, .call = Call::Finalize});
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

/// Duration of a rank's events up to the n-th.
std::int64_t span_ns(const RankTrace& rank, std::size_t n) {
  return n == 0 ? 0 : rank.events[n - 1].leave_ns - rank.events.front().leave_ns;
}

bool starts_or_ends_mpi(const Event& event) {
  return event.call == Call::Init || event.call == Call::Init_thread ||
         event.call == Call::Finalize;
}

/// InputError if the only calls left start and end MPI: Latitude would report that such a program
/// sends no messages.
void refuse_empty(const Trace& trace, const Cutter& cutter, const std::vector<std::string>& files) {
  std::uint64_t all = 0;
  std::vector<std::size_t> silent;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const std::vector<Event>& events = trace.ranks[r].events;
    if (!std::all_of(events.begin(), events.begin() + cutter.kept(r), starts_or_ends_mpi)) return;
    all += events.size();
    if (events.empty()) silent.push_back(r);
  }
  std::string message = files[silent.empty() ? 0 : silent.front()] +
                        ": nothing can be kept of this trace: of " + std::to_string(all) +
                        " recorded events none that tells of the program lies before what all "
                        "ranks completed";
  if (!silent.empty()) {
    message += "; " + std::to_string(silent.size()) + " of " + std::to_string(trace.ranks.size()) +
               " ranks recorded none, as in a run that soon crashed, or on a full disk";
  }
  throw InputError(message + "; trace the program again");
}

}  // namespace

void keep_common_prefix(Trace& trace, const std::vector<bool>& complete,
                        const std::vector<std::string>& files) {
  const auto broken = std::ranges::count(complete, false);
  if (broken == 0) return;
  Cutter cutter(trace);
  cutter.run();
  refuse_empty(trace, cutter, files);
  std::uint64_t all = 0;
  std::uint64_t left_out = 0;
  double most = 0;
  std::size_t worst = 0;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    RankTrace& rank = trace.ranks[r];
    const std::uint32_t kept = cutter.kept(r);
    const std::int64_t whole = span_ns(rank, rank.events.size());
    const double share =
        whole == 0 ? 0 : 1 - static_cast<double>(span_ns(rank, kept)) / static_cast<double>(whole);
    all += rank.events.size();
    left_out += rank.events.size() - kept;
    if (share > most) {
      most = share;
      worst = r;
    }
    if (!complete[r] || kept < rank.events.size()) finish(rank, kept);
  }
  std::string message = std::to_string(broken) + " of " + std::to_string(complete.size()) +
                        " ranks' traces are incomplete: " + std::to_string(left_out) + " of " +
                        std::to_string(all) +
                        " recorded events lie behind what all ranks completed and were left out";
  if (most >= 0.001) {
    message += ", of rank " + std::to_string(worst) + " the last " + percent(most) +
               " of its recorded time";
  }
  trace.warnings.push_back({"incomplete", std::move(message)});
}

}  // namespace latitude::trace
