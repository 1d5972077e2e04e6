#pragma once

#include <cstdint>

#include "core/trace/event.hpp"
#include "core/trace/event_args.hpp"

namespace latitude::trace::otf2 {

/// The records of an archive on a member's part in a collective, in bytes.
struct Sums {
  std::uint64_t sent;
  std::uint64_t received;
};

/// The sums that Score-P writes for a collective, which go over the communicator: in a Bcast of n
/// bytes on p ranks the root sends p·n. `blocking`: the call's blocking form, called as `rank` of
/// `size`; `in_place`: the rank's own part does not move.
Sums sums_of(Call blocking, const CollectiveArgs& args, bool in_place, std::uint64_t rank,
             std::uint64_t size);

struct Sizes {
  std::uint64_t gives;
  std::uint64_t gets;
};

/// The bytes that a member of a collective gives and gets (Share, core/trace/shares.hpp), from the
/// sums over the communicator that Score-P writes. In an Allreduce of n bytes on p ranks, Score-P
/// writes p·n sent and received. With MPI_IN_PLACE Score-P leaves the rank's own part out: (p−1)·n.
/// Latitude assumes MPI_IN_PLACE if p does not divide the sum, or if sum/p is not a multiple of 4
/// and sum/(p−1) is. `blocking`: the call's blocking form.
Sizes sizes_of(Call blocking, std::uint64_t sent, std::uint64_t received, bool root,
               std::uint64_t rank, std::uint64_t size);

}  // namespace latitude::trace::otf2
