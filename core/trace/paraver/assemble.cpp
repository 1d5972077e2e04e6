#include "core/trace/paraver/assemble.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/paraver/rank_calls.hpp"
#include "core/trace/program_events.hpp"
#include "core/trace/shares.hpp"

namespace latitude::trace::paraver {
namespace {

/// Records that were read with another meaning than their own, counted over all tasks.
struct Counts {
  std::uint64_t without_message = 0;  ///< sends and receives
  std::uint64_t guessed = 0;          ///< sends and collectives with an inferred completion
  std::uint64_t creations = 0;        ///< calls that make communicators of unknown parents
  std::uint64_t renumbered = 0;       ///< messages that got tags of their own
  std::uint64_t cut_tasks = 0;        ///< tasks without MPI_Init or MPI_Finalize
  std::int64_t left_out_ns = 0;       ///< time of the tracer's own work
};

/// The data common to all ranks.
struct Whole {
  const Records& records;
  const Resolved& resolved;
  Computation computation;
  bool creations_by_all;                                 ///< all ranks make communicators by the
                                                         ///< same calls
  std::map<std::uint64_t, std::uint32_t> communicators;  ///< indices by the file's numbers
  std::vector<std::int32_t> tags;                        ///< tags of the messages
  std::vector<std::uint32_t> sites;                      ///< index of each stack's site
};

/// Messages of a list, given out call by call.
class Queue {
 public:
  Queue(const std::vector<std::uint32_t>& messages, const std::vector<MessageCalls>& calls,
        std::uint32_t MessageCalls::* in)
      : messages_(messages), calls_(calls), in_(in) {}
  std::span<const std::uint32_t> of_call(std::size_t call) {
    const std::size_t first = at_;
    while (at_ < messages_.size() && calls_[messages_[at_]].*in_ == call) ++at_;
    return std::span(messages_).subspan(first, at_ - first);
  }

 private:
  const std::vector<std::uint32_t>& messages_;
  const std::vector<MessageCalls>& calls_;
  std::uint32_t MessageCalls::* in_;
  std::size_t at_ = 0;
};

class RankAssembler {
 public:
  RankAssembler(const Whole& whole, std::size_t task, RankTrace& rank, Counts& counts)
      : whole_(whole),
        raw_(whole.records.tasks[task].calls),
        task_(whole.resolved.tasks[task]),
        program_(everything() ? std::vector<Interval>{} : whole.records.tasks[task].out, rank),
        rank_(rank),
        counts_(counts),
        sent_(task_.sent, whole.resolved.messages, &MessageCalls::sent_in),
        posted_(task_.posted, whole.resolved.messages, &MessageCalls::posted_in),
        completed_(task_.completed, whole.resolved.messages, &MessageCalls::completed_in) {}

  std::vector<Share> run() {
    const auto has = [&](CallClass kind) {
      return std::ranges::any_of(
          task_.calls, [&](Call call) { return call != Call::count_ && class_of(call) == kind; });
    };
    const bool has_init = has(CallClass::init);
    const bool has_finalize = has(CallClass::finalize);
    if (!has_init || !has_finalize) ++counts_.cut_tasks;
    if (everything() || !has_init) begin(1);
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (!ended_) call(i);
    }
    if (!begun_) begin(1);
    if (!ended_ || everything()) end(raw_.empty() ? 1 : raw_.back().line);
    counts_.left_out_ns = std::max(counts_.left_out_ns, program_.left_out_ns());
    count_calls(task_.names, rank_);
    return std::move(shares_);
  }

 private:
  using Messages = std::span<const std::uint32_t>;

  bool everything() const { return whole_.computation == Computation::outside_mpi; }

  /// MPI_Init's event, after which the rank's time begins.
  void begin(std::uint32_t line) {
    add({.position = line, .call = Call::Init});
    begun_ = true;
  }
  /// MPI_Finalize's event, if the file has none, or counts the time after it.
  void end(std::uint32_t line) {
    site_ = kNoSite;
    const std::int64_t now = program_.compute_until(whole_.records.end_ns);
    finalize({.enter_ns = now, .leave_ns = now, .position = line, .call = Call::Finalize});
  }
  /// Ends the collectives with an unrecorded completion.
  void finalize(const Event& event) {
    std::vector<std::uint32_t> collectives;
    std::ranges::copy_if(pending_, std::back_inserter(collectives), [&](std::uint32_t id) {
      return class_of(rank_.events[id].call) == CallClass::icollective;
    });
    if (!collectives.empty()) {
      Event free{.enter_ns = event.enter_ns,
                 .leave_ns = event.enter_ns,
                 .position = event.position,
                 .call = Call::Request_free};
      set_requests(rank_, free, collectives);
      add(free);
    }
    add(event);
  }

  void call(std::size_t i) {
    const RawCall& raw = raw_[i];
    const Call call = task_.calls[i];
    site_ = raw.stack == kNoStack ? kNoSite : whole_.sites[raw.stack];
    if (call != Call::count_ && class_of(call) == CallClass::init) {
      if (everything()) return pass(raw);
      if (begun_) throw InputError(place(raw) + " MPI_Init comes twice");
      begin(raw.line);
      return program_.begin(raw.leave_ns);
    }
    if (call == Call::count_) {
      if (everything()) pass(raw);
      return;  // otherwise its time is computation
    }
    if (!begun_) {
      throw InputError(place(raw) + " " + std::string(name_of(call)) + " comes before MPI_Init");
    }
    Event event{.position = raw.line, .call = call};
    switch (class_of(call)) {
      case CallClass::finalize:
        if (everything()) return pass(raw);
        ended_ = true;
        return finalize(timed(event, raw));
      case CallClass::send:
      case CallClass::isend:
      case CallClass::recv:
      case CallClass::irecv:
        return message(event, i);
      case CallClass::sendrecv:
        return sendrecv(event, i);
      case CallClass::start:
        return start(event, i);
      case CallClass::completion:
        return completion(event, i);
      case CallClass::collective:
      case CallClass::icollective:
        return collective(event, i);
      case CallClass::comm_create:
        if (whole_.creations_by_all) return void(add(timed(event, raw)));
        ++counts_.creations;
        return pass(raw);
      case CallClass::probe:
      case CallClass::unsupported:
        return void(add(timed(event, raw)));
      case CallClass::isendrecv:
      case CallClass::partitioned:
      case CallClass::ready:
      case CallClass::collective_init:  // the format has no numbers for these calls
        event.flags = kUnsupported;
        return void(add(timed(event, raw)));
      case CallClass::persistent:
      case CallClass::request_free:
      case CallClass::comm_free:
      case CallClass::local:
      case CallClass::init:
        return pass(raw);  // makes or frees objects that the graph does not contain
    }
  }

  void pass(const RawCall& raw) { program_.pass(raw.enter_ns, raw.leave_ns); }
  Event timed(const Event& event, const RawCall& raw) {
    return program_.timed(event, raw.enter_ns, raw.leave_ns);
  }
  std::uint32_t add(const Event& event) {
    if (!whole_.sites.empty()) rank_.sites.push_back(site_);
    return program_.add(event);
  }

  Message sent(std::uint32_t m) const {
    const RawMessage& raw = whole_.records.messages[m];
    return {static_cast<std::int32_t>(raw.destination), whole_.tags[m], raw.bytes};
  }
  Message received(std::uint32_t m) const {
    const RawMessage& raw = whole_.records.messages[m];
    return {static_cast<std::int32_t>(raw.source), whole_.tags[m], raw.bytes};
  }
  /// The message of a call that implies one but has no record of it.
  Message nothing() {
    ++counts_.without_message;
    return {kProcNull, 0, 0};
  }

  void message(Event event, std::size_t i) {
    const Messages out = sent_.of_call(i);
    const Messages in = posted_.of_call(i);
    event = timed(event, raw_[i]);
    const CallClass kind = class_of(event.call);
    if (event.call == Call::Mprobe || event.call == Call::Improbe) event.flags |= kUnsupported;
    if (receives(event.call)) {
      set_message(event, in.empty() ? nothing() : received(in[0]));
    } else {
      set_message(event, out.empty() ? nothing() : sent(out[0]));
    }
    const std::uint32_t id = add(event);
    if (kind == CallClass::isend) pending_.push_back(id);
    if (kind == CallClass::irecv && !in.empty()) posted_by_[in[0]] = id;
  }

  void sendrecv(Event event, std::size_t i) {
    const Messages out = sent_.of_call(i);
    const Messages in = posted_.of_call(i);
    event = timed(event, raw_[i]);
    set_message(event, out.empty() ? nothing() : sent(out[0]));
    set_received(rank_, event, in.empty() ? nothing() : received(in[0]));
    add(event);
  }

  /// Persistent operations become the messages of their start, receives first.
  void start(Event event, std::size_t i) {
    const Messages out = sent_.of_call(i);
    const Messages in = posted_.of_call(i);
    if (out.empty() && in.empty()) {
      ++counts_.without_message;
      return pass(raw_[i]);
    }
    event = timed(event, raw_[i]);
    const std::int64_t leave_ns = std::exchange(event.leave_ns, event.enter_ns);
    event.call = Call::Irecv;
    for (const std::uint32_t m : in) {
      set_message(event, received(m));
      posted_by_[m] = add(event);
    }
    event.call = Call::Isend;
    for (const std::uint32_t m : out) {
      set_message(event, sent(m));
      pending_.push_back(add(event));
    }
    rank_.events.back().leave_ns = leave_ns;
  }

  void completion(Event event, std::size_t i) {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t m : completed_.of_call(i)) {
      const auto posted = posted_by_.find(m);
      if (posted == posted_by_.end()) {
        throw InputError(place(raw_[i]) + " " + std::string(name_of(event.call)) +
                         " completes the message of line " +
                         std::to_string(whole_.records.messages[m].line) +
                         " before it is posted; the records are not in order");
      }
      ids.push_back(posted->second);
      posted_by_.erase(posted);
    }
    const bool one = event.call == Call::Wait || event.call == Call::Waitany;
    const bool tests = event.call == Call::Test || event.call == Call::Testany ||
                       event.call == Call::Testall || event.call == Call::Testsome;
    if (!tests && !pending_.empty() && (ids.empty() || !one) && !waited_for_later(i, ids.empty())) {
      const std::size_t count = one ? std::min<std::size_t>(1, pending_.size()) : pending_.size();
      counts_.guessed += count;
      const auto until = pending_.begin() + static_cast<std::ptrdiff_t>(count);
      ids.insert(ids.end(), pending_.begin(), until);
      pending_.erase(pending_.begin(), until);
    }
    if (ids.empty()) {
      if (!tests) pass(raw_[i]);  // the request for which it waited is not recorded
      return;                     // the time of a failed test is computation
    }
    event = timed(event, raw_[i]);
    set_requests(rank_, event, ids);
    add(event);
  }

  /// Whether a later call completes the pending sends and collectives instead of this call, which
  /// completes receives. It completes no receive, and precedes the next posted operation.
  bool waited_for_later(std::size_t i, bool no_receive) {
    if (no_receive) return false;
    if (i < decided_until_) return waits_later_;
    waits_later_ = false;
    decided_until_ = i + 1;
    Queue completed = completed_;
    for (; decided_until_ < raw_.size(); ++decided_until_) {
      const Call call = task_.calls[decided_until_];
      if (call == Call::count_) continue;
      const CallClass kind = class_of(call);
      if (kind == CallClass::isend || kind == CallClass::irecv || kind == CallClass::start ||
          kind == CallClass::icollective) {
        break;
      }
      waits_later_ = kind == CallClass::completion && completed.of_call(decided_until_).empty();
      if (waits_later_) break;
    }
    return waits_later_;
  }

  void collective(Event event, std::size_t i) {
    const RawCall& raw = raw_[i];
    event = timed(event, raw);
    if (raw.comm != 0) event.comm = whole_.communicators.at(raw.comm);
    if (name_of(event.call).find("eighbor") != std::string_view::npos) {
      event.flags |= kUnsupported;  // the neighbours are not recorded
    }
    const bool blocking = class_of(event.call) == CallClass::collective;
    const std::uint32_t id = add(event);
    shares_.push_back({id, raw.root, raw.sent, raw.received});
    if (!blocking) pending_.push_back(id);
  }

  std::string place(const RawCall& raw) const {
    return whole_.records.source + ":" + std::to_string(raw.line) + ":";
  }

  const Whole& whole_;
  const std::vector<RawCall>& raw_;
  const ResolvedTask& task_;
  ProgramEvents program_;
  RankTrace& rank_;
  Counts& counts_;
  Queue sent_;
  Queue posted_;
  Queue completed_;
  std::unordered_map<std::uint32_t, std::uint32_t> posted_by_;  ///< events, by message
  std::deque<std::uint32_t> pending_;  ///< sends and collectives that nothing has completed yet
  std::vector<Share> shares_;
  std::uint32_t site_ = kNoSite;  ///< site of the call whose events are being added
  /// The result of waited_for_later for each earlier call.
  std::size_t decided_until_ = 0;
  bool waits_later_ = false;
  bool begun_ = false;
  bool ended_ = false;
};

/// Whether all ranks make communicators by the same calls, so that each is made from all ranks.
bool creations_by_all(const Resolved& resolved) {
  const auto creations = [](const ResolvedTask& task) {
    std::vector<Call> calls;
    std::ranges::copy_if(task.calls, std::back_inserter(calls), [](Call call) {
      return call != Call::count_ && class_of(call) == CallClass::comm_create;
    });
    return calls;
  };
  const std::vector<Call> first = creations(resolved.tasks.front());
  return std::ranges::all_of(resolved.tasks,
                             [&](const ResolvedTask& task) { return creations(task) == first; });
}

/// The messages' tags. A file does not name the communicators of its messages, so messages of
/// several communicators may seem to overtake each other. Such messages get tags of their own, and
/// match as recorded.
std::vector<std::int32_t> tags_of(const Records& records, const Resolved& resolved,
                                  std::uint64_t& renumbered) {
  std::vector<std::int32_t> tags(records.messages.size());
  std::vector<std::uint32_t> send_order(tags.size());
  std::vector<std::uint32_t> post_order(tags.size());
  std::vector<std::uint32_t> order;
  for (const ResolvedTask& task : resolved.tasks) {
    for (std::uint32_t i = 0; i < task.sent.size(); ++i) send_order[task.sent[i]] = i;
    for (std::uint32_t i = 0; i < task.posted.size(); ++i) post_order[task.posted[i]] = i;
    order.insert(order.end(), task.sent.begin(), task.sent.end());
  }
  const auto channel = [&](std::uint32_t m) {
    const RawMessage& raw = records.messages[m];
    return std::tuple(raw.source, raw.destination, raw.tag);
  };
  std::int32_t highest = 0;
  for (std::size_t m = 0; m < tags.size(); ++m) {
    tags[m] = records.messages[m].tag;
    highest = std::max(highest, tags[m]);
    if (tags[m] < 0) {
      throw InputError(records.source + ":" + std::to_string(records.messages[m].line) +
                       ": the message's tag is negative");
    }
  }
  std::ranges::sort(order, {},
                    [&](std::uint32_t m) { return std::pair(channel(m), send_order[m]); });
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && channel(order[end]) == channel(order[begin])) ++end;
    const auto messages = std::span(order).subspan(begin, end - begin);
    begin = end;
    if (std::ranges::is_sorted(messages, {}, [&](std::uint32_t m) { return post_order[m]; })) {
      continue;
    }
    for (const std::uint32_t m : messages) {
      if (highest == std::numeric_limits<std::int32_t>::max()) {
        throw InputError(records.source + ": no tags are left to tell its messages apart");
      }
      tags[m] = ++highest;
      ++renumbered;
    }
  }
  return tags;
}

/// The site of each stack: the innermost caller with a name, and its callers.
std::vector<std::uint32_t> add_sites(const Records& records, const Names& names, Trace& trace) {
  NamedSites sites(trace);
  std::vector<std::uint32_t> of_stacks;
  for (const std::vector<Caller>& stack : records.stacks) {
    std::uint32_t site = kNoSite;
    for (auto caller = stack.rbegin(); caller != stack.rend(); ++caller) {
      const Frame frame = names.caller(*caller);
      if (!frame.function.empty() || frame.line != 0) site = sites.of(frame, site);
    }
    of_stacks.push_back(site);
  }
  return of_stacks;
}

std::string text(std::uint64_t number) { return std::to_string(number); }

void warn(const Counts& counts, const Resolved& resolved, Trace& trace) {
  const auto add = [&](std::uint64_t count, std::string code, std::string what) {
    if (count > 0) trace.warnings.push_back({std::move(code), text(count) + what});
  };
  add(counts.without_message, "without-message",
      " sends and receives have no message in the trace and count as ones to MPI_PROC_NULL");
  add(counts.guessed, "completion-inferred",
      " sends and non-blocking collectives are taken to complete in the first wait that fits");
  add(counts.creations, "communicators-skipped",
      " calls that make communicators were left out, since the format does not say out of which");
  add(counts.renumbered, "tags-renumbered",
      " messages got tags of their own to be matched as recorded");
  add(counts.cut_tasks, "part-of-a-run",
      " tasks have no MPI_Init or no MPI_Finalize: their time is from the trace's begin to its "
      "end");
  add(resolved.cut_off, "cut-off", " messages were left out that a cut trace has no calls for");
  warn_of_tracer(counts.left_out_ns, trace);
}

}  // namespace

Trace assemble(const Records& records, const Names& names, Computation computation,
               unsigned threads) {
  const Resolved resolved = resolve(records, names);
  Trace trace;
  trace.format = "paraver";
  trace.no_common_clock = "a Paraver trace does not say how well the ranks' clocks agree";
  Counts total;
  const std::vector<NumberedGroup> groups(records.communicators.begin(),
                                          records.communicators.end());
  const Whole whole{records,
                    resolved,
                    computation,
                    creations_by_all(resolved),
                    add_communicators(groups, records.tasks.size(), trace),
                    tags_of(records, resolved, total.renumbered),
                    add_sites(records, names, trace)};
  trace.ranks.resize(records.tasks.size());
  std::vector<Counts> counts(trace.ranks.size());
  std::vector<std::vector<Share>> shares(trace.ranks.size());
  parallel_for(trace.ranks.size(), threads, [&](std::size_t task) {
    trace.ranks[task].source = records.source;
    shares[task] = RankAssembler(whole, task, trace.ranks[task], counts[task]).run();
  });
  for (std::size_t task = 0; task < shares.size(); ++task) {
    for (const Share& share : shares[task]) {
      const RankTrace& rank = trace.ranks[task];
      const Event& event = rank.events[share.event];
      if (!trace.communicators[event.comm].group.place_of(task)) {
        throw InputError(where(rank, event) + " is called by task " + std::to_string(task + 1) +
                         ", which is not a member of the communicator");
      }
    }
  }
  put_shares_together(trace, shares);
  for (const Counts& own : counts) {
    total.without_message += own.without_message;
    total.guessed += own.guessed;
    total.creations += own.creations;
    total.cut_tasks += own.cut_tasks;
    total.left_out_ns = std::max(total.left_out_ns, own.left_out_ns);
  }
  if (computation == Computation::outside_mpi) {
    trace.whole_ns = records.end_ns;
    const auto runs = [](const RawTask& task) { return task.running_ns > 0; };
    const bool states = std::ranges::any_of(records.tasks, runs);
    for (std::size_t task = 0; states && task < trace.ranks.size(); ++task) {
      trace.ranks[task].useful_ns = records.tasks[task].running_ns;
    }
  }
  warn(total, resolved, trace);
  return trace;
}

}  // namespace latitude::trace::paraver
