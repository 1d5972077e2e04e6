#include "core/trace/event_args.hpp"

#include <algorithm>

namespace latitude::trace {
namespace {

std::span<const std::int64_t> values_of(const RankTrace& rank, const Event& event) noexcept {
  if (event.args == kNoArgs) return {};
  return std::span(rank.args).subspan(event.args);
}

/// Makes the values that are added next belong to `event`.
void begin_values(RankTrace& rank, Event& event) {
  if (rank.args.size() >= kNoArgs) {
    throw InputError(where(rank, event) + " is one call too many for 32-bit indices");
  }
  event.args = static_cast<std::uint32_t>(rank.args.size());
}

/// The place of {peer, tag} in a start's values: {n, id…}, and with kResolved {peer, tag} of each.
std::size_t pair_at(const RankTrace& rank, const Event& start, std::size_t slot) {
  const auto count = static_cast<std::size_t>(rank.args[start.args]);
  return start.args + 1 + count + 2 * slot;
}

}  // namespace

void set_message(Event& event, const Message& message) noexcept {
  event.peer = message.peer;
  event.tag = message.tag;
  event.bytes = message.bytes;
}

// {source, tag, bytes}
Message received_by(const RankTrace& rank, const Event& sendrecv) {
  const std::span<const std::int64_t> values = values_of(rank, sendrecv);
  return {static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1]),
          static_cast<std::uint64_t>(values[2])};
}

void set_received(RankTrace& rank, Event& sendrecv, const Message& message) {
  if (sendrecv.args == kNoArgs) {
    begin_values(rank, sendrecv);
    rank.args.resize(rank.args.size() + 3);
  }
  std::int64_t* const values = rank.args.data() + sendrecv.args;
  values[0] = message.peer;
  values[1] = message.tag;
  values[2] = static_cast<std::int64_t>(message.bytes);
}

bool receives(Call call) noexcept {
  const CallClass kind = class_of(call);
  return kind == CallClass::recv || kind == CallClass::irecv || call == Call::Recv_init ||
         call == Call::Precv_init;
}

Call started_as(Call persistent) noexcept {
  switch (persistent) {
    case Call::Send_init:
      return Call::Isend;
    case Call::Ssend_init:
      return Call::Issend;
    case Call::Rsend_init:
      return Call::Irsend;
    case Call::Bsend_init:
      return Call::Ibsend;
    default:
      return Call::Irecv;
  }
}

std::span<const std::int64_t> request_values(const RankTrace& rank, const Event& event) noexcept {
  const std::span<const std::int64_t> values = values_of(rank, event);
  return values.empty() ? values : values.subspan(1, static_cast<std::size_t>(values[0]));
}

std::span<std::int64_t> request_values(RankTrace& rank, const Event& event) noexcept {
  if (event.args == kNoArgs) return {};
  return std::span(rank.args).subspan(request_values_at(event),
                                      static_cast<std::size_t>(rank.args[event.args]));
}

void set_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids) {
  event.args = kNoArgs;
  if (ids.empty()) return;
  begin_values(rank, event);
  rank.args.push_back(static_cast<std::int64_t>(ids.size()));
  rank.args.insert(rank.args.end(), ids.begin(), ids.end());
}

// {n, id…, whether it was completed…}
std::span<const std::int64_t> completed_by_then(const RankTrace& rank,
                                                const Event& event) noexcept {
  const std::size_t n = request_values(rank, event).size();
  return values_of(rank, event).subspan(1 + n, n);
}

void set_open_requests(RankTrace& rank, Event& event, std::span<const std::uint32_t> ids) {
  set_requests(rank, event, ids);
  rank.args.resize(rank.args.size() + ids.size());
  event.flags |= kOpen;
}

void set_completed_by_then(RankTrace& rank, const Event& event, std::size_t slot) noexcept {
  rank.args[request_values_at(event) + request_values(rank, event).size() + slot] = 1;
}

Started started(const RankTrace& rank, const Event& start, std::size_t slot) {
  const auto id = static_cast<std::uint32_t>(request_values(rank, start)[slot]);
  const Event& made = rank.events[id];
  Message message = message_of(made);
  if ((start.flags & kResolved) != 0) {
    const std::size_t at = pair_at(rank, start, slot);
    message.peer = static_cast<std::int32_t>(rank.args[at]);
    message.tag = static_cast<std::int32_t>(rank.args[at + 1]);
  }
  return {id, made, message};
}

void resolve_started(RankTrace& rank, Event& start, std::size_t slot, std::int32_t peer,
                     std::int32_t tag) {
  if ((start.flags & kResolved) ==
      0) {  // first, each operation gets the values that it was made with
    std::vector<std::uint32_t> ids;
    std::ranges::copy(requests_of(rank, start), std::back_inserter(ids));
    set_requests(rank, start, ids);
    for (const std::uint32_t id : ids) {
      const Message message = message_of(rank.events[id]);
      rank.args.insert(rank.args.end(), {message.peer, message.tag});
    }
    start.flags |= kResolved;
  }
  const std::size_t at = pair_at(rank, start, slot);
  rank.args[at] = peer;
  rank.args[at + 1] = tag;
}

ListLayout list_layout(Call call) noexcept {
  switch (blocking_form(call)) {
    case Call::Scatterv:
      return ListLayout::to_each;
    case Call::Gatherv:
    case Call::Allgatherv:
    case Call::Reduce_scatter:
      return ListLayout::from_each;
    case Call::Alltoallv:
    case Call::Alltoallw:
      return ListLayout::both;
    case Call::Neighbor_allgather:
    case Call::Neighbor_alltoall:
      return ListLayout::neighbours;
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
      return ListLayout::neighbours_and_bytes;
    default:
      return ListLayout::none;
  }
}

bool lists_at_root(Call call) noexcept {
  return has_root(call) && list_layout(call) != ListLayout::none;
}

std::optional<Lists> lists_in(ListLayout layout, std::span<const std::int64_t> values) noexcept {
  Lists lists;
  bool whole = true;
  const auto take = [&](std::int64_t count) -> std::span<const std::int64_t> {
    const auto left = static_cast<std::int64_t>(values.size() - lists.values);
    whole = whole && count >= 0 && count <= left;
    if (!whole) return {};
    const auto taken = values.subspan(lists.values, static_cast<std::size_t>(count));
    lists.values += taken.size();
    return taken;
  };
  const auto number = [&] {
    const auto one = take(1);
    return one.empty() ? 0 : one[0];
  };
  switch (layout) {
    case ListLayout::none:
      break;
    case ListLayout::to_each:
      lists.to_each = take(number());
      break;
    case ListLayout::from_each:
      lists.from_each = take(number());
      break;
    case ListLayout::both: {
      const std::int64_t size = number();
      lists.to_each = take(size);
      lists.from_each = take(size);
      break;
    }
    case ListLayout::neighbours:
    case ListLayout::neighbours_and_bytes: {
      const std::int64_t out = number();
      const std::int64_t in = number();
      lists.destinations = take(out);
      lists.sources = take(in);
      if (layout == ListLayout::neighbours) break;
      lists.to_each = take(out);
      lists.from_each = take(in);
      break;
    }
  }
  return whole ? std::optional(lists) : std::nullopt;
}

std::string fault_in_lists(Call call, std::span<const std::int64_t> values, std::size_t size,
                           std::uint64_t most) {
  const ListLayout layout = list_layout(call);
  const bool neighbours =
      layout == ListLayout::neighbours || layout == ListLayout::neighbours_and_bytes;
  const auto ranks = static_cast<std::int64_t>(size);
  const std::optional<Lists> lists = lists_in(layout, values);
  if (!lists || lists->values != values.size() ||
      (!neighbours && (values.empty() || values[0] != ranks))) {
    return "has a list of " + std::to_string(values.size()) + " values, which does not fit the " +
           std::to_string(size) + " ranks of its communicator";
  }
  for (const auto side : {lists->destinations, lists->sources}) {
    for (const std::int64_t neighbour : side) {
      if (neighbour >= ranks || (neighbour < 0 && neighbour != kProcNull)) {
        return "has neighbour " + std::to_string(neighbour) + " of " + std::to_string(size) +
               " ranks";
      }
    }
  }
  std::uint64_t sum = 0;
  for (const auto side : {lists->to_each, lists->from_each}) {
    for (const std::int64_t value : side) {
      if (value < 0) return "has a negative number of bytes";
      const auto bytes = static_cast<std::uint64_t>(value);
      sum = bytes > most ? bytes : sum + bytes;
      if (sum > most) return "moves " + std::to_string(sum) + " bytes";
    }
  }
  return "";
}

CollectiveArgs collective_of(const RankTrace& rank, const Event& event) noexcept {
  const std::span<const std::int64_t> values = values_of(rank, event);
  return {root_of(event), event.bytes, element_of(event), (event.flags & kUserOp) != 0,
          values.empty() ? Lists{} : lists_in(list_layout(event.call), values).value_or(Lists{})};
}

std::size_t values_held(const RankTrace& rank, const Event& event) noexcept {
  const std::span<const std::int64_t> values = values_of(rank, event);
  if (values.empty()) return 0;
  switch (class_of(event.call)) {
    case CallClass::start:
    case CallClass::ready:
    case CallClass::completion:
    case CallClass::request_free: {
      const std::size_t requests = request_values(rank, event).size();
      return 1 + requests + ((event.flags & kResolved) != 0 ? 2 * requests : 0);
    }
    case CallClass::sendrecv:
    case CallClass::isendrecv:
      return 3;
    case CallClass::partitioned:
    case CallClass::comm_create:
      return 1;
    default:
      return lists_in(list_layout(event.call), values).value_or(Lists{}).values;
  }
}

void set_lists(RankTrace& rank, Event& event, std::span<const std::int64_t> first,
               std::span<const std::int64_t> second) {
  begin_values(rank, event);
  rank.args.push_back(static_cast<std::int64_t>(first.size()));
  rank.args.insert(rank.args.end(), first.begin(), first.end());
  rank.args.insert(rank.args.end(), second.begin(), second.end());
}

std::uint32_t partitioned_order(const RankTrace& rank, const Event& event) {
  return static_cast<std::uint32_t>(values_of(rank, event)[0]);
}

void set_list_values(RankTrace& rank, Event& event, std::span<const std::int64_t> values) {
  begin_values(rank, event);
  rank.args.insert(rank.args.end(), values.begin(), values.end());
}

void set_partitioned_order(RankTrace& rank, Event& event, std::uint32_t order) {
  begin_values(rank, event);
  rank.args.push_back(order);
}

std::uint64_t context_of(const RankTrace& rank, const Event& event) {
  if (class_of(event.call) != CallClass::partitioned) return event.comm;
  constexpr std::uint64_t kPartitioned = std::uint64_t{1} << 63;  // above all collectives
  return kPartitioned | std::uint64_t{partitioned_order(rank, event)} << 32 | event.comm;
}

bool made_by_members(Call call) noexcept {
  return call == Call::Comm_create_group || call == Call::Comm_create_from_group;
}

std::optional<std::int64_t> communicator_made(const RankTrace& rank, const Event& event) {
  const std::span<const std::int64_t> values = values_of(rank, event);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

void set_communicator_made(RankTrace& rank, Event& event, std::int64_t communicator) {
  if (event.args == kNoArgs) {
    begin_values(rank, event);
    rank.args.push_back(communicator);
  }
  rank.args[event.args] = communicator;
}

}  // namespace latitude::trace
