#include "core/trace/dumpi/dumpi.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/parallel.hpp"
#include "core/trace/dumpi/communicators.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/infer/arguments.hpp"
#include "core/trace/infer/fail.hpp"
#include "core/trace/warnings.hpp"

namespace latitude::trace {
namespace {

using dumpi::Comm;
using dumpi::FromMinusOne;
using dumpi::kNothing;
using dumpi::kWorldLife;
using dumpi::Log;
using infer::kRetrace;

[[noreturn]] void refuse(const Log& log, const Event& event, const std::string& text) {
  throw InputError(where(log.trace, event) + " " + text);
}

/// Turns comm, peers and own blocks of a rank's events into those of event.hpp.
class Normaliser {
 public:
  Normaliser(Log& log, const std::vector<Communicator>& communicators, bool mpich)
      : log_(log), communicators_(communicators), mpich_(mpich) {}

  void run() {
    for (Event& event : log_.trace.events) {
      const CallClass kind = class_of(event.call);
      const Comm& comm = log_.comms[event.comm];
      if (!infer::names_communicator(kind) || (event.flags & kUnsupported) != 0) {
        event.comm = comm.known_as == kNothing ? kWorld : comm.known_as;
        if (kind == CallClass::start) started_peers(event);
        continue;
      }
      if (comm.known_as == kNothing) {
        refuse(log_, event,
               "uses the communicator that " + std::string(name_of(comm.call)) + " in record " +
                   std::to_string(comm.record) + " made, whose ranks the files do not prove; " +
                   kRetrace);
      }
      event.comm = comm.known_as;
      const auto size = static_cast<std::int32_t>(communicators_[event.comm].group.size());
      if (kind == CallClass::collective) {
        collective(event, comm.place, size);
      } else if (kind != CallClass::comm_create) {
        peers(event, kind, size);
      }
    }
  }

 private:
  void peers(Event& event, CallClass kind, std::int32_t size) {
    set_message(event, checked(event, message_of(event), size, receives(event.call)));
    if (kind == CallClass::sendrecv) {
      set_received(log_.trace, event, checked(event, received_by(log_.trace, event), size, true));
    }
  }

  /// Checks the receives of a start that statuses resolved. The calls that made the other receives
  /// have their peers.
  void started_peers(Event& event) {
    if ((event.flags & kResolved) == 0) return;
    const std::size_t count = request_values(log_.trace, event).size();
    for (std::size_t slot = 0; slot < count; ++slot) {
      const Started each = started(log_.trace, event, slot);
      const auto size = static_cast<std::int32_t>(communicators_[each.made.comm].group.size());
      const Message message = checked(event, each.message, size, receives(each.made.call));
      resolve_started(log_.trace, event, slot, message.peer, message.tag);
    }
  }

  Message checked(const Event& event, Message message, std::int32_t size, bool received) const {
    // MPI_PROC_NULL is −2 under Open MPI, and −1 under MPICH, whose receives are distinguished
    // elsewhere.
    if (!received && mpich_ && message.peer == -1) message.peer = kProcNull;
    const bool symbol = message.peer == kProcNull || (received && message.peer == kAnySource);
    if (!symbol && (message.peer < 0 || message.peer >= size)) {
      refuse(log_, event,
             "has peer " + std::to_string(message.peer) + " of " + std::to_string(size) +
                 " ranks; the file is damaged, " + kRetrace);
    }
    if (message.tag < 0 && message.peer != kProcNull && !(received && message.tag == kAnyTag)) {
      refuse(log_, event, std::string("has a negative tag; the file is damaged, ") + kRetrace);
    }
    return message;
  }

  void collective(Event& event, std::int32_t place, std::int32_t size) {
    const std::int32_t root = root_of(event);
    if (root < 0 || root >= size) {
      refuse(log_, event,
             "has root " + std::to_string(root) + " of " + std::to_string(size) +
                 " ranks; the file is damaged, " + kRetrace);
    }
    const Lists lists = collective_of(log_.trace, event).lists;
    for (const auto& list : {lists.to_each, lists.from_each}) {
      if (!list.empty() && list.size() != static_cast<std::size_t>(size)) {
        refuse(log_, event, "does not list one count for each rank; the file is damaged");
      }
    }
    if (event.call == Call::Allgatherv || event.call == Call::Reduce_scatter) {
      event.bytes = static_cast<std::uint64_t>(lists.from_each[static_cast<std::size_t>(place)]);
    } else if (lists.values == 0 && needs_lists(event, place)) {
      refuse(log_, event, "does not list one count for each rank; the file is damaged");
    }
  }

  static bool needs_lists(const Event& event, std::int32_t place) {
    if (list_layout(event.call) == ListLayout::none) return false;
    return !lists_at_root(event.call) || root_of(event) == place;
  }

  Log& log_;
  const std::vector<Communicator>& communicators_;
  bool mpich_;
};

/// Sets the sender and the tag of a receive from −1.
void give(Log& log, const FromMinusOne& receive, std::int32_t peer, std::int32_t tag) {
  Event& event = log.trace.events[receive.event];
  log.wildcards += peer == kProcNull ? 0 : 1;
  if (receive.slot != kNothing) {
    resolve_started(log.trace, event, receive.slot, peer, tag);
  } else if (class_of(event.call) == CallClass::sendrecv) {
    set_received(log.trace, event, {peer, tag, received_by(log.trace, event).bytes});
  } else {
    set_message(event, {peer, tag, event.bytes});
  }
}

/// Gives each receive from −1 with an empty status the sender 0: −1 is MPI_ANY_SOURCE here.
void believe_statuses(std::vector<Log>& logs) {
  for (Log& log : logs) {
    for (const FromMinusOne& each : log.from_minus_one) {
      if (each.has_status) give(log, each, 0, 0);
    }
  }
}

/// In a trace in which −1 is MPI_PROC_NULL, a receive from −1 without a status may also be from any
/// source. The answer is known if the number of messages sent to its rank is the number of the
/// other receives, or of all receives.
class MinusOnes {
 public:
  MinusOnes(std::vector<Log>& logs, const std::vector<Communicator>& communicators)
      : logs_(logs), communicators_(communicators) {}

  void run() {
    for (std::size_t rank = 0; rank < logs_.size(); ++rank) count(rank);
    for (std::size_t rank = 0; rank < logs_.size(); ++rank) settle(rank);
  }

 private:
  struct Counts {
    std::int64_t sent = 0;
    std::int64_t received = 0;  ///< from a rank
    std::int64_t unclear = 0;
  };
  using Key = std::pair<std::uint32_t, std::int32_t>;  ///< communicator, receiver

  void count(std::size_t rank) {
    const Log& log = logs_[rank];
    const auto message = [&](std::uint32_t comm, const Message& each, bool received) {
      const std::uint32_t known = log.comms[comm].known_as;
      if (known == kNothing) return;
      const auto& group = communicators_[known].group;
      if (received) {
        Counts& own = counts_[{known, static_cast<std::int32_t>(rank)}];
        if (each.peer >= 0) ++own.received;
      } else if (each.peer >= 0 && static_cast<std::size_t>(each.peer) < group.size()) {
        ++counts_[{known, group[static_cast<std::size_t>(each.peer)]}].sent;
      }
    };
    for (const Event& event : log.trace.events) {
      switch (class_of(event.call)) {
        case CallClass::sendrecv:
          message(event.comm, received_by(log.trace, event), true);
          [[fallthrough]];
        case CallClass::send:
        case CallClass::isend:
        case CallClass::recv:
        case CallClass::irecv:
          message(event.comm, message_of(event), receives(event.call));
          break;
        case CallClass::start:
          for (std::size_t i = 0; i < request_values(log.trace, event).size(); ++i) {
            const Started each = started(log.trace, event, i);
            message(each.made.comm, each.message, receives(each.made.call));
          }
          break;
        default:
          break;
      }
    }
    for (const FromMinusOne& each : log.from_minus_one) ++counts_[key(rank, each)].unclear;
  }

  std::uint32_t comm_of(std::size_t rank, const FromMinusOne& each) const {
    const Log& log = logs_[rank];
    const Event& event = log.trace.events[each.event];
    const std::uint32_t comm =
        each.slot == kNothing ? event.comm : started(log.trace, event, each.slot).made.comm;
    return log.comms[comm].known_as;
  }
  Key key(std::size_t rank, const FromMinusOne& each) const {
    return {comm_of(rank, each), static_cast<std::int32_t>(rank)};
  }

  void settle(std::size_t rank) {
    Log& log = logs_[rank];
    for (const FromMinusOne& each : log.from_minus_one) {
      const Counts& counts = counts_[key(rank, each)];
      Event& event = log.trace.events[each.event];
      if (counts.sent == counts.received + counts.unclear) {
        if (each.has_status) give(log, each, 0, 0);
        continue;
      }
      if (counts.sent != counts.received) {
        refuse(log, event,
               std::string("receives from -1, which is MPI_PROC_NULL or MPI_ANY_SOURCE of the MPI "
                           "that ran, and has no status that says which; ") +
                   kRetrace);
      }
      give(log, each, kProcNull, 0);
    }
  }

  std::vector<Log>& logs_;
  const std::vector<Communicator>& communicators_;
  std::map<Key, Counts> counts_;
};

void add_warnings(const std::vector<Log>& logs, Trace& trace) {
  std::uint64_t wildcards = 0;
  std::uint64_t by_cpu_time = 0;
  std::map<std::string, std::uint64_t> ignored;
  for (const Log& log : logs) {
    wildcards += log.wildcards;
    by_cpu_time += log.by_cpu_time ? 1 : 0;
    for (const auto& [name, count] : log.ignored) ignored[name] += count;
  }
  if (by_cpu_time != 0) {
    trace.warnings.push_back(cpu_clock(by_cpu_time, logs.size(), ": the files hold no wall clock"));
  }
  if (wildcards != 0) trace.warnings.push_back(wildcard_matches(wildcards));
  if (ignored.empty()) return;
  std::string calls;
  for (const auto& [name, count] : ignored) {
    calls.append(calls.empty() ? "" : ", ").append(std::to_string(count)).append(" " + name);
  }
  trace.warnings.push_back({"calls-not-recorded",
                            "the files say that calls were made while DUMPI did not record them: " +
                                calls + "; they are left out, and their time is computation"});
}

void check_whole(const std::vector<Log>& logs, std::optional<std::uint32_t> ranks) {
  if (!ranks) {
    const bool said = logs.size() == 1 || std::ranges::any_of(logs, [](const Log& log) {
                        return log.comms[kWorldLife].size.has_value();
                      });
    if (said) return;  // the resolver compares the size with the number of files
    throw InputError(logs[0].trace.source +
                     ": there is no .meta file next to it, and no rank asks how many there are, so "
                     "it is unknown whether these " +
                     std::to_string(logs.size()) +
                     " files are all; copy the .meta file, too, or write one: numprocs=N");
  }
  if (*ranks != logs.size()) {
    throw InputError(logs[0].trace.source + ": the .meta file says that the run had " +
                     std::to_string(*ranks) + " ranks, and " + std::to_string(logs.size()) +
                     " files were given; copy the files of every rank");
  }
}

}  // namespace

std::uint32_t ranks_in_meta(const std::string& name, std::string_view text) {
  constexpr std::string_view kKey = "numprocs=";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(kKey)) continue;
    std::uint32_t ranks = 0;
    const char* const last = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + kKey.size(), last, ranks);
    if (error == std::errc{} && (stop == last || *stop == '\r') && ranks > 0) return ranks;
    break;
  }
  throw InputError(name +
                   ": says no number of ranks (a line numprocs=N); copy it again, or write "
                   "that line");
}

Trace assemble_dumpi(std::vector<Log> logs, std::optional<std::uint32_t> ranks, unsigned threads) {
  if (logs.empty()) throw InputError("no trace files; give the files that DUMPI wrote");
  check_whole(logs, ranks);
  Trace trace;
  trace.format = "DUMPI";
  trace.communicators = dumpi::resolve_communicators(logs);
  const bool mpich = std::ranges::any_of(logs, &Log::sends_to_minus_one);
  if (mpich) {
    MinusOnes(logs, trace.communicators).run();
  } else {
    believe_statuses(logs);
  }
  parallel_for(logs.size(), threads,
               [&](std::size_t r) { Normaliser(logs[r], trace.communicators, mpich).run(); });
  add_warnings(logs, trace);
  for (Log& log : logs) trace.ranks.push_back(std::move(log.trace));
  return trace;
}

}  // namespace latitude::trace
