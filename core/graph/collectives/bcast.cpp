#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/tree.hpp"

namespace latitude::graph::collectives {
namespace bcast {
namespace {

void binomial(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  send_down(knomial_tree(c.rank, c.root, c.size), c.bytes, steps);
}

/// Radix 4, Open MPI's coll_tuned_bcast_knomial_radix.
void knomial(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  send_down(knomial_tree(c.rank, c.root, c.size, 4), c.bytes, steps);
}

void binary(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  send_down(binary_tree(c.rank, c.root, c.size), c.bytes, steps);
}

void linear(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  if (c.rank != c.root) {
    steps.recv(c.root, c.bytes);
    return;
  }
  for (int rank = 0; rank < c.size; ++rank)
    if (rank != c.root) steps.isend(rank, c.bytes);
  steps.wait();
}

void chain_in_pieces(const Collective& c, std::uint64_t segment, Steps& steps) {
  if (trivial(c)) return;
  const Order order{c.root, c.size};
  const int index = order.index_of(c.rank);
  relay(index > 0 ? order.rank_at(index - 1) : -1,
        index + 1 < c.size ? order.rank_at(index + 1) : -1, c.bytes, segment, false, steps);
}

void chain(const Collective& c, Steps& steps) { chain_in_pieces(c, segment_for(c.element), steps); }

void chain_whole(const Collective& c, Steps& steps) { chain_in_pieces(c, c.bytes, steps); }

/// van de Geijn: scatter the vector, then gather the blocks on all ranks around a ring (Thakur,
/// Rabenseifner, Gropp 2005).
void scatter_allgather(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Order order{c.root, c.size};
  const Blocks blocks = Blocks::split(c.bytes, c.element, c.size);
  binomial_scatter(c.rank, order, blocks, steps);
  ring_allgather(c.rank, order, blocks, steps);
}

void scatter_doubling_allgather(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const Order order{c.root, c.size};
  const Blocks blocks = Blocks::split(c.bytes, c.element, c.size);
  binomial_scatter(c.rank, order, blocks, steps);
  doubling_allgather(c.rank, order, blocks, steps);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"binomial", binomial},
    {"scatter-allgather", scatter_allgather},
    {"scatter-recursive-doubling-allgather", scatter_doubling_allgather},
    {"chain", chain},
    {"chain-whole", chain_whole},
    {"knomial", knomial},
    {"binary", binary},
    {"linear", linear},
};

}  // namespace
}  // namespace bcast

std::span<const NamedAlgorithm> bcast_algorithms() { return bcast::kAlgorithms; }

}  // namespace latitude::graph::collectives
