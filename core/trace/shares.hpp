#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// What a rank's own records say of its part in a collective, in formats that keep two sums instead
/// of counts and lists.
struct Share {
  std::uint32_t event;     ///< index among the rank's events
  bool root;               ///< this rank says that it is the root
  std::uint64_t gives;     ///< bytes of its own that go into the operation, its own copy too
  std::uint64_t gets;      ///< bytes that it has of the result, its own copy too
  bool has_lists = false;  ///< the event has its lists, and `bytes`, already
};

/// Puts together what the members of a communicator say of the same call: roots, whole vectors,
/// blocks, and the lists of v-collectives become what core/trace/event.hpp says of each call.
/// `shares[r]` are rank r's collectives in the order of its events. Of Alltoallv and Alltoallw,
/// whose lists cannot be had from sums, each pair gets bytes in proportion to what one gives and
/// the other gets. Calls that do not meet their like on all members are left as they are: the graph
/// refuses them. InputError where a call has a root and no member says that it is.
void put_shares_together(Trace& trace, const std::vector<std::vector<Share>>& shares);

}  // namespace latitude::trace
