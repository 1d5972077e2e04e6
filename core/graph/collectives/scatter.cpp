#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace scatter {
namespace {

void binomial(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  binomial_scatter(c.rank, {c.root, c.size}, Blocks::equal(c.bytes, c.size), steps);
}

/// The root sends to every rank in rank order. Ranks without data are skipped.
void from_root(const Collective& c, bool blocking, Steps& steps) {
  if (c.size < 2) return;
  if (c.rank != c.root) {
    if (c.bytes > 0) steps.recv(c.root, c.bytes);
    return;
  }
  const Blocks blocks = c.call == trace::Call::Scatterv
                            ? listed_blocks(c, c.send_bytes, "sendcounts")
                            : Blocks::equal(c.bytes, c.size);
  bool posted = false;
  for (int rank = 0; rank < c.size; ++rank) {
    if (rank == c.root || blocks[rank] == 0) continue;
    if (blocking) {
      steps.send(rank, blocks[rank]);
    } else {
      steps.isend(rank, blocks[rank]);
      posted = true;
    }
  }
  if (posted) steps.wait();
}

void linear(const Collective& c, Steps& steps) { from_root(c, false, steps); }

/// Open MPI's basic_linear, and its Scatterv.
void linear_blocking(const Collective& c, Steps& steps) { from_root(c, true, steps); }

constexpr NamedAlgorithm kScatter[] = {
    {"binomial", binomial},
    {"linear", linear},
    {"linear-blocking", linear_blocking},
};

// No binomial Scatterv, for the reason given in gather.cpp.
constexpr NamedAlgorithm kScatterv[] = {
    {"linear", linear},
    {"linear-blocking", linear_blocking},
};

}  // namespace
}  // namespace scatter

std::span<const NamedAlgorithm> scatter_algorithms() { return scatter::kScatter; }
std::span<const NamedAlgorithm> scatterv_algorithms() { return scatter::kScatterv; }

}  // namespace latitude::graph::collectives
