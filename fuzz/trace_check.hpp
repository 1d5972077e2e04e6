#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/event_args.hpp"

namespace latitude::trace {

/// Ends the program, which libFuzzer reports, unless `holds`.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Whether two readings gave the same event.
inline bool same(const Event& a, const Event& b) {
  return a.enter_ns == b.enter_ns && a.leave_ns == b.leave_ns && a.bytes == b.bytes &&
         a.peer == b.peer && a.tag == b.tag && a.comm == b.comm && a.args == b.args &&
         a.position == b.position && a.call == b.call && a.flags == b.flags;
}

/// A run of values at Event::args, as event_args.hpp lays them out.
inline std::span<const std::int64_t> args_of(const RankTrace& rank, const Event& e,
                                             std::size_t size) {
  require(size <= rank.args.size() && e.args <= rank.args.size() - size);
  return std::span(rank.args).subspan(e.args, size);
}

/// {n, id…}: earlier events that made requests which the call may name; no values where there are
/// none.
inline void check_ids(const RankTrace& rank, std::size_t index) {
  const Event& e = rank.events[index];
  if (e.args == kNoArgs) return;
  const std::int64_t n = args_of(rank, e, 1)[0];
  require(n >= 0);
  for (const std::int64_t id : args_of(rank, e, static_cast<std::size_t>(n) + 1).subspan(1)) {
    require(id >= 0 && static_cast<std::size_t>(id) < index);
    const Call made_by = rank.events[static_cast<std::size_t>(id)].call;
    const CallClass c = class_of(made_by);
    const bool inactive = c == CallClass::persistent || c == CallClass::partitioned ||
                          c == CallClass::collective_init;
    require(inactive || c == CallClass::isend || c == CallClass::irecv ||
            c == CallClass::isendrecv || c == CallClass::icollective);
    require(class_of(e.call) != CallClass::start || inactive);
    require(class_of(e.call) != CallClass::ready || made_by == Call::Psend_init);
  }
}

inline void check_peer(std::int64_t peer, std::int64_t size, bool receives) {
  require((peer >= 0 && peer < size) || peer == kProcNull || (receives && peer == kAnySource));
}

/// Neighbours are ranks or nobody, and there are as many sizes as ranks.
inline void check_lists(const RankTrace& rank, const Event& e, std::size_t size) {
  if (e.args == kNoArgs) return;
  const std::optional<Lists> lists =
      lists_in(list_layout(e.call), args_of(rank, e, rank.args.size() - e.args));
  require(lists.has_value());
  const bool neighbours = !lists->destinations.empty() || !lists->sources.empty();
  for (const auto peers : {lists->destinations, lists->sources}) {
    for (const std::int64_t peer : peers) {
      check_peer(peer, static_cast<std::int64_t>(size), false);
    }
  }
  for (const auto sizes : {lists->to_each, lists->from_each}) {
    require(neighbours || sizes.empty() || sizes.size() == size);
    for (const std::int64_t bytes : sizes) require(bytes >= 0);
  }
}

inline void check_event(const Trace& trace, const RankTrace& rank, std::size_t index) {
  const Event& e = rank.events[index];
  require(e.call < Call::count_ && e.position > 0 && e.enter_ns <= e.leave_ns);
  require(index == 0 || !rank.threads.empty() || rank.events[index - 1].leave_ns <= e.enter_ns);
  if ((e.flags & kUnsupported) != 0) return;
  require(e.comm < trace.communicators.size());
  const std::vector<std::int32_t>& group = trace.communicators[e.comm].group;
  require(std::ranges::count(group, static_cast<std::int32_t>(&rank - trace.ranks.data())) == 1);
  const auto size = static_cast<std::int64_t>(group.size());
  switch (class_of(e.call)) {
    case CallClass::local:
      return require(false);
    case CallClass::send:
    case CallClass::isend:
      return check_peer(e.peer, size, false);
    case CallClass::recv:
    case CallClass::irecv:
      return check_peer(e.peer, size, true);
    case CallClass::sendrecv:
    case CallClass::isendrecv:
      check_peer(e.peer, size, false);
      return check_peer(args_of(rank, e, 3)[0], size, true);
    case CallClass::persistent:
      return check_peer(e.peer, size, e.call == Call::Recv_init);
    case CallClass::partitioned:
      args_of(rank, e, 1);  // which of its kind
      return check_peer(e.peer, size, e.call == Call::Precv_init);
    case CallClass::start:
      if ((e.flags & kResolved) != 0) {
        const auto n = static_cast<std::size_t>(args_of(rank, e, 1)[0]);
        args_of(rank, e, 1 + 3 * n);
      }
      return check_ids(rank, index);
    case CallClass::ready:
    case CallClass::completion:
    case CallClass::request_free:
      return check_ids(rank, index);
    case CallClass::collective:
    case CallClass::icollective:
    case CallClass::collective_init:
      require(e.peer >= 0 && e.peer < size);
      return check_lists(rank, e, group.size());
    case CallClass::comm_create: {
      const auto made = communicator_made(rank, e);
      const auto count = static_cast<std::int64_t>(trace.communicators.size());
      return require(!made || *made == kCommNull || (*made >= 0 && *made < count));
    }
    default:
      return;
  }
}

/// What every trace that a reader accepts must be.
inline void check_trace(const Trace& trace) {
  require(!trace.communicators.empty());
  require(trace.communicators[0].group.size() == trace.ranks.size());
  for (const Communicator& comm : trace.communicators) {
    std::vector<bool> seen(trace.ranks.size());
    for (const std::int32_t rank : comm.group) {
      require(rank >= 0 && static_cast<std::size_t>(rank) < seen.size());
      require(!seen[static_cast<std::size_t>(rank)]);
      seen[static_cast<std::size_t>(rank)] = true;
    }
  }
  for (const RankTrace& rank : trace.ranks) {
    std::uint64_t calls = 0;
    for (const auto& [name, count] : rank.call_counts) calls += count;
    require(calls == rank.event_count);
    require(rank.sites.empty() || rank.sites.size() == rank.events.size());
    require(rank.threads.empty() || rank.threads.size() == rank.events.size());
    require(class_of(rank.events.front().call) == CallClass::init);
    require(class_of(rank.events.back().call) == CallClass::finalize);
    for (std::size_t i = 0; i < rank.events.size(); ++i) check_event(trace, rank, i);
  }
}

}  // namespace latitude::trace
