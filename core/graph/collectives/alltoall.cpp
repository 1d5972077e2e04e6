#include <algorithm>

#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"

namespace latitude::graph::collectives {
namespace alltoall {
namespace {

/// Sizes of the blocks to and from each rank: one size in Alltoall, the rank's own counts in
/// Alltoallv/w.
struct Sizes {
  explicit Sizes(const Collective& c)
      : varied(c.call != trace::Call::Alltoall),
        to(varied ? listed_blocks(c, c.send_bytes, "sendcounts") : Blocks::equal(c.bytes, c.size)),
        from(varied ? listed_blocks(c, c.recv_bytes, "recvcounts") : to) {}
  bool varied;
  Blocks to;
  Blocks from;
};

bool nothing(const Collective& c) {
  return c.size < 2 || (c.call == trace::Call::Alltoall && c.bytes == 0);
}

/// Receives from the ranks after this one and sends to those before it, with `batch` of each under
/// way at a time. Empty blocks send nothing, as in both libraries.
void spread(const Collective& c, int batch, Steps& steps) {
  if (nothing(c)) return;
  const Sizes sizes(c);
  for (int first = 1; first < c.size; first += batch) {
    const int last = std::min(c.size, first + batch);
    bool posted = false;
    for (int i = first; i < last; ++i) {
      const int from = shifted(c.rank, i, c.size);
      if (sizes.from[from] == 0) continue;
      steps.irecv(from, sizes.from[from]);
      posted = true;
    }
    for (int i = first; i < last; ++i) {
      const int to = shifted(c.rank, -i, c.size);
      if (sizes.to[to] == 0) continue;
      steps.isend(to, sizes.to[to]);
      posted = true;
    }
    if (posted) steps.wait();
  }
}

void linear(const Collective& c, Steps& steps) { spread(c, std::max(1, c.size - 1), steps); }

/// MPICH's isend/irecv with MPIR_CVAR_ALLTOALL_THROTTLE = 32.
void scattered(const Collective& c, Steps& steps) { spread(c, 32, steps); }

/// One partner per round: rank xor round if the size is a power of two, else the ranks at that
/// distance (Thakur, Rabenseifner, Gropp 2005). Empty blocks are sent too.
void pairwise(const Collective& c, Steps& steps) {
  if (nothing(c)) return;
  const Sizes sizes(c);
  const bool paired = is_pow2(c.size);
  for (int round = 1; round < c.size; ++round) {
    const int to = paired ? c.rank ^ round : shifted(c.rank, round, c.size);
    const int from = paired ? to : shifted(c.rank, -round, c.size);
    steps.exchange(to, sizes.to[to], from, sizes.from[from]);
  }
}

/// The number of integers 1…last that have `bit` set.
std::uint64_t with_bit(std::uint64_t last, std::uint64_t bit) {
  const std::uint64_t numbers = last + 1;
  const std::uint64_t rest = numbers % (2 * bit);
  return numbers / (2 * bit) * bit + (rest > bit ? rest - bit : 0);
}

/// Bruck et al. 1997: round k moves every block whose distance has bit k set.
void bruck(const Collective& c, Steps& steps) {
  if (nothing(c)) return;
  const auto last = static_cast<std::uint64_t>(c.size - 1);
  for (std::uint64_t bit = 1; bit <= last; bit *= 2) {
    const std::uint64_t bytes = with_bit(last, bit) * c.bytes;
    const int distance = static_cast<int>(bit);
    steps.exchange(shifted(c.rank, distance, c.size), bytes, shifted(c.rank, -distance, c.size),
                   bytes);
  }
}

constexpr NamedAlgorithm kAlltoall[] = {
    {"linear", linear},
    {"pairwise", pairwise},
    {"bruck", bruck},
    {"scattered", scattered},
};
constexpr NamedAlgorithm kAlltoallv[] = {
    {"linear", linear},
    {"pairwise", pairwise},
    {"scattered", scattered},
};

}  // namespace
}  // namespace alltoall

std::span<const NamedAlgorithm> alltoall_algorithms() { return alltoall::kAlltoall; }
std::span<const NamedAlgorithm> alltoallv_algorithms() { return alltoall::kAlltoallv; }

}  // namespace latitude::graph::collectives
