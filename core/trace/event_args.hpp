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

// Typed views of Event. Its members `bytes`, `peer` and `tag` and the run of values at
// RankTrace::args[Event::args] mean something else in almost every class of calls (event.hpp); what
// stands where is known here, and readers, writers and the graph ask for what they want by name.
//
// Spans and views are valid until RankTrace::args changes. What adds values throws InputError where
// they would be too many for 32-bit indices.

/// One message as a call names it.
struct Message {
  std::int32_t peer = 0;    ///< rank in the call's communicator, kProcNull or (receives) kAnySource
  std::int32_t tag = 0;     ///< or (receives) kAnyTag
  std::uint64_t bytes = 0;  ///< of a receive: as many as it has room for
};

/// Of send, isend, recv, irecv, persistent and partitioned: the message. Of sendrecv and isendrecv:
/// the one that it sends.
inline Message message_of(const Event& event) noexcept {
  return {event.peer, event.tag, event.bytes};
}
void set_message(Event& event, const Message& message) noexcept;

/// Of sendrecv and isendrecv: the message that it receives.
Message received_by(const RankTrace& rank, const Event& sendrecv);
void set_received(RankTrace& rank, Event& sendrecv, const Message& message);

/// Whether the call receives or will: recv, irecv, and a persistent or partitioned receive. (Not
/// sendrecv and isendrecv.)
bool receives(Call call) noexcept;

/// Of persistent: the non-blocking call that does what a start of it does.
Call started_as(Call persistent) noexcept;

/// Of start, ready, completion and request_free: the requests they name, in the order of the call.
/// A request is known by the event that made it: its index among its rank's events. (While a file
/// is being read, a reader may keep numbers of its own here, which is why the values can be set.)
std::span<const std::int64_t> request_values(const RankTrace& rank, const Event& event) noexcept;
std::span<std::int64_t> request_values(RankTrace& rank, const Event& event) noexcept;
inline auto requests_of(const RankTrace& rank, const Event& event) noexcept {
  return request_values(rank, event) |
         std::views::transform([](std::int64_t id) { return static_cast<std::uint32_t>(id); });
}
/// Where request_values begins in RankTrace::args; the event names one request or more.
inline std::size_t request_values_at(const Event& event) noexcept {
  return event.args + std::size_t{1};
}
void set_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids);

/// Of a completion with kOpen: of each of its requests whether it had been completed, by this call
/// or one before it, when this one returned.
std::span<const std::int64_t> completed_by_then(const RankTrace& rank, const Event& event) noexcept;
/// The call may have completed these, in the order in which it lists them. It becomes kOpen.
void set_open_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids);
void set_completed_by_then(RankTrace& rank, const Event& event, std::size_t slot) noexcept;

/// One persistent operation that a start makes active.
struct Started {
  std::uint32_t id;  ///< the event that made it
  const Event& made;
  Message message;  ///< with what its wildcards were resolved to, where that is known
};
Started started(const RankTrace& rank, const Event& start, std::size_t slot);
/// The operation in `slot` has this peer and tag, this time.
void resolve_started(RankTrace& rank, Event& start, std::size_t slot, std::int32_t peer,
                     std::int32_t tag);

/// Of partitioned: how many before it have the same communicator, peer, tag and direction.
/// Partitioned messages match in the order of these calls, and match no others (MPI 4.1 §4.2).
std::uint32_t partitioned_order(const RankTrace& rank, const Event& event);
void set_partitioned_order(RankTrace& rank, Event& event, std::uint32_t order);

/// Of what names a message: what it is matched in (Posting::context). The communicator; of a
/// partitioned message one of its own.
std::uint64_t context_of(const RankTrace& rank, const Event& event);

/// The lists of a v- or w-collective or a neighbourhood collective; those that a call lacks, or
/// does not give on this rank, are empty.
struct Lists {
  std::span<const std::int64_t> destinations;  ///< ranks in the communicator, or kProcNull
  std::span<const std::int64_t> sources;
  std::span<const std::int64_t> to_each;    ///< bytes to each rank, or destination
  std::span<const std::int64_t> from_each;  ///< bytes from each rank, or source
  std::size_t values = 0;                   ///< how many values they are written as in all
};

/// What stands before and in the lists of a collective.
enum class ListLayout : std::uint8_t {
  none,
  to_each,               ///< {size, bytes to each rank…}
  from_each,             ///< {size, bytes from each rank…}
  both,                  ///< {size, bytes to each rank…, bytes from each…}
  neighbours,            ///< {out-degree, in-degree, destinations…, sources…}
  neighbours_and_bytes,  ///< the same, then bytes to each…, bytes from each…
};
/// Of the call, of whatever form; `none` of one without lists.
ListLayout list_layout(Call call) noexcept;
/// Whether the root alone gives the call's lists.
bool lists_at_root(Call call) noexcept;

/// The lists that `values` begin with; std::nullopt where they would reach past its end.
std::optional<Lists> lists_in(ListLayout layout, std::span<const std::int64_t> values) noexcept;

/// What is wrong with `values` as the lists of a call on a communicator of `size` ranks, in words
/// that follow "…: MPI_Alltoallv "; empty where nothing is. `most`: bytes in one list.
std::string fault_in_lists(Call call, std::span<const std::int64_t> values, std::size_t size,
                           std::uint64_t most);

/// A collective, blocking or not, as one rank calls it.
struct CollectiveArgs {
  std::int32_t root;      ///< rank in the communicator; 0 where there is none
  std::uint64_t bytes;    ///< what they are of is said in event.hpp
  std::uint64_t element;  ///< element_of
  bool user_op;           ///< the reduction's operation is one of the program's own
  Lists lists;
};
CollectiveArgs collective_of(const RankTrace& rank, const Event& event) noexcept;
/// The root alone; 0 of a call that has none.
inline std::int32_t root_of(const Event& event) noexcept { return event.peer; }
inline void set_root(Event& event, std::int32_t root) noexcept { event.peer = root; }
/// How many values of RankTrace::args belong to the event, from Event::args on.
std::size_t values_held(const RankTrace& rank, const Event& event) noexcept;

/// Bytes of one element of a reduction or broadcast, 1 or more. Event::tag holds them or, where
/// they do not fit, how many elements Event::bytes are, below 0.
inline std::uint64_t element_of(const Event& event) noexcept {
  const std::int64_t held = event.tag;
  const std::uint64_t bytes =
      held < 0 ? event.bytes / static_cast<std::uint64_t>(-held) : static_cast<std::uint64_t>(held);
  return std::max<std::uint64_t>(1, bytes);
}
/// After Event::bytes. The size of no elements means nothing.
inline void set_element(Event& event, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  event.tag = bytes <= kMost
                  ? static_cast<std::int32_t>(bytes)
                  : static_cast<std::int32_t>(-static_cast<std::int64_t>(event.bytes / bytes));
}
/// For the layouts to_each, from_each and both (then `second` has as many values as `first`).
void set_lists(RankTrace& rank, Event& event, std::span<const std::int64_t> first,
               std::span<const std::int64_t> second = {});

/// Lists of any layout, as lists_in reads them.
void set_list_values(RankTrace& rank, Event& event, std::span<const std::int64_t> values);

/// Of comm_create: whether the members of the new communicator alone take part, not the parent's.
bool made_by_members(Call call) noexcept;
/// Of comm_create: what communicator it made, as index into Trace::communicators or kCommNull;
/// std::nullopt where the format does not tell.
inline constexpr std::int64_t kCommNull = -1;
std::optional<std::int64_t> communicator_made(const RankTrace& rank, const Event& event);
void set_communicator_made(RankTrace& rank, Event& event, std::int64_t communicator);

}  // namespace latitude::trace
