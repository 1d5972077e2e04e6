#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace scan {
namespace {

/// Each round exchanges the partial result of a group of 2^k. A rank also combines data from lower
/// ranks into its own result (MPICH's scan; any size).
void recursive_doubling(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  bool has_result = c.call == trace::Call::Scan;  // Exscan: the first operand becomes the result
  for (int mask = 1; mask < c.size; mask <<= 1) {
    const int partner = c.rank ^ mask;
    if (partner >= c.size) continue;
    steps.exchange(partner, c.bytes, partner, c.bytes);
    steps.reduce(c.bytes);
    if (partner < c.rank) {
      if (has_result) steps.reduce(c.bytes);
      has_result = true;
    }
  }
}

/// Each rank passes its result to the next rank.
void linear(const Collective& c, Steps& steps) {
  if (trivial(c)) return;
  const bool last = c.rank == c.size - 1;
  if (c.rank > 0) {
    steps.recv(c.rank - 1, c.bytes);
    if (c.call == trace::Call::Scan || !last) steps.reduce(c.bytes);
  }
  if (!last) steps.send(c.rank + 1, c.bytes);
}

constexpr NamedAlgorithm kAlgorithms[] = {
    {"recursive-doubling", recursive_doubling},
    {"linear", linear},
};

}  // namespace
}  // namespace scan

std::span<const NamedAlgorithm> scan_algorithms() { return scan::kAlgorithms; }

}  // namespace latitude::graph::collectives
