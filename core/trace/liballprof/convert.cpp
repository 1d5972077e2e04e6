#include "core/trace/liballprof/convert.hpp"

#include <limits>
#include <vector>

#include "core/trace/event_args.hpp"

namespace latitude::trace::liballprof {
namespace {

/// liballprof prints 1 to 12 for the predefined operations, the handle of any other.
constexpr std::uint64_t kLastPredefinedOp = 12;

std::uint64_t bytes_of(std::int32_t count, const DatatypeField& type) {
  if (count < 0) throw Refused{"has a negative count; the file is damaged"};
  if (type.size < 0) throw Refused{"has a datatype of negative size; the file is damaged"};
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(type.size);
}

/// MPI_IN_PLACE is the address 1 under Open MPI, −1 under MPICH; in Fortran it is a variable and
/// cannot be told, so nothing below depends on it but Alltoallv.
bool in_place(const Record& r) {
  return r.send_buffer == 1 || r.send_buffer == std::numeric_limits<std::uint64_t>::max();
}

class Converter {
 public:
  Converter(const Record& record, Event& event, RankTrace& rank)
      : r_(record), e_(event), rank_(rank) {}

  void point_to_point() {
    set_message(e_, {r_.peer[0], r_.tag[0], bytes_of(r_.count[0], r_.type[0])});
  }

  void sendrecv() {
    point_to_point();
    const bool replace = e_.call == Call::Sendrecv_replace;
    const std::uint64_t received =
        replace ? message_of(e_).bytes : bytes_of(r_.count[1], r_.type[1]);
    set_received(rank_, e_, {r_.peer[1], r_.tag[1], received});
  }

  void rooted() { set_root(e_, r_.peer[0]); }
  bool at_root() const { return r_.comm[0].rank == r_.peer[0]; }

  void reduction() {
    if (r_.op == 0 || r_.op > kLastPredefinedOp) e_.flags |= kUserOp;
    element(r_.type[0]);
  }

  void element(const DatatypeField& type) { set_element(e_, type.size); }

  /// One block, or a whole vector, given by the `side`-th count and type.
  void block(std::size_t side) { e_.bytes = bytes_of(r_.count[side], r_.type[side]); }

  /// The bytes of each rank's block; the event's are those of this rank's.
  void blocks(std::size_t list, const DatatypeField& type) {
    const std::vector<std::int64_t> each = bytes_of_each(list, type);
    e_.bytes = static_cast<std::uint64_t>(each[static_cast<std::size_t>(r_.comm[0].rank)]);
    set_lists(rank_, e_, each);
  }

  void alltoallv() {
    const std::size_t sent = in_place(r_) ? 1 : 0;
    const std::vector<std::int64_t> to_each = bytes_of_each(sent, r_.type[sent]);
    std::uint64_t sum = 0;
    for (const std::int64_t bytes : to_each) {
      sum += static_cast<std::uint64_t>(bytes);  // at most 2^31 blocks of less than 2^62:
      if (sum >> 62 != 0) throw Refused{"sends more than 2^62 bytes; the file is damaged"};
    }
    e_.bytes = sum;
    set_lists(rank_, e_, to_each, bytes_of_each(1, r_.type[1]));
  }

 private:
  std::vector<std::int64_t> bytes_of_each(std::size_t list, const DatatypeField& type) const {
    const std::vector<std::int32_t>& counts = r_.counts[list];
    if (counts.size() != static_cast<std::size_t>(r_.comm[0].size)) {
      throw Refused{"does not list one count for each rank; the file is damaged"};
    }
    std::vector<std::int64_t> each;
    each.reserve(counts.size());
    for (const std::int32_t count : counts) {
      each.push_back(static_cast<std::int64_t>(bytes_of(count, type)));
    }
    return each;
  }

  const Record& r_;
  Event& e_;
  RankTrace& rank_;
};

void convert_collective(const Record& r, Event& e, RankTrace& rank) {
  Converter to(r, e, rank);
  if (in_place(r)) e.flags |= kInPlace;
  // Where both sides describe the same block, the receive side counts: with MPI_IN_PLACE the send
  // side may be anything.
  switch (e.call) {
    case Call::Barrier:
    case Call::Ibarrier:
      return;
    case Call::Bcast:
    case Call::Ibcast:
      to.rooted();
      to.element(r.type[0]);
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
      return to.blocks(0, r.type[0]);
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
      return to.at_root() ? to.blocks(0, r.type[1]) : to.block(0);
    case Call::Scatterv:
      to.rooted();
      if (to.at_root()) return to.blocks(0, r.type[0]);
      e.bytes = bytes_of(r.count[0], r.type[1]);
      return;
    case Call::Allgatherv:
      return to.blocks(0, r.type[1]);
    case Call::Alltoallv:
      return to.alltoallv();
    default:  // Alltoallw, neighbourhood and non-blocking v-collectives
      throw Refused{
          "has counts, types or neighbours that liballprof does not write down; trace "
          "the program again with latitude trace"};
  }
}

}  // namespace

void convert_call(const Record& record, Event& event, RankTrace& rank) {
  Converter to(record, event, rank);
  switch (record.syntax->call_class) {
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
      return convert_collective(record, event, rank);
    default:
      return;
  }
}

}  // namespace latitude::trace::liballprof
