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

  std::uint64_t bytes = 0;          ///< of a receive: as many as it has room for
  std::uint32_t posted = kNone;     ///< sends it, posts it, or starts it
  std::uint32_t completed = kNone;  ///< that one where it blocks; kNone: no call completes it
  std::int32_t world = kAnySource;  ///< the peer's rank in the world, or kAnySource
  Call call = Call::count_;         ///< that describes it: of a persistent one, that made it
};

/// The ends that a rank posts, without those of MPI_PROC_NULL, each list in the order of posting;
/// Posting::id is an index into it. Without messages inside collectives, and partitioned ones.
struct RankEnds {
  std::vector<MessageEnd> sends;
  std::vector<MessageEnd> receives;
  RankPostings postings;
};

/// InputError: a call names a rank that its communicator has not.
RankEnds message_ends(const Trace& trace, const RankTrace& rank);

}  // namespace latitude::trace
