#include <algorithm>

#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/tree.hpp"

// Allgather and Allgatherv: every rank knows every block's size, so both use the same algorithms.

namespace latitude::graph::collectives {
namespace allgather {
namespace {

void ring(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (!trivial(c, blocks)) ring_allgather(c.rank, {0, c.size}, blocks, steps);
}

void recursive_doubling(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (!trivial(c, blocks)) doubling_allgather(c.rank, {0, c.size}, blocks, steps);
}

/// Bruck et al. 1997: any size in ceil(log2 p) rounds.
void bruck(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  for (std::int64_t distance = 1; distance < c.size; distance *= 2) {
    const int held = static_cast<int>(distance);
    const int count = std::min(held, c.size - held);
    const int from = shifted(c.rank, held, c.size);
    steps.exchange(shifted(c.rank, -held, c.size), blocks.cyclic(c.rank, count), from,
                   blocks.cyclic(from, count));
  }
}

/// Chen et al. 2005: even sizes, p/2 rounds with the two neighbours in turn. Pairs of ranks hold
/// pairs of blocks; each round passes on the pair of blocks that came in the round before.
void neighbor_exchange(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  if (c.size % 2 != 0) {
    ring_allgather(c.rank, {0, c.size}, blocks, steps);
    return;
  }
  const bool even = c.rank % 2 == 0;
  const int mate = c.rank ^ 1;
  const int stranger = shifted(c.rank, even ? -1 : 1, c.size);
  // Blocks that even ranks take from the stranger lie below their own pair; those from the mate lie
  // above it.
  const auto pair_after = [&](int round) {
    const int away = (round + 1) / 2 * 2;
    return shifted(c.rank & ~1, (round % 2 == 1) == even ? -away : away, c.size);
  };
  steps.exchange(mate, blocks[c.rank], mate, blocks[mate]);
  for (int round = 1; round < c.size / 2; ++round) {
    const int peer = round % 2 == 1 ? stranger : mate;
    steps.exchange(peer, blocks.range(pair_after(round - 1), pair_after(round - 1) + 2), peer,
                   blocks.range(pair_after(round), pair_after(round) + 2));
  }
}

/// All blocks go to rank 0, then the whole vector goes back down the binomial tree.
void gather_bcast(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  Collective gather = c;
  gather.root = 0;
  gather.bytes = blocks[c.rank];
  const bool varied = c.call == trace::Call::Allgatherv;
  gather.call = varied ? trace::Call::Gatherv : trace::Call::Gather;
  offered(gather.call, "linear").run(gather, steps);
  send_down(knomial_tree(c.rank, 0, c.size), blocks.total(), steps);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"ring", ring},
    {"recursive-doubling", recursive_doubling},
    {"bruck", bruck},
    {"neighbor-exchange", neighbor_exchange},
    {"gather-bcast", gather_bcast},
};

}  // namespace
}  // namespace allgather

std::span<const NamedAlgorithm> allgather_algorithms() { return allgather::kAlgorithms; }

}  // namespace latitude::graph::collectives
