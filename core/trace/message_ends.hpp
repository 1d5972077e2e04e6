#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/trace/event.hpp"
#include "core/trace/matching.hpp"

namespace latitude::trace {

/// One end of a message, with the events of its rank that serve it: indices into RankTrace::events.
struct MessageEnd {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t bytes = 0;          ///< for a receive: the capacity of its buffer
  std::uint32_t posted = kNone;     ///< the event that sends, posts or starts it
  std::uint32_t completed = kNone;  ///< the event that completes it; kNone: no call does
  std::int32_t world = kAnySource;  ///< the peer's world rank, or kAnySource
  Call call = Call::count_;  ///< the call that describes it: for a persistent operation, the one
                             ///< that made it
};

/// The ends that a rank posts, without those of MPI_PROC_NULL, each list in posting order;
/// Posting::id is an index into the list. The lists contain neither messages inside collectives nor
/// partitioned messages.
struct RankEnds {
  std::vector<MessageEnd> sends;
  std::vector<MessageEnd> receives;
  RankPostings postings;
};

/// InputError: a call names a rank that its communicator does not have.
RankEnds message_ends(const Trace& trace, const RankTrace& rank);

}  // namespace latitude::trace
