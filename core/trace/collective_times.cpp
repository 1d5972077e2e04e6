#include "core/trace/collective_times.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/trace/overheads.hpp"

namespace latitude::trace {
namespace {

/// Whether no member leaves such a call before the last one has come.
bool joins_all(Call call) {
  switch (call) {
    case Call::Barrier:
    case Call::Allreduce:
    case Call::Allgather:
    case Call::Alltoall:
    case Call::Reduce_scatter_block:
      return true;
    default:
      return false;
  }
}

/// One collective: the common properties of its members' calls, and their times.
struct Met {
  Call call = Call::count_;
  std::uint64_t bytes = 0;
  std::int64_t came_ns = std::numeric_limits<std::int64_t>::min();  ///< arrival of the last member
  std::int64_t left_ns = std::numeric_limits<std::int64_t>::min();  ///< exit of the last member
};

/// Calls the visitor for each call of a rank that joins all, with its number among the calls on its
/// communicator.
template <class Show>
void each_call(const RankTrace& rank, Show show) {
  std::map<std::uint32_t, std::uint32_t> count;  // by communicator
  for (std::uint32_t e = 0; e < rank.events.size(); ++e) {
    const Event& event = rank.events[e];
    if (joins_all(event.call)) show(e, event, count[event.comm]++);
  }
}

}  // namespace

std::vector<CollectiveTimes> collective_times(const Trace& trace) {
  if (!trace.no_common_clock.empty()) return {};
  std::map<std::uint32_t, std::vector<Met>> met;  // by communicator
  for (const RankTrace& rank : trace.ranks) {
    each_call(rank, [&](std::uint32_t, const Event& event, std::uint32_t number) {
      std::vector<Met>& all = met[event.comm];
      if (number == all.size()) all.push_back({.call = event.call});
      Met& own = all[number];
      own.bytes = std::max(own.bytes, event.bytes);
      own.came_ns = std::max(own.came_ns, rank.common.at(event.enter_ns));
      own.left_ns = std::max(own.left_ns, rank.common.at(event.leave_ns) - rank.call_cost_ns);
    });
  }
  std::map<std::tuple<Call, std::uint32_t, std::uint32_t>, std::size_t> kinds;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> firsts;
  std::vector<CollectiveTimes> found;
  for (const auto& [comm, all] : met) {
    const auto members = static_cast<std::uint32_t>(trace.communicators[comm].group.size());
    for (std::uint32_t number = 0; number < all.size(); ++number) {
      const Met& each = all[number];
      const std::uint32_t log2 = log2_of(each.bytes);
      const auto [kind, is_first] = kinds.try_emplace({each.call, members, log2}, found.size());
      if (is_first) {
        found.push_back({each.call, members, log2, {}, {}});
        found.back().first.assign(trace.ranks.size(), kNoMember);
        firsts[{comm, number}] = kind->second;
      }
      const std::int64_t ns = std::max<std::int64_t>(0, each.left_ns - each.came_ns);
      found[kind->second].ns.push_back(static_cast<double>(ns));
    }
  }
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    each_call(trace.ranks[rank], [&](std::uint32_t e, const Event& event, std::uint32_t number) {
      const auto first = firsts.find({event.comm, number});
      if (first != firsts.end()) found[first->second].first[rank] = e;
    });
  }
  return found;
}

}  // namespace latitude::trace
