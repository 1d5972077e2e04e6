#include "core/trace/otf2/assemble.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/otf2/sizes.hpp"
#include "core/trace/shares.hpp"
#include "core/trace/warnings.hpp"

namespace latitude::trace::otf2 {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;  // leaves room for sums

/// Records that Latitude read with another meaning than their own, counted over all ranks.
struct Counts {
  std::uint64_t creations = 0;  ///< calls that make communicators of unknown parents
  std::int64_t left_out_ns = 0;
};

/// The call of a region: names are as in C, or in Fortran in any case.
Call call_of(std::string_view region) {
  std::string name(region);
  for (std::size_t i = 5; i < name.size(); ++i) {
    name[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  const Call call = call_named(name);
  return call != Call::count_ && class_of(call) == CallClass::local ? Call::count_ : call;
}

/// The data common to all ranks.
struct Whole {
  const Archive& archive;
  std::vector<Call> calls;  ///< by region; Call::count_: local
  /// Indices by the archive's numbers; by rank for communicators of single ranks.
  std::map<std::uint64_t, std::uint32_t> communicators;
  std::set<std::uint64_t> own;
  std::vector<std::uint32_t> own_of;
  std::set<std::uint64_t> inter;
  const Trace& trace;
};

/// The logs of a rank's threads, the first thread's first.
std::vector<const Log*> logs_of(const Log& rank) {
  std::vector<const Log*> logs{&rank};
  for (const Log& thread : rank.threads) logs.push_back(&thread);
  return logs;
}

class RankAssembler {
 public:
  RankAssembler(const Whole& whole, std::size_t rank, RankTrace& trace, Counts& counts)
      : whole_(whole), number_(rank), rank_(trace), counts_(counts) {
    std::size_t calls = 0;
    for (const Log* const log : logs_of(whole.archive.ranks[rank])) {
      threads_.push_back({.log = log, .program = {log->out, trace}, .first_site = sites_});
      sites_ += static_cast<std::uint32_t>(log->sites.size());
      calls += log->calls.size();
    }
    trace.events.reserve(calls);
  }

  std::vector<Share> run() {
    const Archive& archive = whole_.archive;
    rank_.source = threads_.size() == 1 ? threads_[0].log->source
                                        : archive.source + " rank " + std::to_string(number_);
    while (to_next_call()) call(thread_->next++);
    if (!begun_) fail("has no MPI_Init; the trace is not of a whole run");
    if (!ended_) fail("has no MPI_Finalize; the trace is not of a whole run");
    for (const Thread& thread : threads_) {
      counts_.left_out_ns = std::max(counts_.left_out_ns, thread.program.left_out_ns());
    }
    count();
    const std::vector<std::uint16_t>& threads = rank_.threads;
    if (std::ranges::all_of(threads, [&](auto thread) { return thread == threads.front(); })) {
      release(rank_.threads);
    }
    return std::move(shares_);
  }

 private:
  using Records = std::span<const Record>;

  struct Thread {
    const Log* log;
    ProgramEvents program;
    std::uint32_t first_site;  ///< start of the thread's own sites among those of the rank
    std::size_t next = 0;      ///< index of the next call
    bool begun = false;        ///< whether its clock has begun
  };

  /// Calls of several threads follow each other by their entries, completions by their exits: the
  /// operations that they complete may have been posted in between.
  std::int64_t instant(const Thread& thread) const {
    const LoggedCall& logged = thread.log->calls[thread.next];
    const Call call = whole_.calls[logged.region];
    const bool completes = call != Call::count_ && class_of(call) == CallClass::completion;
    return completes ? logged.leave_ns : logged.enter_ns;
  }
  bool to_next_call() {
    thread_ = nullptr;
    for (Thread& thread : threads_) {
      if (thread.next == thread.log->calls.size()) continue;
      if (thread_ == nullptr || instant(thread) < instant(*thread_)) thread_ = &thread;
    }
    return thread_ != nullptr;
  }
  const LoggedCall& logged(std::size_t i) const { return thread_->log->calls[i]; }

  Records records_of(std::size_t i) const {
    const Log& log = *thread_->log;
    const std::size_t begin = log.calls[i].first_record;
    const std::size_t end =
        i + 1 < log.calls.size() ? log.calls[i + 1].first_record : log.records.size();
    return std::span(log.records).subspan(begin, end - begin);
  }

  void call(std::size_t i) {
    call_ = i;
    const LoggedCall& logged = this->logged(i);
    const Call call = whole_.calls[logged.region];
    const Records records = records_of(i);
    Event event{.position = logged.position, .call = call};
    if (call == Call::count_) {
      if (!records.empty())
        refuse(event, i, "has messages or requests, which this call cannot have");
      return;  // the call's time is computation
    }
    for (const Record& record : records) {
      const std::uint64_t bytes = std::max(record.bytes, record.received);
      if (bytes > kMostBytes) refuse(event, i, "moves " + std::to_string(bytes) + " bytes");
    }
    const CallClass kind = class_of(call);
    if (kind == CallClass::init) {
      if (begun_) refuse(event, i, "comes twice");
      begun_ = thread_->begun = true;
      thread_->program.begin(logged.leave_ns);
      main_ = thread_;
      main_ns_ = logged.leave_ns;
      return void(add(event));
    }
    if (!begun_ || ended_) refuse(event, i, "is not between MPI_Init and MPI_Finalize");
    if (!std::exchange(thread_->begun, true)) {
      thread_->program.begin(logged.enter_ns, main_at_ns_ + logged.enter_ns - main_ns_);
    }
    if (logged.not_in_graphs) {
      if (!records.empty()) refuse(event, i, "has messages or requests, and no graph has it");
      event.flags = kUnsupported;
      return void(add(timed(event, logged)));
    }
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
        if (!records.empty()) return post(event, i, records);
        [[fallthrough]];
      case CallClass::partitioned:
      case CallClass::ready:
      case CallClass::collective_init:  // no reader needs them yet
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

  void pass(const LoggedCall& logged) { thread_->program.pass(logged.enter_ns, logged.leave_ns); }
  Event timed(const Event& event, const LoggedCall& logged) {
    const Event result = thread_->program.timed(event, logged.enter_ns, logged.leave_ns);
    if (thread_ == main_) {
      main_ns_ = logged.enter_ns;
      main_at_ns_ = result.enter_ns;
    }
    return result;
  }
  std::uint32_t add(const Event& event) {
    if (sites_ > 0) {
      const std::uint32_t site = logged(call_).site;
      rank_.sites.push_back(site == kNoSite ? kNoSite : site + thread_->first_site);
    }
    if (threads_.size() > 1) {
      rank_.threads.push_back(static_cast<std::uint16_t>(thread_ - threads_.data()));
    }
    return thread_->program.add(event);
  }
  /// The values of a record's attributes; none without attributes.
  const Extra* extra_of(const Record& record) const {
    return record.extra == kNoExtra ? nullptr : &thread_->log->extras[record.extra];
  }

  /// Puts the message of a record into an event.
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
    if (!whole_.trace.communicators[found->second].group.place_of(number_)) {
      refuse(event, i, "uses communicator " + std::to_string(id) + ", of which it is not a member");
    }
    return found->second;
  }

  /// Adds a blocking call. Without a record it is a message with MPI_PROC_NULL.
  void blocking_message(Event event, std::size_t i, Records records) {
    event = timed(event, logged(i));
    set_message(event, {kProcNull, 0, 0});
    const bool probes = event.call == Call::Mprobe || event.call == Call::Improbe;
    if (probes && records.empty()) event.flags |= kUnsupported;  // another call has its message
    for (const Record& record : records) {
      const bool sends = record.kind == Kind::send || record.kind == Kind::isend;
      if (sends || record.kind == Kind::recv) {
        if (sends == receives(event.call)) refuse(event, i, "has a message of the other direction");
        put(event, i, record);
      } else {
        refuse(event, i, "completes requests, which this call cannot do");
      }
    }
    add(event);
  }

  void sendrecv(Event event, std::size_t i, Records records) {
    event = timed(event, logged(i));
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
        refuse(event, i, "completes requests, which this call cannot do");
      }
    }
    set_received(rank_, event, in);
    add(event);
  }

  /// Non-blocking operations, and the persistent ones that a call starts, with one event each.
  void post(Event event, std::size_t i, Records records) {
    const bool several =
        class_of(event.call) == CallClass::start || class_of(event.call) == CallClass::isendrecv;
    if (records.empty() && several) return pass(logged(i));
    event = timed(event, logged(i));
    set_message(event, {kProcNull, 0, 0});
    if (records.empty()) return void(add(event));
    const std::int64_t leave_ns = std::exchange(event.leave_ns, event.enter_ns);
    for (const Record& record : records) {
      Event posted = event;
      if (record.kind == Kind::isend) {
        const Extra* const extra = extra_of(record);
        const Call as = extra == nullptr ? Call::count_ : extra->started;
        if (several) posted.call = as == Call::count_ ? Call::Isend : as;
        put(posted, i, record);
      } else if (record.kind == Kind::irecv_request) {
        if (several) posted.call = Call::Irecv;  // its end has the received message
      } else {
        refuse(event, i, "completes requests, which this call cannot do");
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

  /// The event that made a request, which is then no longer pending.
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
          refuse(event, i, "has an event that does not belong to a completion");
      }
      ids.push_back(*id);
    }
    const bool tests = name_of(event.call).starts_with("MPI_Test");
    if (ids.empty()) {
      if (!tests) return void(pass(logged(i)));  // the call did not wait
    }
    event = timed(event, logged(i));
    set_requests(rank_, event, ids);
    add(event);
  }

  void collective(Event event, std::size_t i, Records records) {
    event = timed(event, logged(i));
    const bool waits = class_of(event.call) == CallClass::collective;
    const Kind expected = waits ? Kind::collective : Kind::collective_request;
    if (records.size() != 1 || records[0].kind != expected) {
      if (!of_neighbours(event.call)) refuse(event, i, "has no record of its effect");
      event.flags |= kUnsupported;
      return void(add(event));
    }
    const std::uint32_t id = add(event);
    if (waits) {
      share(rank_.events[id], id, i, records[0]);
    } else {
      shares_.push_back({id, false, 0, 0});
      if (!open_.emplace(records[0].request, id).second) refuse(event, i, "makes a request twice");
    }
  }

  static bool of_neighbours(Call call) {
    const ListLayout layout = list_layout(call);
    return layout == ListLayout::neighbours || layout == ListLayout::neighbours_and_bytes;
  }

  /// Adds the data of a collective's end to the event of its start.
  void share(Event& event, std::uint32_t id, std::size_t i, const Record& record) {
    event.comm = communicator(event, i, record.comm);
    const Members& group = whole_.trace.communicators[event.comm].group;
    const auto self = static_cast<std::uint64_t>(*group.place_of(number_));
    const bool root = record.peer == self;
    const Sizes sizes = sizes_of(blocking_form(event.call), record.bytes, record.received, root,
                                 self, group.size());
    Share found{id, root, sizes.gives, sizes.gets};
    if (const Extra* const extra = extra_of(record)) add_extra(event, i, *extra, found);
    if (of_neighbours(event.call) && !found.has_lists) {
      event.flags |= kUnsupported;  // the neighbours are not recorded
    }
    if (class_of(event.call) == CallClass::collective) {
      shares_.push_back(found);
    } else {  // its call has set a root
      *std::ranges::lower_bound(shares_, id, {}, &Share::event) = found;
    }
  }

  /// Adds the archive's data on a collective, other than its sums.
  void add_extra(Event& event, std::size_t i, const Extra& extra, Share& share) {
    if (extra.in_place) event.flags |= kInPlace;
    if (extra.own_operation) event.flags |= kUserOp;
    if (extra.bytes) {
      if (*extra.bytes > kMostBytes) {
        refuse(event, i, "moves " + std::to_string(*extra.bytes) + " bytes");
      }
      event.bytes = share.gives = share.gets = *extra.bytes;
    }
    if (extra.element > 1) set_element(event, extra.element);
    if (!extra.lists) return;
    const std::size_t size = whole_.trace.communicators[event.comm].group.size();
    const std::string fault = fault_in_lists(event.call, *extra.lists, size, kMostBytes);
    if (!fault.empty()) refuse(event, i, fault);
    set_list_values(rank_, event, *extra.lists);
    share.has_lists = true;
  }

  /// Making a communicator is a collective over its parent, if the parent is recorded.
  void creation(Event event, std::size_t i, Records records) {
    std::optional<std::uint64_t> over;
    std::optional<std::uint64_t> made;
    for (const Record& record : records) {
      if (record.kind == Kind::collective) over = record.comm;
      if (record.kind == Kind::comm_create) made = record.comm;
    }
    if (!over || (made_by_members(event.call) && !made)) {
      ++counts_.creations;
      return pass(logged(i));
    }
    event = timed(event, logged(i));
    event.comm = communicator(event, i, *over);
    if (made) {
      Event making = event;
      set_communicator_made(rank_, event, communicator(making, i, *made));
      event.flags |= making.flags;
    }
    add(event);
  }

  void count() {
    std::vector<std::string_view> names;
    names.reserve(rank_.events.capacity());
    for (const Thread& thread : threads_) {
      for (const LoggedCall& logged : thread.log->calls) {
        names.push_back(whole_.archive.regions[logged.region]);
      }
    }
    count_calls(names, rank_);
    for (const auto& [name, count] : whole_.archive.ranks[number_].other_calls) {
      rank_.call_counts.emplace_back(name, count);
      rank_.event_count += count;
    }
  }

  [[noreturn]] void refuse(const Event& event, std::size_t i, const std::string& what) const {
    throw InputError(thread_->log->source + ":" + std::to_string(event.position) + ": " +
                     whole_.archive.regions[logged(i).region] + " " + what);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(rank_.source + ": " + what);
  }

  const Whole& whole_;
  std::size_t number_;
  RankTrace& rank_;
  Counts& counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_;  ///< events, by request
  std::vector<Share> shares_;                              ///< by event
  std::vector<Thread> threads_;
  std::uint32_t sites_ = 0;   ///< number of sites of all threads
  Thread* thread_ = nullptr;  ///< the thread of the call
  std::size_t call_ = 0;      ///< the thread whose events are being added
  Thread* main_ = nullptr;    ///< the thread that called MPI_Init
  std::int64_t main_ns_ =
      0;  ///< time of main_'s last entry into a call (at first: its exit from MPI_Init)
  std::int64_t main_at_ns_ = 0;  ///< main_ns_ by the time of its program
  bool begun_ = false;
  bool ended_ = false;
};

/// The communicators of which each rank has its own.
void add_own(const Archive& archive, Trace& trace, Whole& whole) {
  whole.own.insert(archive.of_one_each.begin(), archive.of_one_each.end());
  if (whole.own.empty()) return;
  for (std::size_t rank = 0; rank < archive.ranks.size(); ++rank) {
    whole.own_of.push_back(static_cast<std::uint32_t>(trace.communicators.size()));
    trace.communicators.push_back({{static_cast<std::int32_t>(rank)}});
  }
}

/// Adds the sites of all ranks, each once, and the site of each event.
void add_sites(const Archive& archive, Trace& trace) {
  NamedSites sites(trace);
  for (std::size_t rank = 0; rank < archive.ranks.size(); ++rank) {
    std::vector<std::uint32_t> index;
    for (const Log* const log : logs_of(archive.ranks[rank])) {
      const std::size_t first = index.size();
      for (const LoggedSite& site : log->sites) {
        const std::uint32_t caller = site.caller == kNoSite ? kNoSite : index[first + site.caller];
        index.push_back(sites.of(archive.frames[site.frame], caller));
      }
    }
    std::vector<std::uint32_t>& of_events = trace.ranks[rank].sites;
    for (std::uint32_t& site : of_events) {
      if (site != kNoSite) site = index[site];
    }
  }
}

void warn(const Counts& counts, Trace& trace) {
  if (counts.creations > 0) {
    trace.warnings.push_back({"communicators-skipped",
                              std::to_string(counts.creations) +
                                  " calls that make communicators were left out, since the trace "
                                  "does not say out of which"});
  }
  warn_of_tracer(counts.left_out_ns, trace);
}

/// Makes the trace of an archive, rank by rank.
class Assembler {
 public:
  explicit Assembler(const Archive& archive)
      : archive_(archive),
        whole_{archive, {}, {}, {}, {}, {}, trace_},
        counts_(archive.ranks.size()),
        shares_(archive.ranks.size()) {
    trace_.format = "otf2";
    trace_.no_common_clock = "an OTF2 trace does not say how well the ranks' clocks agree";
    for (const std::string& region : archive.regions) whole_.calls.push_back(call_of(region));
    whole_.inter.insert(archive.inter_communicators.begin(), archive.inter_communicators.end());
    whole_.communicators = add_communicators(archive.communicators, archive.ranks.size(), trace_);
    add_own(archive, trace_, whole_);
    trace_.ranks.resize(archive.ranks.size());
  }
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  /// Different threads may handle different ranks at the same time.
  void take(std::size_t rank) {
    shares_[rank] = RankAssembler(whole_, rank, trace_.ranks[rank], counts_[rank]).run();
  }

  /// Call after all ranks.
  Trace finish() {
    put_shares_together(trace_, shares_);
    add_sites(archive_, trace_);
    Counts total;
    for (const Counts& own : counts_) {
      total.creations += own.creations;
      total.left_out_ns = std::max(total.left_out_ns, own.left_out_ns);
    }
    warn(total, trace_);
    if (auto warning = thread_waits_unseen(trace_.ranks)) trace_.warnings.push_back(*warning);
    return std::move(trace_);
  }

 private:
  const Archive& archive_;
  Trace trace_;
  Whole whole_;
  std::vector<Counts> counts_;
  std::vector<std::vector<Share>> shares_;
};

}  // namespace

Trace assemble(const Archive& archive, unsigned threads) {
  Assembler assembler(archive);
  parallel_for(archive.ranks.size(), threads, [&](std::size_t rank) { assembler.take(rank); });
  return assembler.finish();
}

Trace read_and_assemble(const std::string& anchor) {
  Archive archive;
  std::optional<Assembler> assembler;
  read_archive(anchor, archive, [&](std::size_t rank) {
    if (!assembler) assembler.emplace(archive);
    assembler->take(rank);
    const auto empty = [](Log& log) {
      release(log.calls);
      release(log.records);
      release(log.extras);
    };
    empty(archive.ranks[rank]);
    std::ranges::for_each(archive.ranks[rank].threads, empty);
  });
  return assembler->finish();
}

}  // namespace latitude::trace::otf2
