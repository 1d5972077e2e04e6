#include "core/trace/liballprof/convert.hpp"

#include <limits>
#include <span>

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
  Converter(const Record& record, Event& event, std::vector<std::int64_t>& args)
      : r_(record), e_(event), args_(args) {}

  void point_to_point() {
    e_.bytes = bytes_of(r_.count[0], r_.type[0]);
    e_.peer = r_.peer[0];
    e_.tag = r_.tag[0];
  }

  void sendrecv() {
    point_to_point();
    const bool replace = e_.call == Call::Sendrecv_replace;
    const std::uint64_t received = replace ? e_.bytes : bytes_of(r_.count[1], r_.type[1]);
    begin_args();
    args_.insert(args_.end(), {r_.peer[1], r_.tag[1], static_cast<std::int64_t>(received)});
  }

  void rooted() { e_.peer = r_.peer[0]; }
  bool at_root() const { return r_.comm[0].rank == r_.peer[0]; }

  void reduction() {
    if (r_.op == 0 || r_.op > kLastPredefinedOp) e_.flags |= kUserOp;
    element(r_.type[0]);
  }

  void element(const DatatypeField& type) { e_.tag = type.size; }

  /// One block, or a whole vector, given by the `side`-th count and type.
  void block(std::size_t side) { e_.bytes = bytes_of(r_.count[side], r_.type[side]); }

  /// {size, bytes of each rank's block…}; returns this rank's block.
  std::uint64_t blocks(std::size_t list, const DatatypeField& type) {
    begin_args();
    args_.push_back(r_.comm[0].size);
    const auto mine = static_cast<std::size_t>(r_.comm[0].rank);
    return static_cast<std::uint64_t>(append_blocks(list, type)[mine]);
  }

  /// {size, bytes to each rank…, bytes from each rank…}
  void alltoallv() {
    begin_args();
    args_.push_back(r_.comm[0].size);
    const std::size_t sent = in_place(r_) ? 1 : 0;
    std::uint64_t sum = 0;
    append_blocks(sent, r_.type[sent]);
    for (std::size_t i = args_.size() - static_cast<std::size_t>(r_.comm[0].size); i < args_.size();
         ++i) {
      sum += static_cast<std::uint64_t>(args_[i]);  // at most 2^31 blocks of less than 2^62:
      if (sum >> 62 != 0) throw Refused{"sends more than 2^62 bytes; the file is damaged"};
    }
    e_.bytes = sum;
    append_blocks(1, r_.type[1]);
  }

 private:
  void begin_args() {
    if (args_.size() >= kNoArgs) throw Refused{"is one call too many for 32-bit indices"};
    e_.args = static_cast<std::uint32_t>(args_.size());
  }

  std::span<const std::int64_t> append_blocks(std::size_t list, const DatatypeField& type) {
    const std::vector<std::int32_t>& counts = r_.counts[list];
    if (counts.size() != static_cast<std::size_t>(r_.comm[0].size)) {
      throw Refused{"does not list one count for each rank; the file is damaged"};
    }
    for (const std::int32_t count : counts) {
      args_.push_back(static_cast<std::int64_t>(bytes_of(count, type)));
    }
    return std::span(args_).last(counts.size());
  }

  const Record& r_;
  Event& e_;
  std::vector<std::int64_t>& args_;
};

void convert_collective(const Record& r, Event& e, std::vector<std::int64_t>& args) {
  Converter to(r, e, args);
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
      e.bytes = to.blocks(0, r.type[0]);
      return;
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
      if (to.at_root()) {
        e.bytes = to.blocks(0, r.type[1]);
      } else {
        to.block(0);
      }
      return;
    case Call::Scatterv:
      to.rooted();
      e.bytes = to.at_root() ? to.blocks(0, r.type[0]) : bytes_of(r.count[0], r.type[1]);
      return;
    case Call::Allgatherv:
      e.bytes = to.blocks(0, r.type[1]);
      return;
    case Call::Alltoallv:
      return to.alltoallv();
    default:  // Alltoallw, neighbourhood and non-blocking v-collectives
      throw Refused{
          "has counts, types or neighbours that liballprof does not write down; trace "
          "the program again with latitude trace"};
  }
}

}  // namespace

void convert_call(const Record& record, Event& event, std::vector<std::int64_t>& args) {
  Converter to(record, event, args);
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
      return convert_collective(record, event, args);
    default:
      return;
  }
}

}  // namespace latitude::trace::liballprof
