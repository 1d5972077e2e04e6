#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/release.hpp"
#include "core/trace/event_args.hpp"
#include "core/trace/native/merge.hpp"

namespace latitude::trace::native {
namespace {

struct Known {
  std::uint32_t index;
  const RankLog* log;  ///< the file that described it first
  const LocalComm* comm;
};

/// Lists of members, each once.
class Lists {
 public:
  Members of(const Group& group) {
    Key key{group.size, group.first, group.step, group.listed};
    const auto [known, is_new] = known_.try_emplace(std::move(key));
    if (is_new) {
      std::vector<std::int32_t> ranks;
      ranks.reserve(group.size);
      for (std::uint32_t i = 0; i < group.size; ++i) ranks.push_back(group[i]);
      known->second = std::move(ranks);
    }
    return known->second;
  }

 private:
  using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t, std::vector<std::int32_t>>;
  std::map<Key, Members> known_;
};

[[noreturn]] void disagree(const RankLog& log, const LocalComm& comm, const Known& known) {
  throw InputError(log.trace.source + ": byte " + std::to_string(comm.offset) +
                   ": has other members for the communicator that rank " +
                   std::to_string(comm.leader) + " leads (its number " +
                   std::to_string(comm.count) + ") than " + known.log->trace.source + ", byte " +
                   std::to_string(known.comm->offset) +
                   "; the files do not belong to one run, or are damaged");
}

}  // namespace

Numbers number_communicators(const std::vector<RankLog>& logs, Trace& trace) {
  trace.communicators.push_back({Members::all(logs.size())});
  std::map<std::pair<std::uint64_t, std::uint64_t>, Known> known;
  Lists lists;
  Numbers of(logs.size());
  for (std::size_t r = 0; r < logs.size(); ++r) {
    of[r].push_back(kWorld);
    for (std::size_t c = 1; c < logs[r].comms.size(); ++c) {
      const LocalComm& comm = logs[r].comms[c];
      if (comm.kind != CommKind::intra) {  // events on it are rejected with their name, or skipped
        of[r].push_back(kWorld);
        continue;
      }
      const auto index = static_cast<std::uint32_t>(trace.communicators.size());
      const auto [at, fresh] =
          known.try_emplace({comm.leader, comm.count}, Known{index, &logs[r], &comm});
      if (fresh) {
        trace.communicators.push_back({lists.of(comm.group)});
      } else if (comm.group != at->second.comm->group) {
        disagree(logs[r], comm, at->second);
      }
      of[r].push_back(at->second.index);
    }
  }
  return of;
}

void renumber_communicators(std::span<const std::uint32_t> numbers, RankTrace& rank, Event& event) {
  event.comm = numbers[event.comm];
  if (class_of(event.call) != CallClass::comm_create) return;
  const std::int64_t made = communicator_made(rank, event).value_or(kCommNull);
  if (made != kCommNull) {
    set_communicator_made(rank, event, numbers[static_cast<std::size_t>(made)]);
  }
}

void merge_communicators(std::vector<RankLog>& logs, Trace& trace, unsigned threads) {
  const Numbers of = number_communicators(logs, trace);
  parallel_for(logs.size(), threads, [&](std::size_t r) {
    RankTrace& rank = logs[r].trace;
    for (Event& event : rank.events) renumber_communicators(of[r], rank, event);
    release(logs[r].comms);
  });
}

}  // namespace latitude::trace::native
