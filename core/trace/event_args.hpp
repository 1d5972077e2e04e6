#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "core/trace/event.hpp"

namespace latitude::trace {

// Typed views of Event. Its members `bytes`, `peer` and `tag`, and the values at
// RankTrace::args[Event::args], have another meaning in almost every class of calls (event.hpp).
// The views know the meanings; readers, writers and the graph ask for values by name.
//
// Spans and views are valid until RankTrace::args changes. Functions that add values throw
// InputError if these would be too many for 32-bit indices.

/// One message in the terms of a call.
struct Message {
  std::int32_t peer = 0;    ///< rank in the call's communicator, kProcNull or (receives) kAnySource
  std::int32_t tag = 0;     ///< tag; for a receive perhaps kAnyTag
  std::uint64_t bytes = 0;  ///< for a receive: the capacity of its buffer
};

/// For send, isend, recv, irecv, persistent and partitioned: the message. For sendrecv and
/// isendrecv: the message that it sends.
inline Message message_of(const Event& event) noexcept {
  return {event.peer, event.tag, event.bytes};
}
void set_message(Event& event, const Message& message) noexcept;

/// For sendrecv and isendrecv: the message that it receives.
Message received_by(const RankTrace& rank, const Event& sendrecv);
void set_received(RankTrace& rank, Event& sendrecv, const Message& message);

/// Whether the call receives or will: recv, irecv, and a persistent or partitioned receive. (Not
/// sendrecv and isendrecv.)
bool receives(Call call) noexcept;

/// For persistent: the non-blocking call with the effect of one start.
Call started_as(Call persistent) noexcept;

/// For start, ready, completion and request_free: their requests, in the order of the call. The
/// event that made a request identifies it: its index among its rank's events. (While a file is
/// being read, a reader may keep numbers of its own here; so the values can be set.)
std::span<const std::int64_t> request_values(const RankTrace& rank, const Event& event) noexcept;
std::span<std::int64_t> request_values(RankTrace& rank, const Event& event) noexcept;
inline auto requests_of(const RankTrace& rank, const Event& event) noexcept {
  return request_values(rank, event) |
         std::views::transform([](std::int64_t id) { return static_cast<std::uint32_t>(id); });
}
/// The place of request_values in RankTrace::args; the event has at least one request.
inline std::size_t request_values_at(const Event& event) noexcept {
  return event.args + std::size_t{1};
}
void set_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids);

/// For a completion with kOpen: for each of its requests, whether this call or an earlier one had
/// completed it when this call returned.
std::span<const std::int64_t> completed_by_then(const RankTrace& rank, const Event& event) noexcept;
/// Sets the requests that the call may have completed, in the order of its list. The call becomes
/// kOpen.
void set_open_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids);
void set_completed_by_then(RankTrace& rank, const Event& event, std::size_t slot) noexcept;

/// One persistent operation that a start makes active.
struct Started {
  std::uint32_t id;  ///< the event that made it
  const Event& made;
  Message message;  ///< with the values of its resolved wildcards, if known
};
Started started(const RankTrace& rank, const Event& start, std::size_t slot);
/// Sets the peer and tag of the operation in `slot` of this start.
void resolve_started(RankTrace& rank, Event& start, std::size_t slot, std::int32_t peer,
                     std::int32_t tag);

/// For partitioned: the number of earlier partitioned messages with the same communicator, peer,
/// tag and direction. Partitioned messages match in the order of these calls, and match no others
/// (MPI 4.1 §4.2).
std::uint32_t partitioned_order(const RankTrace& rank, const Event& event);
void set_partitioned_order(RankTrace& rank, Event& event, std::uint32_t order);

/// For events with a message: the context of its matching (Posting::context). The context is the
/// communicator; a partitioned message has a context of its own.
std::uint64_t context_of(const RankTrace& rank, const Event& event);

/// The lists of a v- or w-collective or a neighbourhood collective. Lists that the call lacks, or
/// that it does not give on this rank, are empty.
struct Lists {
  std::span<const std::int64_t> destinations;  ///< ranks in the communicator, or kProcNull
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> to_each;    ///< bytes to each rank, or destination
  std::span<const std::int64_t> from_each;  ///< bytes from each rank, or source
  std::size_t values = 0;                   ///< total number of values in their written form
};

/// The layout of a collective's lists, and of the numbers before them.
enum class ListLayout : std::uint8_t {
  none,
  to_each,               ///< {size, bytes to each rank…}
  from_each,             ///< {size, bytes from each rank…}
  both,                  ///< {size, bytes to each rank…, bytes from each…}
  neighbours,            ///< {out-degree, in-degree, destinations…, sources…}
  neighbours_and_bytes,  ///< as neighbours, then bytes to each…, bytes from each…
};
/// The layout of the call's lists, in any form; `none` for a call without lists.
ListLayout list_layout(Call call) noexcept;
/// Whether only the root gives the call's lists.
bool lists_at_root(Call call) noexcept;

/// The lists at the beginning of `values`; std::nullopt if they would reach beyond its end.
std::optional<Lists> lists_in(ListLayout layout, std::span<const std::int64_t> values) noexcept;

/// The error in `values` as the lists of a call on a communicator of `size` ranks, in words that
/// follow "…: MPI_Alltoallv "; empty if they are right. `most`: bytes in one list.
std::string fault_in_lists(Call call, std::span<const std::int64_t> values, std::size_t size,
                           std::uint64_t most);

/// A collective, blocking or not, as one rank calls it.
struct CollectiveArgs {
  std::int32_t root;      ///< rank in the communicator; 0 without a root
  std::uint64_t bytes;    ///< event.hpp gives their meaning
  std::uint64_t element;  ///< element_of
  bool user_op;           ///< the reduction has a user-defined operation
  Lists lists;
};
CollectiveArgs collective_of(const RankTrace& rank, const Event& event) noexcept;
/// The root alone; 0 for a call without a root.
inline std::int32_t root_of(const Event& event) noexcept { return event.peer; }
inline void set_root(Event& event, std::int32_t root) noexcept { event.peer = root; }
/// Number of values in RankTrace::args that belong to the event, from Event::args on.
std::size_t values_held(const RankTrace& rank, const Event& event) noexcept;

/// Bytes of one element of a reduction or broadcast, 1 or more. Event::tag holds them; or, if they
/// do not fit, the number of elements in Event::bytes, as a negative number.
inline std::uint64_t element_of(const Event& event) noexcept {
  const std::int64_t held = event.tag;
  const std::uint64_t bytes =
      held < 0 ? event.bytes / static_cast<std::uint64_t>(-held) : static_cast<std::uint64_t>(held);
  return std::max<std::uint64_t>(1, bytes);
}
/// Call this after setting Event::bytes. Without elements their size has no meaning.
inline void set_element(Event& event, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  event.tag = bytes <= kMost
                  ? static_cast<std::int32_t>(bytes)
                  : static_cast<std::int32_t>(-static_cast<std::int64_t>(event.bytes / bytes));
}
/// Sets lists of the layouts to_each, from_each and both (`second` then has as many values as
/// `first`).
void set_lists(RankTrace& rank, Event& event, std::span<const std::int64_t> first,
               std::span<const std::int64_t> second = {});

/// Sets lists of any layout, in the form that lists_in reads.
void set_list_values(RankTrace& rank, Event& event, std::span<const std::int64_t> values);

/// For comm_create: whether only the members of the new communicator take part, not those of the
/// parent.
bool made_by_members(Call call) noexcept;
/// For comm_create: the new communicator, as index into Trace::communicators or kCommNull;
/// std::nullopt if the format does not record it.
inline constexpr std::int64_t kCommNull = -1;
std::optional<std::int64_t> communicator_made(const RankTrace& rank, const Event& event);
void set_communicator_made(RankTrace& rank, Event& event, std::int64_t communicator);

}  // namespace latitude::trace
