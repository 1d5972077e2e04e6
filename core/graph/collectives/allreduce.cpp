#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace allreduce {
namespace {

/// Every round exchanges and combines the whole vector (Thakur, Rabenseifner, Gropp 2005).
void recursive_doubling(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Fold fold(c.size);
  if (fold_in(fold, c.rank, c.bytes, steps)) {
    const int number = fold.number_of(c.rank);
    for (int mask = 1; mask < fold.count(); mask <<= 1) {
      const int partner = fold.rank_of(number ^ mask);
      steps.exchange(partner, c.bytes, partner, c.bytes);
      steps.reduce(c.bytes);
    }
  }
  fold_out(fold, c.rank, c.bytes, steps);
}

/// Reduce-scatter and allgather, both around the ring (Patarasuk, Yuan 2009).
void ring(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Order order{0, c.size};
  const Blocks blocks = Blocks::split(c.bytes, c.element, c.size);
  ring_reduce_scatter(c.rank, order, blocks, steps);
  ring_allgather(c.rank, order, blocks, steps);
}

/// Reduce-scatter by recursive halving, allgather by recursive doubling (Rabenseifner 2004).
void rabenseifner(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Fold fold(c.size);
  if (fold_in(fold, c.rank, c.bytes, steps)) {
    const Blocks blocks = Blocks::split(c.bytes, c.element, fold.count());
    const auto bytes = [&](int first, int last) { return blocks.range(first, last); };
    const auto rounds = halving_rounds(fold.number_of(c.rank), fold.count(), Nearest::first);
    halve(rounds, fold, bytes, steps);
    unhalve(rounds, fold, bytes, steps);
  }
  fold_out(fold, c.rank, c.bytes, steps);
}

void through_rank_0(const Collective& c, std::string_view up, std::string_view down, Steps& steps) {
  Collective part = c;
  part.root = 0;
  part.call = trace::Call::Reduce;
  offered(part.call, up).run(part, steps);
  part.call = trace::Call::Bcast;
  offered(part.call, down).run(part, steps);
}

void reduce_bcast(const Collective& c, Steps& steps) {
  through_rank_0(c, "binomial", "binomial", steps);
}

void linear(const Collective& c, Steps& steps) { through_rank_0(c, "linear", "linear", steps); }

constexpr NamedAlgorithm kAlgorithms[] = {
    {"recursive-doubling", recursive_doubling},
    {"ring", ring, true},
    {"rabenseifner", rabenseifner, true},
    {"reduce-bcast", reduce_bcast},
    {"linear", linear},
};

}  // namespace
}  // namespace allreduce

std::span<const NamedAlgorithm> allreduce_algorithms() { return allreduce::kAlgorithms; }

}  // namespace latitude::graph::collectives
