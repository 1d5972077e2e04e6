#include "core/trace/otf2/assemble.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/otf2/sizes.hpp"
#include "core/trace/shares.hpp"

namespace latitude::trace::otf2 {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;  // leaves room for sums

/// What was read otherwise than it stands there, counted over all ranks.
struct Counts {
  std::uint64_t creations = 0;  ///< calls that make communicators of unknown parents
  std::int64_t left_out_ns = 0;
};

/// The call that a region is: names are as in C, or in Fortran in any case.
Call call_of(std::string_view region) {
  std::string name(region);
  for (std::size_t i = 5; i < name.size(); ++i) {
    name[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  const Call call = call_named(name);
  return call != Call::count_ && class_of(call) == CallClass::local ? Call::count_ : call;
}

/// What is the same for all ranks.
struct Whole {
  const Archive& archive;
  std::vector<Call> calls;  ///< by region; Call::count_: local
  /// Indices by the archive's numbers; those of single ranks' own by rank.
  std::map<std::uint64_t, std::uint32_t> communicators;
  std::set<std::uint64_t> own;
  std::vector<std::uint32_t> own_of;
  std::set<std::uint64_t> inter;
  const Trace& trace;
};

/// The blocking form of a collective.
Call blocking(Call call) {
  if (class_of(call) != CallClass::icollective) return call;
  std::string name(name_of(call));  // MPI_Iallreduce
  name.erase(4, 1);
  name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[4])));
  return call_named(name);
}

class RankAssembler {
 public:
  RankAssembler(const Whole& whole, std::size_t rank, RankTrace& trace, Counts& counts)
      : whole_(whole),
        log_(whole.archive.ranks[rank]),
        number_(rank),
        clock_(log_.out),
        rank_(trace),
        counts_(counts) {}

  std::vector<Share> run() {
    rank_.source = log_.source;
    for (std::size_t i = 0; i < log_.calls.size(); ++i) call(i);
    if (!begun_) fail("has no MPI_Init; the trace is not of a whole run");
    if (!ended_) fail("has no MPI_Finalize; the trace is not of a whole run");
    counts_.left_out_ns = clock_.left_out_ns();
    count_calls();
    return std::move(shares_);
  }

 private:
  using Records = std::span<const Record>;

  Records records_of(std::size_t i) const {
    const std::size_t begin = log_.calls[i].first_record;
    const std::size_t end =
        i + 1 < log_.calls.size() ? log_.calls[i + 1].first_record : log_.records.size();
    return std::span(log_.records).subspan(begin, end - begin);
  }

  void call(std::size_t i) {
    const LoggedCall& logged = log_.calls[i];
    const Call call = whole_.calls[logged.region];
    const Records records = records_of(i);
    Event event{.position = logged.position, .call = call};
    if (call == Call::count_) {
      if (!records.empty()) refuse(event, i, "has messages or requests, which is not known of it");
      return;  // its time is computation
    }
    for (const Record& record : records) {
      const std::uint64_t bytes = std::max(record.bytes, record.received);
      if (bytes > kMostBytes) refuse(event, i, "moves " + std::to_string(bytes) + " bytes");
    }
    const CallClass kind = class_of(call);
    if (kind == CallClass::init) {
      if (begun_) refuse(event, i, "comes twice");
      begun_ = true;
      clock_.begin(logged.leave_ns);
      return void(add(event));
    }
    if (!begun_ || ended_) refuse(event, i, "is not between MPI_Init and MPI_Finalize");
    switch (kind) {
      case CallClass::finalize:
        ended_ = true;
        return void(add(timed(event, logged)));
      case CallClass::send:
      case CallClass::recv:
        return blocking_message(event, i, records);
      case CallClass::sendrecv:
        return sendrecv(event, i, records);
      case CallClass::isend:
      case CallClass::irecv:
      case CallClass::start:
        return post(event, i, records);
      case CallClass::completion:
        return completion(event, i, records);
      case CallClass::collective:
      case CallClass::icollective:
        return collective(event, i, records);
      case CallClass::comm_create:
        return creation(event, i, records);
      case CallClass::request_free:
      case CallClass::comm_free:
      case CallClass::persistent:
        for (const Record& record : records) {
          if (record.kind != Kind::cancelled && record.kind != Kind::isend_complete) continue;
          if (const auto id = closed(record.request)) cancel(event, i, rank_.events[*id]);
        }
        return pass(logged);
      case CallClass::isendrecv:
      case CallClass::partitioned:
      case CallClass::ready:
      case CallClass::collective_init:  // nothing is read of them yet
        event.flags = kUnsupported;
        return void(add(timed(event, logged)));
      case CallClass::probe:
      case CallClass::unsupported:
        return void(add(timed(event, logged)));
      case CallClass::local:
      case CallClass::init:
        return;
    }
  }

  /// A call that takes no time of its own.
  void pass(const LoggedCall& logged) {
    clock_.compute_until(logged.enter_ns);
    clock_.skip_until(logged.leave_ns);
  }
  Event timed(Event event, const LoggedCall& logged) {
    event.enter_ns = clock_.compute_until(logged.enter_ns);
    event.leave_ns = clock_.call_until(logged.leave_ns);
    return event;
  }
  std::uint32_t add(const Event& event) {
    rank_.events.push_back(event);
    return static_cast<std::uint32_t>(rank_.events.size() - 1);
  }

  /// Puts what a record says of a message into an event.
  void put(Event& event, std::size_t i, const Record& record) const {
    event.comm = communicator(event, i, record.comm);
    if ((event.flags & kUnsupported) != 0) return;
    const std::size_t size = whole_.trace.communicators[event.comm].group.size();
    constexpr std::uint32_t kMostTag = std::numeric_limits<std::int32_t>::max();
    if (record.peer >= size || record.tag > kMostTag) {
      refuse(event, i,
             "names rank " + std::to_string(record.peer) + " of a communicator of " +
                 std::to_string(size) + ", or a tag that is none");
    }
    set_message(event, {static_cast<std::int32_t>(record.peer),
                        static_cast<std::int32_t>(record.tag), record.bytes});
  }

  std::uint32_t communicator(Event& event, std::size_t i, std::uint64_t id) const {
    if (whole_.own.contains(id)) return whole_.own_of[number_];
    const auto found = whole_.communicators.find(id);
    if (found == whole_.communicators.end()) {
      if (!whole_.inter.contains(id)) {
        refuse(event, i, "uses communicator " + std::to_string(id) + ", which is not defined");
      }
      event.flags |= kUnsupported;
      return kWorld;
    }
    const std::vector<std::int32_t>& group = whole_.trace.communicators[found->second].group;
    if (std::ranges::find(group, static_cast<std::int32_t>(number_)) == group.end()) {
      refuse(event, i, "uses communicator " + std::to_string(id) + ", of which it is no member");
    }
    return found->second;
  }

  /// Without a record it is one with MPI_PROC_NULL.
  void blocking_message(Event event, std::size_t i, Records records) {
    event = timed(event, log_.calls[i]);
    set_message(event, {kProcNull, 0, 0});
    if (event.call == Call::Mprobe || event.call == Call::Improbe) event.flags |= kUnsupported;
    for (const Record& record : records) {
      const bool sends = record.kind == Kind::send || record.kind == Kind::isend;
      if (sends || record.kind == Kind::recv) {
        if (sends == receives(event.call)) refuse(event, i, "has a message of the other direction");
        put(event, i, record);
      } else {
        refuse(event, i, "completes requests, which is not known of it");
      }
    }
    add(event);
  }

  void sendrecv(Event event, std::size_t i, Records records) {
    event = timed(event, log_.calls[i]);
    set_message(event, {kProcNull, 0, 0});
    Message in{kProcNull, 0, 0};
    std::optional<std::uint64_t> comm;
    for (const Record& record : records) {
      if (comm.value_or(record.comm) != record.comm) refuse(event, i, "uses two communicators");
      comm = record.comm;
      if (record.kind == Kind::send) {
        put(event, i, record);
      } else if (record.kind == Kind::recv) {
        Event received = event;
        put(received, i, record);
        event.comm = received.comm;
        event.flags |= received.flags;
        in = message_of(received);
      } else {
        refuse(event, i, "completes requests, which is not known of it");
      }
    }
    set_received(rank_, event, in);
    add(event);
  }

  /// Non-blocking operations, and the persistent ones that a call starts, one event each.
  void post(Event event, std::size_t i, Records records) {
    event = timed(event, log_.calls[i]);
    if (records.empty()) return;  // with MPI_PROC_NULL
    const std::int64_t leave_ns = std::exchange(event.leave_ns, event.enter_ns);
    const bool starts = class_of(event.call) == CallClass::start;
    for (const Record& record : records) {
      Event posted = event;
      if (record.kind == Kind::isend) {
        if (starts) posted.call = Call::Isend;
        put(posted, i, record);
      } else if (record.kind == Kind::irecv_request) {
        if (starts) posted.call = Call::Irecv;
        set_message(posted, {kProcNull, 0, 0});  // until its end says more
      } else {
        refuse(event, i, "completes requests, which is not known of it");
      }
      if (receives(posted.call) != (record.kind == Kind::irecv_request)) {
        refuse(event, i, "has a message of the other direction");
      }
      if (!open_.emplace(record.request, add(posted)).second) {
        refuse(event, i, "makes request " + std::to_string(record.request) + ", which is pending");
      }
    }
    rank_.events.back().leave_ns = leave_ns;
  }

  /// The event that made a request, which is no longer pending.
  std::optional<std::uint32_t> closed(std::uint64_t request) {
    const auto found = open_.find(request);
    if (found == open_.end()) return std::nullopt;
    const std::uint32_t id = found->second;
    open_.erase(found);
    return id;
  }
  void cancel(const Event& event, std::size_t i, Event& made) const {
    if (class_of(made.call) == CallClass::icollective) {
      refuse(event, i, "cancels a collective, which cannot be");
    }
    set_message(made, {kProcNull, 0, 0});
  }

  void completion(Event event, std::size_t i, Records records) {
    std::vector<std::uint32_t> ids;
    for (const Record& record : records) {
      const std::optional<std::uint32_t> id = closed(record.request);
      if (!id) {
        refuse(event, i,
               "completes request " + std::to_string(record.request) + ", which is not pending");
      }
      Event& made = rank_.events[*id];
      const CallClass kind = class_of(made.call);
      const auto expect = [&](CallClass expected) {
        if (kind != expected) refuse(event, i, "completes a request of another kind");
      };
      switch (record.kind) {
        case Kind::isend_complete:
          expect(CallClass::isend);
          break;
        case Kind::irecv:
          expect(CallClass::irecv);
          put(made, i, record);
          break;
        case Kind::cancelled:
          cancel(event, i, made);
          break;
        case Kind::collective_complete:
          expect(CallClass::icollective);
          share(made, *id, i, record);
          break;
        default:
          refuse(event, i, "has an event that is none of a completion");
      }
      ids.push_back(*id);
    }
    const bool tests = name_of(event.call).starts_with("MPI_Test");
    if (ids.empty()) {
      if (!tests) pass(log_.calls[i]);  // it waited for nothing
      return;                           // the time of a failed test is computation
    }
    event = timed(event, log_.calls[i]);
    set_requests(rank_, event, ids);
    add(event);
  }

  void collective(Event event, std::size_t i, Records records) {
    event = timed(event, log_.calls[i]);
    if (name_of(event.call).find("eighbor") != std::string_view::npos) {
      event.flags |= kUnsupported;  // who the neighbours are is not recorded
    }
    const bool waits = class_of(event.call) == CallClass::collective;
    const Kind expected = waits ? Kind::collective : Kind::collective_request;
    if (records.size() != 1 || records[0].kind != expected) {
      refuse(event, i, "has no record of what it did");
    }
    const std::uint32_t id = add(event);
    if (waits) {
      share(rank_.events[id], id, i, records[0]);
    } else {
      shares_.push_back({id, false, 0, 0});
      if (!open_.emplace(records[0].request, id).second) refuse(event, i, "makes a request twice");
    }
  }

  /// What a collective's end says of the event that began it.
  void share(Event& event, std::uint32_t id, std::size_t i, const Record& record) {
    event.comm = communicator(event, i, record.comm);
    const std::vector<std::int32_t>& group = whole_.trace.communicators[event.comm].group;
    const auto self = static_cast<std::uint64_t>(
        std::ranges::find(group, static_cast<std::int32_t>(number_)) - group.begin());
    const bool root = record.peer == self;
    const Sizes sizes =
        sizes_of(blocking(event.call), record.bytes, record.received, root, self, group.size());
    const Share found{id, root, sizes.gives, sizes.gets};
    const auto same = [&](const Share& share) { return share.event == id; };
    const auto begun = std::ranges::find_if(shares_, same);
    if (class_of(event.call) == CallClass::collective || begun == shares_.end()) {
      shares_.push_back(found);
    } else {
      *begun = found;
    }
  }

  /// Making a communicator is a collective over its parent, where that is recorded.
  void creation(Event event, std::size_t i, Records records) {
    if (records.size() != 1 || records[0].kind != Kind::collective ||
        event.call == Call::Comm_create_group) {
      ++counts_.creations;
      return pass(log_.calls[i]);
    }
    event = timed(event, log_.calls[i]);
    event.comm = communicator(event, i, records[0].comm);
    add(event);
  }

  void count_calls() {
    std::map<std::string_view, std::uint64_t> counts;
    for (const LoggedCall& logged : log_.calls) ++counts[whole_.archive.regions[logged.region]];
    for (const auto& [name, count] : counts) rank_.call_counts.emplace_back(name, count);
    rank_.event_count = log_.calls.size();
  }

  [[noreturn]] void refuse(const Event& event, std::size_t i, const std::string& what) const {
    throw InputError(log_.source + ":" + std::to_string(event.position) + ": " +
                     whole_.archive.regions[log_.calls[i].region] + " " + what);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(log_.source + ": " + what);
  }

  const Whole& whole_;
  const Log& log_;
  std::size_t number_;
  ProgramClock clock_;
  RankTrace& rank_;
  Counts& counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_;  ///< events, by request
  std::vector<Share> shares_;
  bool begun_ = false;
  bool ended_ = false;
};

/// The archive's communicators; the world is the first, whether it is defined or not.
void add_communicators(const Archive& archive, Trace& trace, Whole& whole) {
  std::vector<std::int32_t> world(archive.ranks.size());
  std::iota(world.begin(), world.end(), 0);
  trace.communicators.push_back({world});
  bool world_named = false;
  for (const LoggedCommunicator& communicator : archive.communicators) {
    if (communicator.group.empty()) {
      whole.own.insert(communicator.id);
    } else if (!world_named && communicator.group == world) {
      whole.communicators[communicator.id] = kWorld;
      world_named = true;
    } else {
      whole.communicators[communicator.id] = static_cast<std::uint32_t>(trace.communicators.size());
      trace.communicators.push_back({communicator.group});
    }
  }
  if (whole.own.empty()) return;
  for (const std::int32_t rank : world) {
    whole.own_of.push_back(static_cast<std::uint32_t>(trace.communicators.size()));
    trace.communicators.push_back({{rank}});
  }
}

void warn(const Counts& counts, Trace& trace) {
  if (counts.creations > 0) {
    trace.warnings.push_back({"communicators-skipped",
                              std::to_string(counts.creations) +
                                  " calls that make communicators were left out, since the trace "
                                  "does not say out of which"});
  }
  if (counts.left_out_ns > 0) {
    char ms[32];
    std::snprintf(ms, sizeof ms, "%.3f", static_cast<double>(counts.left_out_ns) / 1e6);
    trace.warnings.push_back({"tracer-left-out", std::string("up to ") + ms +
                                                     " ms a rank, in which the tracer wrote its "
                                                     "buffers or was switched off, were left out"});
  }
}

}  // namespace

Trace assemble(const Archive& archive, unsigned threads) {
  Trace trace;
  trace.format = "otf2";
  trace.no_common_clock = "an OTF2 trace does not say how well the ranks' clocks agree";
  Whole whole{archive, {}, {}, {}, {}, {}, trace};
  for (const std::string& region : archive.regions) {
    whole.calls.push_back(call_of(region));
  }
  whole.inter.insert(archive.inter_communicators.begin(), archive.inter_communicators.end());
  add_communicators(archive, trace, whole);
  trace.ranks.resize(archive.ranks.size());
  std::vector<Counts> counts(trace.ranks.size());
  std::vector<std::vector<Share>> shares(trace.ranks.size());
  parallel_for(trace.ranks.size(), threads, [&](std::size_t rank) {
    shares[rank] = RankAssembler(whole, rank, trace.ranks[rank], counts[rank]).run();
  });
  put_shares_together(trace, shares);
  Counts total;
  for (const Counts& own : counts) {
    total.creations += own.creations;
    total.left_out_ns = std::max(total.left_out_ns, own.left_out_ns);
  }
  warn(total, trace);
  return trace;
}

}  // namespace latitude::trace::otf2
