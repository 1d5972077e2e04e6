#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

// Reduce_scatter and Reduce_scatter_block: every rank knows every block's size.

namespace latitude::graph::collectives {
namespace reduce_scatter {
namespace {

void ring(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (!trivial(c, blocks)) ring_reduce_scatter(c.rank, {0, c.size}, blocks, steps);
}

/// In a folded pair one rank combined for both; the other gets its block back.
void return_block(const Fold& fold, const Collective& c, const Blocks& blocks, Steps& steps) {
  const int gone = fold.steps_aside(c.rank) ? c.rank : fold.partner(c.rank);
  if (fold.paired(c.rank)) fold_out(fold, c.rank, blocks[gone], steps);
}

/// Thakur, Rabenseifner, Gropp 2005: commutative, short vectors.
void recursive_halving(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  const Fold fold(c.size);
  if (fold_in(fold, c.rank, blocks.total(), steps)) {
    const auto bytes = [&](int first, int last) {
      return blocks.range(fold.first_rank(first), fold.first_rank(last));
    };
    halve(halving_rounds(fold.number_of(c.rank), fold.count(), Nearest::last), fold, bytes, steps);
  }
  return_block(fold, c, blocks, steps);
}

/// Every rank sends to each other rank the receiver's block of the operand: p-1 rounds, long
/// vectors.
void pairwise(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  for (int round = 1; round < c.size; ++round) {
    const int to = shifted(c.rank, round, c.size);
    steps.exchange(to, blocks[to], shifted(c.rank, -round, c.size), blocks[c.rank]);
    steps.reduce(blocks[c.rank]);
  }
}

/// Neighbouring groups exchange all blocks but their own, so operands meet in rank order (Thakur,
/// Rabenseifner, Gropp 2005: operations that do not commute).
void recursive_doubling(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  const Fold fold(c.size);
  if (fold_in(fold, c.rank, blocks.total(), steps)) {
    const int number = fold.number_of(c.rank);
    const auto without = [&](int group, int width) {
      return blocks.total() - blocks.range(fold.first_rank(group), fold.first_rank(group + width));
    };
    for (int mask = 1; mask < fold.count(); mask <<= 1) {
      const int mine = number & ~(mask - 1);
      const int partner = fold.rank_of(number ^ mask);
      const std::uint64_t received = without(mine ^ mask, mask);
      steps.exchange(partner, without(mine, mask), partner, received);
      steps.reduce(received);
    }
  }
  return_block(fold, c, blocks, steps);
}

/// Binomial reduction to rank 0, which then sends each rank its block.
void reduce_then_scatter(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (trivial(c, blocks)) return;
  Collective part = c;
  part.root = 0;
  part.call = trace::Call::Reduce;
  part.bytes = blocks.total();
  offered(part.call, "binomial").run(part, steps);
  const bool varied = c.call == trace::Call::Reduce_scatter;
  part.call = varied ? trace::Call::Scatterv : trace::Call::Scatter;
  part.bytes = blocks[c.rank];
  part.send_bytes = c.recv_bytes;
  offered(part.call, "linear").run(part, steps);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"ring", ring, true},
    {"recursive-halving", recursive_halving, true},
    {"pairwise", pairwise, true},
    {"recursive-doubling", recursive_doubling},
    {"reduce-scatter", reduce_then_scatter},
};

}  // namespace
}  // namespace reduce_scatter

std::span<const NamedAlgorithm> reduce_scatter_algorithms() { return reduce_scatter::kAlgorithms; }

}  // namespace latitude::graph::collectives
