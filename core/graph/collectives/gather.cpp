#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace gather {
namespace {

void binomial(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  binomial_gather(c.rank, {c.root, c.size}, Blocks::equal(c.bytes, c.size), steps);
}

/// Every rank sends to the root, which receives from all ranks at once. Ranks with nothing send
/// nothing.
void linear(const Collective& c, Steps& steps) {
  if (c.size < 2) return;
  if (c.rank != c.root) {
    if (c.bytes > 0) steps.send(c.root, c.bytes);
    return;
  }
  const Blocks blocks = c.call == trace::Call::Gatherv
                            ? listed_blocks(c, c.recv_bytes, "recvcounts")
                            : Blocks::equal(c.bytes, c.size);
  bool posted = false;
  for (int rank = 0; rank < c.size; ++rank) {
    if (rank == c.root || blocks[rank] == 0) continue;
    steps.irecv(rank, blocks[rank]);
    posted = true;
  }
  if (posted) steps.wait();
}

/// One rank after the other, in rank order: Open MPI's basic_linear.
void linear_blocking(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  if (c.rank != c.root) {
    steps.send(c.root, c.bytes);
    return;
  }
  for (int rank = 0; rank < c.size; ++rank)
    if (rank != c.root) steps.recv(rank, c.bytes);
}

/// The root calls each rank in turn with an empty message. As Open MPI's linear_sync with its
/// default segment size of 0: the whole block, then an empty second segment.
void linear_sync(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  if (c.rank != c.root) {
    steps.recv(c.root, 0);
    steps.send(c.root, c.bytes);
    steps.send(c.root, 0);
    return;
  }
  for (int rank = 0; rank < c.size; ++rank) {
    if (rank == c.root) continue;
    steps.irecv(rank, c.bytes);
    steps.isend(rank, 0);
    steps.irecv(rank, 0);
    steps.wait();
  }
}

constexpr NamedAlgorithm kGather[] = {
    {"binomial", binomial},
    {"linear", linear},
    {"linear-blocking", linear_blocking},
    {"linear-sync", linear_sync},
};

// No binomial Gatherv: a rank inside the tree would have to know its subtree's sizes, which MPI
// gives to the root alone.
constexpr NamedAlgorithm kGatherv[] = {{"linear", linear}};

}  // namespace
}  // namespace gather

std::span<const NamedAlgorithm> gather_algorithms() { return gather::kGather; }
std::span<const NamedAlgorithm> gatherv_algorithms() { return gather::kGatherv; }

}  // namespace latitude::graph::collectives
