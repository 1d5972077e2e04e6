#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/event.hpp"

namespace latitude::trace {

/// A rank's own records of its part in a collective, in formats that keep two sums instead of
/// counts and lists.
struct Share {
  std::uint32_t event;     ///< index among the rank's events
  bool root;               ///< this rank's records name it as the root
  std::uint64_t gives;     ///< its own bytes that go into the operation, including its own copy
  std::uint64_t gets;      ///< its bytes of the result, including its own copy
  bool has_lists = false;  ///< the event already has its lists, and `bytes`
};

/// Combines the records of a communicator's members on each call: roots, whole vectors, blocks, and
/// the lists of v-collectives get the values that core/trace/event.hpp requires. `shares[r]` are
/// rank r's collectives in the order of its events. The lists of Alltoallv and Alltoallw do not
/// follow from sums. The bytes from one member to another are set in proportion to the product of
/// the first member's sent sum and the other member's received sum. Calls without a counterpart on
/// all members stay unchanged: the graph rejects them. InputError if a call has a root and no
/// member's record names it.
void put_shares_together(Trace& trace, const std::vector<std::vector<Share>>& shares);

}  // namespace latitude::trace
