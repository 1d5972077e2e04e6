#pragma once

#include <cstdint>

#include "core/trace/event.hpp"

namespace latitude::trace::otf2 {

struct Sizes {
  std::uint64_t gives;
  std::uint64_t gets;
};

/// What a member of a collective gives and gets (Share, core/trace/shares.hpp), from the bytes that
/// Score-P writes, which are sums over the communicator: of an Allreduce of n bytes on p ranks,
/// p·n sent and received. With MPI_IN_PLACE it leaves the rank's own part out, (p−1)·n; that is
/// taken to be so where p does not divide the sum, or the quotient is no multiple of 4 and the
/// other's is. `blocking`: the call's blocking form.
Sizes sizes_of(Call blocking, std::uint64_t sent, std::uint64_t received, bool root,
               std::uint64_t rank, std::uint64_t size);

}  // namespace latitude::trace::otf2
