#include <algorithm>

#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/presets.hpp"

// Dimemas knows no algorithms. In its model no rank leaves a collective before all have come; the
// cost is a number of messages that grows with the logarithm of the members.

namespace latitude::graph::collectives {
namespace {

using trace::Call;

/// The bytes that all members know: the whole vector, a block, or the longest block.
std::uint64_t known_bytes(const Collective& c) {
  switch (c.call) {
    case Call::Allgatherv:
    case Call::Reduce_scatter:
      return c.recv_bytes.empty() ? 0 : static_cast<std::uint64_t>(std::ranges::max(c.recv_bytes));
    case Call::Gatherv:
    case Call::Scatterv:
    case Call::Alltoallv:
    case Call::Alltoallw:
      return 0;
    default:
      return c.bytes;
  }
}

/// After round k each rank has heard from 2^k others; after all rounds, from every rank.
void all_wait_for_all(const Collective& c, Steps& steps) {
  const std::uint64_t bytes = known_bytes(c);
  for (std::int64_t distance = 1; distance < c.size; distance *= 2) {
    const int d = static_cast<int>(distance);
    steps.exchange(shifted(c.rank, d, c.size), bytes, shifted(c.rank, -d, c.size), bytes);
  }
}

}  // namespace

NamedAlgorithm dimemas_choice(const Collective& c) {
  switch (c.call) {
    case Call::Neighbor_allgather:
    case Call::Neighbor_allgatherv:
    case Call::Neighbor_alltoall:
    case Call::Neighbor_alltoallv:
    case Call::Neighbor_alltoallw:
      return offered(c.call, "linear");
    default:
      return {"all-wait-for-all", all_wait_for_all};
  }
}

}  // namespace latitude::graph::collectives
