#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/tree.hpp"

namespace latitude::graph::collectives {
namespace barrier {
namespace {

/// Hensgen, Finkel, Manber 1988; any size in ceil(log2 p) rounds.
void dissemination(const Collective& c, Steps& steps) {
  for (std::int64_t distance = 1; distance < c.size; distance *= 2) {
    const int d = static_cast<int>(distance);
    steps.exchange(shifted(c.rank, d, c.size), 0, shifted(c.rank, -d, c.size), 0);
  }
}

void recursive_doubling(const Collective& c, Steps& steps) {
  const Fold fold(c.size);
  if (fold_in(fold, c.rank, 0, steps)) {
    const int number = fold.number_of(c.rank);
    for (int mask = 1; mask < fold.count(); mask <<= 1) {
      const int partner = fold.rank_of(number ^ mask);
      steps.exchange(partner, 0, partner, 0);
    }
  }
  fold_out(fold, c.rank, 0, steps);
}

void linear(const Collective& c, Steps& steps) {
  if (c.rank != 0) {
    steps.send(0, 0);
    steps.recv(0, 0);
    return;
  }
  for (int rank = 1; rank < c.size; ++rank) steps.irecv(rank, 0);
  if (c.size > 1) steps.wait();
  for (int rank = 1; rank < c.size; ++rank) steps.isend(rank, 0);
  if (c.size > 1) steps.wait();
}

/// Messages go up and then down the binomial tree of rank 0.
void tree(const Collective& c, Steps& steps) {
  const Tree binomial = knomial_tree(c.rank, 0, c.size);
  for (auto child = binomial.children.rbegin(); child != binomial.children.rend(); ++child)
    steps.recv(*child, 0);
  if (binomial.parent >= 0) steps.send(binomial.parent, 0);
  send_down(binomial, 0, steps);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"dissemination", dissemination},
    {"recursive-doubling", recursive_doubling},
    {"linear", linear},
    {"tree", tree},
};

}  // namespace
}  // namespace barrier

std::span<const NamedAlgorithm> barrier_algorithms() { return barrier::kAlgorithms; }

}  // namespace latitude::graph::collectives
