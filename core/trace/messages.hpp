#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace {

/// The world rank of `peer`, a rank in communicator `comm` or kAnySource.
std::int32_t world_rank(const Trace& trace, const RankTrace& rank, const Event& event,
                        std::uint32_t comm, std::int32_t peer);

/// The messages that an event posts, in matching order: calls `take(described, receives, message)`
/// for each, also for those with MPI_PROC_NULL. `described` is the event itself, or the one that
/// made the persistent operation. The messages of a start are in the order of its requests.
template <class Take>
void for_each_message(const RankTrace& rank, const Event& event, Take take) {
  switch (class_of(event.call)) {
    case CallClass::send:
    case CallClass::isend:
      return take(event, false, message_of(event));
    case CallClass::recv:
    case CallClass::irecv:
      return take(event, true, message_of(event));
    case CallClass::sendrecv:
    case CallClass::isendrecv:
      take(event, true, received_by(rank, event));
      return take(event, false, message_of(event));
    case CallClass::start:
      for (std::size_t slot = 0; slot < requests_of(rank, event).size(); ++slot) {
        const Started operation = started(rank, event, slot);
        if (class_of(operation.made.call) != CallClass::persistent) continue;
        take(operation.made, receives(operation.made.call), operation.message);
      }
      return;
    default:
      return;
  }
}

/// The ends of messages that a rank posts, in matching order, without those of MPI_PROC_NULL: calls
/// `take(event, by, receives, message, world)`. `event` posts it, `by` describes it (as above),
/// `world` is the peer's world rank, or kAnySource. InputError: an event names a rank that its
/// communicator does not have.
template <class Take>
void for_each_end(const Trace& trace, const RankTrace& rank, Take take) {
  for (const Event& event : rank.events) {
    if ((event.flags & kUnsupported) != 0) continue;
    for_each_message(rank, event, [&](const Event& by, bool receives, const Message& message) {
      if (message.peer == kProcNull || (by.flags & kUnsupported) != 0) return;
      take(event, by, receives, message, world_rank(trace, rank, event, by.comm, message.peer));
    });
  }
}

/// The messages of each rank's receives, in the order of for_each_message, without those from
/// MPI_PROC_NULL: the sender (rank in the communicator), the tag and the number of bytes sent. A
/// receive without a sender stays as posted. InputError if several senders fit a wildcard. Uses up
/// to `threads` threads.
std::vector<std::vector<Message>> received(const Trace& trace, unsigned threads);

}  // namespace latitude::trace
