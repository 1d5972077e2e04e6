#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/presets.hpp"

// MPICH's selection by message size, as its control variables document it (src/mpi/coll/cvars.txt
// of 4.3.2 and the *_intra_auto functions of 3.3.2), without the variants for ranks that share
// nodes.

namespace latitude::graph::collectives {
namespace {

using trace::Call;

constexpr int kBcastMinProcs = 8;                 // MPIR_CVAR_BCAST_MIN_PROCS
constexpr std::uint64_t kBcastShort = 12288;      // MPIR_CVAR_BCAST_SHORT_MSG_SIZE
constexpr std::uint64_t kBcastLong = 524288;      // MPIR_CVAR_BCAST_LONG_MSG_SIZE
constexpr std::uint64_t kReduceShort = 2048;      // MPIR_CVAR_REDUCE_SHORT_MSG_SIZE
constexpr std::uint64_t kAllreduceShort = 2048;   // MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE
constexpr std::uint64_t kAllgatherShort = 81920;  // MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE
constexpr std::uint64_t kAllgatherLong = 524288;  // MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE
constexpr std::uint64_t kAlltoallShort = 256;     // MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE
constexpr std::uint64_t kAlltoallMedium = 32768;  // MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE
constexpr int kAlltoallBruckMinProcs = 8;         // MPIR_Alltoall_intra_auto
// MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE
constexpr std::uint64_t kReduceScatterLong = 524288;

std::string_view bcast_choice(const Collective& c) {
  if (c.bytes < kBcastShort || c.size < kBcastMinProcs) return "binomial";
  if (c.bytes < kBcastLong && is_pow2(c.size)) return "scatter-recursive-doubling-allgather";
  return "scatter-allgather";
}

/// Whether MPICH cuts the vector: long, a built-in operation, and an element for each of 2^k ranks.
bool worth_cutting(const Collective& c, std::uint64_t longest_whole) {
  return c.bytes > longest_whole && c.commutative &&
         elements(c) >= static_cast<std::uint64_t>(pow2_floor(c.size));
}

std::string_view allgather_choice(const Collective& c) {
  const std::uint64_t total = member_blocks(c).total();
  if (total < kAllgatherLong && is_pow2(c.size)) return "recursive-doubling";
  return total < kAllgatherShort ? "bruck" : "ring";
}

std::string_view alltoall_choice(const Collective& c) {
  if (c.bytes <= kAlltoallShort && c.size >= kAlltoallBruckMinProcs) return "bruck";
  return c.bytes <= kAlltoallMedium ? "scattered" : "pairwise";
}

bool all_equal(const Blocks& blocks) {
  for (int i = 1; i < blocks.count(); ++i)
    if (blocks[i] != blocks[0]) return false;
  return true;
}

/// MPICH's reduce_scatter for operations that do not commute: recursive halving outwards over
/// blocks that were first put into bit-reversed order. Powers of two and equal blocks only.
void reduce_scatter_in_order(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  if (c.size < 2 || blocks.total() == 0) return;
  const auto bytes = [&](int first, int last) { return blocks.range(first, last); };
  halve(halving_rounds(c.rank, c.size, Nearest::first), Fold(c.size), bytes, steps);
}

NamedAlgorithm reduce_scatter_choice(const Collective& c) {
  const Blocks blocks = member_blocks(c);
  if (c.commutative) {
    return offered(c.call, blocks.total() < kReduceScatterLong ? "recursive-halving" : "pairwise");
  }
  if (is_pow2(c.size) && all_equal(blocks)) return {"noncommutative", reduce_scatter_in_order};
  return offered(c.call, "recursive-doubling");
}

}  // namespace

NamedAlgorithm mpich_choice(const Collective& c) {
  switch (c.call) {
    case Call::Barrier:
      return offered(c.call, "dissemination");
    case Call::Bcast:
      return offered(c.call, bcast_choice(c));
    case Call::Reduce:
      return offered(c.call, worth_cutting(c, kReduceShort) ? "rabenseifner" : "binomial");
    case Call::Allreduce:
      return offered(c.call,
                     worth_cutting(c, kAllreduceShort) ? "rabenseifner" : "recursive-doubling");
    case Call::Gather:
    case Call::Scatter:
      return offered(c.call, "binomial");
    case Call::Allgather:
    case Call::Allgatherv:
      return offered(c.call, allgather_choice(c));
    case Call::Alltoall:
      return offered(c.call, alltoall_choice(c));
    case Call::Alltoallv:
    case Call::Alltoallw:
      return offered(c.call, "scattered");
    case Call::Reduce_scatter:
    case Call::Reduce_scatter_block:
      return reduce_scatter_choice(c);
    case Call::Scan:
    case Call::Exscan:
      return offered(c.call, "recursive-doubling");
    default:
      return offered(c.call, "linear");  // Gatherv, Scatterv, Neighbor_*
  }
}

}  // namespace latitude::graph::collectives
