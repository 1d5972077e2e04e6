#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

// The fixed decision rules of Open MPI 4.1's coll/tuned (the v4.1.x branch at dadb5bfe,
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c), as a table. Its algorithm numbers appear as the
// names of Latitude's algorithms; docs/internals/collective-rules.md lists the differences.

namespace latitude::graph::collectives::openmpi {

/// The first rule of a table with size < size_below and bytes < bytes_below decides. `bytes` is the
/// whole vector in Bcast, Reduce, Allreduce and Reduce_scatter, and one rank's block in the others
/// (in Allgatherv the mean block).
struct Rule {
  std::uint64_t size_below;
  std::uint64_t bytes_below;
  std::string_view algorithm;
};
inline constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

// A line or two for each range of sizes.
// clang-format off
inline constexpr Rule kAllreduce[] = {
    {4, 8, "ring"}, {4, 4096, "recursive-doubling"}, {4, 8192, "ring"},
    {4, 16384, "recursive-doubling"}, {4, 262144, "ring"}, {4, kAll, "rabenseifner"},
    {8, 16, "ring"}, {8, 8192, "recursive-doubling"}, {8, kAll, "rabenseifner"},
    {16, 8192, "recursive-doubling"}, {16, kAll, "rabenseifner"},
    {32, 64, "ring"}, {32, 4096, "recursive-doubling"}, {32, kAll, "rabenseifner"},
    {64, 128, "ring"}, {64, kAll, "rabenseifner"},
    {128, 262144, "recursive-doubling"}, {128, kAll, "rabenseifner"},
    {256, 131072, "reduce-bcast"}, {256, 262144, "recursive-doubling"}, {256, kAll, "rabenseifner"},
    {512, 4096, "reduce-bcast"}, {512, kAll, "rabenseifner"},
    {2048, 2048, "reduce-bcast"}, {2048, 16384, "recursive-doubling"}, {2048, kAll, "rabenseifner"},
    {4096, 2048, "reduce-bcast"}, {4096, 4096, "ring"}, {4096, 16384, "recursive-doubling"},
    {4096, kAll, "rabenseifner"},
    {kAll, 2048, "reduce-bcast"}, {kAll, 16384, "ring"}, {kAll, 32768, "recursive-doubling"},
    {kAll, kAll, "rabenseifner"},
};

inline constexpr Rule kAllreduceInOrder[] = {
    {4, 131072, "recursive-doubling"}, {4, kAll, "linear"},
    {8, kAll, "recursive-doubling"},
    {16, 1048576, "recursive-doubling"}, {16, kAll, "reduce-bcast"},
    {128, kAll, "recursive-doubling"},
    {256, 131072, "reduce-bcast"}, {256, 524288, "recursive-doubling"}, {256, kAll, "reduce-bcast"},
    {512, 4096, "reduce-bcast"}, {512, 524288, "recursive-doubling"}, {512, kAll, "reduce-bcast"},
    {kAll, 2048, "reduce-bcast"}, {kAll, kAll, "recursive-doubling"},
};

inline constexpr Rule kAlltoall[] = {
    {3, 32768, "pairwise"}, {3, 262144, "linear"}, {3, kAll, "pairwise"},
    {8, 524288, "linear"}, {8, 1048576, "pairwise"}, {8, kAll, "linear"},
    {16, kAll, "linear"},
    {32, 4, "linear"}, {32, 512, "bruck"}, {32, kAll, "linear"},
    {64, 512, "bruck"}, {64, kAll, "linear"},
    {256, 1024, "bruck"}, {256, 262144, "linear"}, {256, kAll, "pairwise"},
    {512, 1024, "bruck"}, {512, 32768, "linear"}, {512, kAll, "pairwise"},
    {1024, 512, "bruck"}, {1024, 262144, "linear"}, {1024, kAll, "pairwise"},
    {2048, 512, "bruck"}, {2048, kAll, "linear"},
    {4096, 1024, "bruck"}, {4096, kAll, "linear"},
    {kAll, 2048, "bruck"}, {kAll, kAll, "linear"},
};

inline constexpr Rule kAlltoallv[] = {
    {4, kAll, "pairwise"},
    {64, kAll, "linear"},
    {128, kAll, "pairwise"},
    {256, kAll, "linear"},
    {1024, kAll, "pairwise"},
    {kAll, kAll, "linear"},
};

inline constexpr Rule kBarrier[] = {
    {4, kAll, "recursive-doubling"},
    {8, kAll, "linear"},
    {64, kAll, "recursive-doubling"},
    {256, kAll, "dissemination"},
    {512, kAll, "tree"},
    {1024, kAll, "dissemination"},
    {4096, kAll, "tree"},
    {kAll, kAll, "dissemination"},
};

inline constexpr Rule kBcast[] = {
    {4, 32, "chain-whole"}, {4, 256, "binary"}, {4, 512, "chain-whole"}, {4, 1024, "knomial"},
    {4, 32768, "linear"}, {4, 131072, "binary"}, {4, 262144, "chain-whole"}, {4, 524288, "linear"},
    {4, 1048576, "binomial"}, {4, kAll, "binary"},
    {8, 64, "binary"}, {8, 128, "binomial"}, {8, 2048, "binary"}, {8, 8192, "binomial"},
    {8, 1048576, "linear"}, {8, kAll, "chain-whole"},
    {16, 8, "knomial"}, {16, 64, "binary"}, {16, 4096, "knomial"}, {16, 16384, "binary"},
    {16, 32768, "binomial"}, {16, kAll, "linear"},
    {32, 4096, "knomial"}, {32, 1048576, "binomial"},
    {32, kAll, "scatter-recursive-doubling-allgather"},
    {64, 2048, "binomial"}, {64, kAll, "knomial"},
    {128, kAll, "knomial"},
    {256, 2, "binomial"}, {256, 16384, "binary"}, {256, 32768, "linear"}, {256, 65536, "binary"},
    {256, kAll, "knomial"},
    {1024, 16384, "knomial"}, {1024, 32768, "binary"}, {1024, kAll, "knomial"},
    {2048, 524288, "knomial"}, {2048, kAll, "scatter-recursive-doubling-allgather"},
    {4096, 262144, "knomial"}, {4096, kAll, "scatter-recursive-doubling-allgather"},
    {kAll, 8192, "knomial"}, {kAll, 16384, "binary"}, {kAll, 262144, "knomial"},
    {kAll, kAll, "scatter-recursive-doubling-allgather"},
};

inline constexpr Rule kReduce[] = {
    {4, 8, "rabenseifner"}, {4, 16, "binary"}, {4, 32, "chain-whole"}, {4, 262144, "linear"},
    {4, kAll, "chain-whole"},
    {8, 4096, "binary"}, {8, 65536, "chain-whole"}, {8, 262144, "binomial"}, {8, 524288, "linear"},
    {8, 1048576, "binomial"}, {8, kAll, "linear"},
    {16, 8192, "binary"}, {16, kAll, "binomial"},
    {32, 4096, "binary"}, {32, kAll, "binomial"},
    {256, kAll, "binomial"},
    {512, 8192, "binomial"}, {512, 16384, "in-order-binary"}, {512, kAll, "binomial"},
    {2048, kAll, "binomial"},
    {4096, 512, "binomial"}, {4096, 1024, "in-order-binary"}, {4096, 8192, "binomial"},
    {4096, 16384, "in-order-binary"}, {4096, kAll, "binomial"},
    {kAll, 16, "binomial"}, {kAll, 32, "in-order-binary"}, {kAll, 1024, "binomial"},
    {kAll, 2048, "in-order-binary"}, {kAll, 8192, "binomial"}, {kAll, 16384, "in-order-binary"},
    {kAll, kAll, "binomial"},
};

inline constexpr Rule kReduceInOrder[] = {
    {4, 8, "in-order-binary"}, {4, kAll, "linear"},
    {8, kAll, "linear"},
    {16, 1024, "in-order-binary"}, {16, 8192, "linear"}, {16, 16384, "in-order-binary"},
    {16, 262144, "linear"}, {16, kAll, "in-order-binary"},
    {128, kAll, "in-order-binary"},
    {256, 512, "in-order-binary"}, {256, 1024, "linear"}, {256, kAll, "in-order-binary"},
    {kAll, kAll, "in-order-binary"},
};

inline constexpr Rule kReduceScatter[] = {
    {4, 65536, "ring"}, {4, 131072, "recursive-halving"}, {4, kAll, "ring"},
    {8, 8, "reduce-scatter"}, {8, 262144, "recursive-halving"}, {8, kAll, "ring"},
    {32, 262144, "recursive-halving"}, {32, kAll, "ring"},
    {64, 64, "reduce-scatter"}, {64, 524288, "recursive-halving"}, {64, kAll, "ring"},
    {512, 256, "reduce-scatter"}, {512, kAll, "recursive-halving"},
    {4096, 512, "reduce-scatter"}, {4096, kAll, "recursive-halving"},
    {kAll, 1024, "reduce-scatter"}, {kAll, kAll, "recursive-halving"},
};

inline constexpr Rule kReduceScatterInOrder[] = {
    {kAll, kAll, "reduce-scatter"},
};

inline constexpr Rule kReduceScatterBlock[] = {
    {4, 4, "recursive-doubling"}, {4, 131072, "recursive-halving"}, {4, kAll, "reduce-scatter"},
    {8, 8, "recursive-halving"}, {8, 32, "recursive-doubling"}, {8, 1048576, "recursive-halving"},
    {8, kAll, "reduce-scatter"},
    {16, 4, "reduce-scatter"}, {16, 524288, "recursive-halving"}, {16, 4194304, "reduce-scatter"},
    {16, kAll, "recursive-halving"},
    {32, 32, "reduce-scatter"}, {32, 524288, "recursive-halving"}, {32, 2097152, "reduce-scatter"},
    {32, kAll, "recursive-halving"},
    {kAll, 4, "recursive-halving"}, {kAll, 16, "reduce-scatter"},
    {kAll, 65536, "recursive-halving"}, {kAll, 262144, "reduce-scatter"},
    {kAll, kAll, "recursive-halving"},
};

inline constexpr Rule kReduceScatterBlockInOrder[] = {
    {kAll, kAll, "reduce-scatter"},
};

inline constexpr Rule kAllgather[] = {
    {3, kAll, "ring"},
    {32, kAll, "recursive-doubling"},
    {64, 1024, "recursive-doubling"}, {64, 65536, "neighbor-exchange"}, {64, kAll, "ring"},
    {128, 512, "recursive-doubling"}, {128, 65536, "neighbor-exchange"}, {128, kAll, "ring"},
    {256, 512, "recursive-doubling"}, {256, 131072, "neighbor-exchange"}, {256, 524288, "ring"},
    {256, 1048576, "neighbor-exchange"}, {256, kAll, "ring"},
    {512, 32, "recursive-doubling"}, {512, 128, "bruck"}, {512, 1024, "recursive-doubling"},
    {512, 131072, "neighbor-exchange"}, {512, 524288, "ring"}, {512, 1048576, "neighbor-exchange"},
    {512, kAll, "ring"},
    {1024, 64, "recursive-doubling"}, {1024, 256, "bruck"}, {1024, 2048, "recursive-doubling"},
    {1024, kAll, "neighbor-exchange"},
    {2048, 4, "recursive-doubling"}, {2048, 8, "bruck"}, {2048, 16, "recursive-doubling"},
    {2048, 32, "bruck"}, {2048, 256, "recursive-doubling"}, {2048, 512, "bruck"},
    {2048, 4096, "recursive-doubling"}, {2048, kAll, "neighbor-exchange"},
    {4096, 32, "bruck"}, {4096, 128, "recursive-doubling"}, {4096, 512, "bruck"},
    {4096, 4096, "recursive-doubling"}, {4096, kAll, "neighbor-exchange"},
    {kAll, 2, "recursive-doubling"}, {kAll, 8, "bruck"}, {kAll, 16, "recursive-doubling"},
    {kAll, 512, "bruck"}, {kAll, 4096, "recursive-doubling"}, {kAll, kAll, "neighbor-exchange"},
};

inline constexpr Rule kAllgatherv[] = {
    {3, kAll, "ring"},
    {8, 256, "gather-bcast"}, {8, 4096, "neighbor-exchange"}, {8, 8192, "ring"},
    {8, 16384, "neighbor-exchange"}, {8, 262144, "bruck"}, {8, kAll, "neighbor-exchange"},
    {16, 1024, "gather-bcast"}, {16, kAll, "bruck"},
    {32, 128, "gather-bcast"}, {32, 262144, "bruck"}, {32, kAll, "ring"},
    {64, 256, "gather-bcast"}, {64, 8192, "bruck"}, {64, kAll, "ring"},
    {128, 256, "gather-bcast"}, {128, 4096, "bruck"}, {128, kAll, "ring"},
    {256, 1024, "bruck"}, {256, 65536, "neighbor-exchange"}, {256, kAll, "ring"},
    {512, 1024, "bruck"}, {512, kAll, "ring"},
    {1024, 512, "bruck"}, {1024, 1024, "gather-bcast"}, {1024, 4096, "bruck"},
    {1024, 1048576, "neighbor-exchange"}, {1024, kAll, "ring"},
    {kAll, 4096, "bruck"}, {kAll, kAll, "neighbor-exchange"},
};

inline constexpr Rule kGather[] = {
    {4, 2, "linear-sync"}, {4, 4, "linear-blocking"}, {4, 32768, "binomial"},
    {4, 65536, "linear-blocking"}, {4, 131072, "binomial"}, {4, kAll, "linear-sync"},
    {8, 1024, "binomial"}, {8, 8192, "linear-blocking"}, {8, 32768, "binomial"},
    {8, 262144, "linear-blocking"}, {8, kAll, "linear-sync"},
    {256, kAll, "binomial"},
    {512, 2048, "binomial"}, {512, 8192, "linear-blocking"}, {512, kAll, "binomial"},
    {kAll, kAll, "binomial"},
};

inline constexpr Rule kScatter[] = {
    {4, 2, "linear"}, {4, 131072, "linear-blocking"}, {4, 262144, "linear"},
    {4, kAll, "linear-blocking"},
    {8, 2048, "binomial"}, {8, 4096, "linear-blocking"}, {8, 8192, "binomial"},
    {8, 32768, "linear-blocking"}, {8, 1048576, "linear"}, {8, kAll, "linear-blocking"},
    {16, 16384, "binomial"}, {16, 1048576, "linear"}, {16, kAll, "linear-blocking"},
    {32, 16384, "binomial"}, {32, 32768, "linear-blocking"}, {32, kAll, "linear"},
    {64, 512, "binomial"}, {64, 8192, "linear"}, {64, 16384, "binomial"}, {64, kAll, "linear"},
    {kAll, 512, "binomial"}, {kAll, kAll, "linear"},
};
// clang-format on

}  // namespace latitude::graph::collectives::openmpi
