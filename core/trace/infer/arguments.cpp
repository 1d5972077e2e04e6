#include "core/trace/infer/arguments.hpp"

#include "core/trace/event_args.hpp"

namespace latitude::trace::infer {
namespace {

class Converter {
 public:
  Converter(const Arguments& arguments, Event& event, RankTrace& rank)
      : r_(arguments), e_(event), rank_(rank) {}

  void point_to_point() {
    set_message(e_, {r_.peer[0], r_.tag[0], bytes_of(r_.count[0], r_.type_size[0])});
  }

  void sendrecv() {
    point_to_point();
    const bool replace = e_.call == Call::Sendrecv_replace;
    const std::uint64_t received =
        replace ? message_of(e_).bytes : bytes_of(r_.count[1], r_.type_size[1]);
    set_received(rank_, e_, {r_.peer[1], r_.tag[1], received});
  }

  void rooted() { set_root(e_, r_.peer[0]); }
  bool at_root() const { return r_.rank == r_.peer[0]; }

  void reduction() {
    if (r_.user_op) e_.flags |= kUserOp;
    element(r_.type_size[0]);
  }

  void element(std::int64_t type_size) {
    set_element(e_,
                static_cast<std::uint64_t>(type_size));  // a negative size is rejected with its
                                                         // bytes
  }

  /// Sets the bytes of one block, or of a whole vector, of the `side`-th count and type.
  void block(std::size_t side) { e_.bytes = bytes_of(r_.count[side], r_.type_size[side]); }

  /// Sets the bytes of each rank's block; the event has the bytes of this rank's block.
  void blocks(std::size_t list, std::int64_t type_size) {
    const std::vector<std::int64_t> each = bytes_of_each(list, type_size);
    e_.bytes = static_cast<std::uint64_t>(each[static_cast<std::size_t>(r_.rank)]);
    set_lists(rank_, e_, each);
  }

  void alltoallv() {
    const std::size_t sent = r_.in_place ? 1 : 0;
    set_exchanged(bytes_of_each(sent, r_.type_size[sent]), bytes_of_each(1, r_.type_size[1]), e_,
                  rank_);
  }

 private:
  std::vector<std::int64_t> bytes_of_each(std::size_t list, std::int64_t type_size) const {
    const std::vector<std::int32_t>& counts = r_.counts[list];
    if (counts.size() != static_cast<std::size_t>(r_.size)) {
      throw Refused{"does not list one count for each rank; the file is damaged"};
    }
    std::vector<std::int64_t> each;
    each.reserve(counts.size());
    for (const std::int32_t count : counts) {
      each.push_back(static_cast<std::int64_t>(bytes_of(count, type_size)));
    }
    return each;
  }

  const Arguments& r_;
  Event& e_;
  RankTrace& rank_;
};

void set_collective(const Arguments& r, Event& e, RankTrace& rank) {
  Converter to(r, e, rank);
  if (r.in_place) e.flags |= kInPlace;
  // If both sides describe the same block, the receive side counts: with MPI_IN_PLACE the send side
  // may be anything.
  switch (e.call) {
    case Call::Barrier:
    case Call::Ibarrier:
      return;
    case Call::Bcast:
    case Call::Ibcast:
      to.rooted();
      to.element(r.type_size[0]);
      return to.block(0);
    case Call::Reduce:
    case Call::Ireduce:
      to.rooted();
      [[fallthrough]];
    case Call::Allreduce:
    case Call::Iallreduce:
    case Call::Scan:
    case Call::Iscan:
    case Call::Exscan:
    case Call::Iexscan:
    case Call::Reduce_scatter_block:
    case Call::Ireduce_scatter_block:
      to.reduction();
      return to.block(0);
    case Call::Reduce_scatter:
      to.reduction();
      return to.blocks(0, r.type_size[0]);
    case Call::Gather:
    case Call::Igather:
      to.rooted();
      return to.block(to.at_root() ? 1 : 0);
    case Call::Scatter:
    case Call::Iscatter:
      to.rooted();
      return to.block(to.at_root() ? 0 : 1);
    case Call::Allgather:
    case Call::Iallgather:
    case Call::Alltoall:
    case Call::Ialltoall:
      return to.block(1);
    case Call::Gatherv:
      to.rooted();
      return to.at_root() ? to.blocks(0, r.type_size[1]) : to.block(0);
    case Call::Scatterv:
      to.rooted();
      if (to.at_root()) return to.blocks(0, r.type_size[0]);
      e.bytes = bytes_of(r.count[0], r.type_size[1]);
      return;
    case Call::Allgatherv:
      return to.blocks(0, r.type_size[1]);
    case Call::Alltoallv:
      return to.alltoallv();
    default:  // Alltoallw, neighbourhood and non-blocking v-collectives
      throw Refused{
          "has counts, types or neighbours that this format does not write down; "
          "trace the program again with latitude trace"};
  }
}

}  // namespace

bool names_communicator(CallClass call_class) noexcept {
  switch (call_class) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
    case CallClass::sendrecv:
    case CallClass::persistent:
    case CallClass::collective:
    case CallClass::icollective:
    case CallClass::comm_create:
      return true;
    default:
      return false;
  }
}

std::uint64_t bytes_of(std::int32_t count, std::int64_t type_size) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 62) - 1;
  if (count < 0) throw Refused{"has a negative count; the file is damaged"};
  if (count == 0) return 0;
  if (type_size < 0) throw Refused{"has a datatype of negative size; the file is damaged"};
  if (type_size > kMost / count) throw Refused{"moves 2^62 bytes or more; the file is damaged"};
  return static_cast<std::uint64_t>(count * type_size);
}

void set_exchanged(const std::vector<std::int64_t>& to_each,
                   const std::vector<std::int64_t>& from_each, Event& event, RankTrace& rank) {
  std::uint64_t sum = 0;
  for (const std::int64_t bytes : to_each) {
    sum += static_cast<std::uint64_t>(bytes);  // at most 2^31 blocks of less than 2^62:
    if (sum >> 62 != 0) throw Refused{"sends more than 2^62 bytes; the file is damaged"};
  }
  event.bytes = sum;
  set_lists(rank, event, to_each, from_each);
}

void set_arguments(CallClass call_class, const Arguments& arguments, Event& event,
                   RankTrace& rank) {
  Converter to(arguments, event, rank);
  switch (call_class) {
    case CallClass::send:
    case CallClass::isend:
    case CallClass::recv:
    case CallClass::irecv:
    case CallClass::persistent:
      return to.point_to_point();
    case CallClass::sendrecv:
      return to.sendrecv();
    case CallClass::collective:
    case CallClass::icollective:
      return set_collective(arguments, event, rank);
    default:
      return;
  }
}

}  // namespace latitude::trace::infer
