#include "core/trace/shares.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace {
namespace {

__extension__ typedef unsigned __int128 Wide;  // products of two numbers of bytes

/// One call of a collective from the side of each member, in the order of their ranks in the
/// communicator.
struct Member {
  RankTrace* rank;
  Event* event;
  const Share* share;
};
using Callers = std::vector<Member>;

std::uint64_t most(const Callers& members, std::uint64_t Share::* what) {
  std::uint64_t bytes = 0;
  for (const Member& member : members) bytes = std::max(bytes, member.share->*what);
  return bytes;
}

/// The largest value of a member other than the root, because the root's value may be that of the
/// whole.
std::uint64_t most_but_root(const Callers& members, std::size_t root, std::uint64_t Share::* what) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i != root || members.size() == 1) bytes = std::max(bytes, members[i].share->*what);
  }
  return bytes;
}

std::vector<std::int64_t> all(const Callers& members, std::uint64_t Share::* what) {
  std::vector<std::int64_t> bytes;
  for (const Member& member : members) {
    bytes.push_back(static_cast<std::int64_t>(member.share->*what));
  }
  return bytes;
}

std::size_t root_among(const Callers& members) {
  const auto says_so = [](const Member& member) { return member.share->root; };
  const auto root = std::ranges::find_if(members, says_so);
  if (root == members.end()) {
    throw InputError(where(*members[0].rank, *members[0].event) +
                     " has a root, and no member of its communicator is recorded as the root");
  }
  return static_cast<std::size_t>(root - members.begin());
}

/// The bytes from one member to another if only sums are known.
std::int64_t portion(const Share& from, const Share& to, std::uint64_t total) {
  if (total == 0) return 0;
  return static_cast<std::int64_t>(Wide{from.gives} * to.gets / total);
}

void exchange(const Callers& members) {
  std::uint64_t total = 0;
  for (const Member& member : members) total += member.share->gets;
  for (const Member& member : members) {
    if (member.share->has_lists) continue;
    std::vector<std::int64_t> to_each;
    std::vector<std::int64_t> from_each;
    std::int64_t sent = 0;
    for (const Member& other : members) {
      to_each.push_back(portion(*member.share, *other.share, total));
      from_each.push_back(portion(*other.share, *member.share, total));
      sent += to_each.back();
    }
    member.event->bytes = static_cast<std::uint64_t>(sent);
    set_lists(*member.rank, *member.event, to_each, from_each);
  }
}

void put_together(const Callers& members) {
  const Call call = members[0].event->call;
  std::size_t root = 0;
  if (has_root(call)) {
    root = root_among(members);
    for (const Member& member : members) set_root(*member.event, static_cast<std::int32_t>(root));
  }
  const auto everywhere = [&](std::uint64_t bytes) {
    for (const Member& member : members) member.event->bytes = bytes;
  };
  const auto own = [&](std::uint64_t Share::* what) {
    for (const Member& member : members) member.event->bytes = member.share->*what;
  };
  const auto lists = [&](std::uint64_t Share::* what) {
    const std::vector<std::int64_t> bytes = all(members, what);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (lists_at_root(call) && i != root) continue;
      set_lists(*members[i].rank, *members[i].event, bytes);
    }
  };
  switch (call) {
    case Call::Bcast:
    case Call::Ibcast:
    case Call::Reduce:
    case Call::Ireduce:
    case Call::Allreduce:
    case Call::Iallreduce:
    case Call::Scan:
    case Call::Iscan:
    case Call::Exscan:
    case Call::Iexscan:
      return everywhere(std::max(most(members, &Share::gives), most(members, &Share::gets)));
    case Call::Gather:
    case Call::Igather:
      return everywhere(most_but_root(members, root, &Share::gives));
    case Call::Scatter:
    case Call::Iscatter:
      return everywhere(most_but_root(members, root, &Share::gets));
    case Call::Allgather:
    case Call::Iallgather:
    case Call::Alltoall:
    case Call::Ialltoall:
      return everywhere(most(members, &Share::gives));
    case Call::Reduce_scatter_block:
    case Call::Ireduce_scatter_block:
      return everywhere(most(members, &Share::gets));
    case Call::Gatherv:
    case Call::Igatherv:
    case Call::Allgatherv:
    case Call::Iallgatherv:
      own(&Share::gives);
      return lists(&Share::gives);
    case Call::Scatterv:
    case Call::Iscatterv:
    case Call::Reduce_scatter:
    case Call::Ireduce_scatter:
      own(&Share::gets);
      return lists(&Share::gets);
    case Call::Alltoallv:
    case Call::Alltoallw:
    case Call::Ialltoallv:
    case Call::Ialltoallw:
      return exchange(members);
    default:
      return;
  }
}

}  // namespace

void put_shares_together(Trace& trace, const std::vector<std::vector<Share>>& shares) {
  // For each communicator, the calls of every member.
  std::vector<std::map<std::int32_t, std::vector<const Share*>>> calls(trace.communicators.size());
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    for (const Share& share : shares[rank]) {
      const Event& event = trace.ranks[rank].events[share.event];
      calls[event.comm][static_cast<std::int32_t>(rank)].push_back(&share);
    }
  }
  for (std::size_t comm = 0; comm < calls.size(); ++comm) {
    const Members& group = trace.communicators[comm].group;
    for (std::size_t k = 0;; ++k) {
      Callers members;
      for (const std::int32_t rank : group) {
        const std::vector<const Share*>& own = calls[comm][rank];
        if (k >= own.size()) break;
        RankTrace& of = trace.ranks[static_cast<std::size_t>(rank)];
        members.push_back({&of, &of.events[own[k]->event], own[k]});
      }
      if (members.size() < group.size()) break;
      const Call call = members[0].event->call;
      const auto same = [&](const Member& member) { return member.event->call == call; };
      if (std::ranges::all_of(members, same)) put_together(members);
    }
  }
}

}  // namespace latitude::trace
