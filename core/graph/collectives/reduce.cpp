#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/tree.hpp"

namespace latitude::graph::collectives {
namespace reduce {
namespace {

/// The result is at `holder`, which sends it to the root.
void hand_over(const Collective& c, int holder, Steps& steps) {
  if (holder == c.root) return;
  if (c.rank == holder) steps.send(c.root, c.bytes);
  if (c.rank == c.root) steps.recv(holder, c.bytes);
}

void binomial(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  // Counted from the root, the operands would meet as root, root+1, …, 0, …: only a commutative
  // operation allows that. For other operations the operands meet at rank 0, as in MPICH.
  const int top = c.commutative ? c.root : 0;
  reduce_up(knomial_tree(c.rank, top, c.size), c.bytes, steps);
  hand_over(c, top, steps);
}

/// Reduce-scatter by recursive halving, then a binomial gather of the blocks (Rabenseifner 2004;
/// Thakur, Rabenseifner, Gropp 2005).
void rabenseifner(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Fold fold(c.size, c.root);
  if (!fold_in(fold, c.rank, c.bytes, steps)) return;
  const Blocks blocks = Blocks::split(c.bytes, c.element, fold.count());
  const auto bytes = [&](int first, int last) { return blocks.range(first, last); };
  const int number = fold.number_of(c.rank);
  const auto rounds = halving_rounds(number, fold.count(), Nearest::first);
  halve(rounds, fold, bytes, steps);
  // Each reversed round leaves the half whose numbers agree with the root's in the bit of that
  // round.
  const int root = fold.number_of(c.root);
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    const Halving& r = *round;
    const int bit = number ^ r.partner;
    if (((number ^ root) & bit) != 0) {
      steps.send(fold.rank_of(r.partner), bytes(r.kept_first, r.kept_last));
      return;
    }
    steps.recv(fold.rank_of(r.partner), bytes(r.given_first, r.given_last));
  }
}

/// Every rank sends to the root, which combines from the last rank to the first, as in Open MPI.
void linear(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  if (c.rank != c.root) {
    steps.send(c.root, c.bytes);
    return;
  }
  for (int rank = c.size - 1; rank >= 0; --rank) {
    if (rank == c.root) continue;
    steps.recv(rank, c.bytes);
    steps.reduce(c.bytes);
  }
}

void chain_in_pieces(const Collective& c, std::uint64_t segment, Steps& steps) {
  if (trivial(c)) return;
  const Order order{c.root, c.size};
  const int index = order.index_of(c.rank);
  relay(index + 1 < c.size ? order.rank_at(index + 1) : -1,
        index > 0 ? order.rank_at(index - 1) : -1, c.bytes, segment, true, steps);
}

void chain(const Collective& c, Steps& steps) { chain_in_pieces(c, segment_for(c.element), steps); }

void chain_whole(const Collective& c, Steps& steps) { chain_in_pieces(c, c.bytes, steps); }

void binary(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  reduce_up(binary_tree(c.rank, c.root, c.size), c.bytes, steps);
}

void in_order_binary(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  reduce_up(in_order_binary_tree(c.rank, c.size), c.bytes, steps);
  hand_over(c, c.size - 1, steps);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"binomial", binomial},
    {"rabenseifner", rabenseifner, true},
    {"linear", linear},
    {"chain", chain, true},
    {"chain-whole", chain_whole, true},
    {"binary", binary, true},
    {"in-order-binary", in_order_binary},
};

}  // namespace
}  // namespace reduce

std::span<const NamedAlgorithm> reduce_algorithms() { return reduce::kAlgorithms; }

}  // namespace latitude::graph::collectives
