// The presets at their libraries' thresholds. Expected values come from the decision functions
// themselves (openmpi_rules.hpp and presets_mpich.cpp name them), not from Latitude's tables.

#include <gtest/gtest.h>

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph {
namespace {

using trace::Call;

struct Case {
  Call call;
  int size;
  std::uint64_t bytes;
  std::string_view expected;
  std::uint64_t element = 1;
  bool commutative = true;
};

std::string_view chosen(std::string_view preset, const Case& test) {
  Selection selection;
  selection.apply(preset);
  Collective c;
  c.call = test.call;
  c.size = test.size;
  c.bytes = test.bytes;
  c.element = test.element;
  c.commutative = test.commutative;
  const std::vector<std::int64_t> blocks(static_cast<std::size_t>(test.size),
                                         static_cast<std::int64_t>(test.bytes));
  if (test.call == Call::Allgatherv || test.call == Call::Reduce_scatter) c.recv_bytes = blocks;
  return selection.choose(c).name;
}

void expect(std::string_view preset, std::span<const Case> cases) {
  for (const Case& test : cases) {
    EXPECT_EQ(chosen(preset, test), test.expected)
        << preset << ' ' << trace::name_of(test.call) << " size " << test.size << " bytes "
        << test.bytes;
  }
}

TEST(OpenMpi, AtItsThresholds) {
  const Case cases[] = {
      {Call::Barrier, 3, 0, "recursive-doubling"},
      {Call::Barrier, 4, 0, "linear"},
      {Call::Barrier, 8, 0, "recursive-doubling"},
      {Call::Barrier, 64, 0, "dissemination"},
      {Call::Barrier, 256, 0, "tree"},
      {Call::Barrier, 512, 0, "dissemination"},
      {Call::Barrier, 1024, 0, "tree"},
      {Call::Barrier, 4096, 0, "dissemination"},
      {Call::Bcast, 3, 31, "chain-whole"},
      {Call::Bcast, 3, 32, "binary"},
      {Call::Bcast, 4, 63, "binary"},
      {Call::Bcast, 4, 64, "binomial"},
      {Call::Bcast, 4, 8192, "linear"},
      {Call::Bcast, 4, 1048576, "chain-whole"},
      {Call::Bcast, 8, 7, "knomial"},
      {Call::Bcast, 16, 4095, "knomial"},
      {Call::Bcast, 16, 4096, "binomial"},
      {Call::Bcast, 16, 1048575, "binomial"},
      {Call::Bcast, 16, 1048576, "scatter-recursive-doubling-allgather"},
      {Call::Bcast, 16, 1048576, "linear", 1048576 / 8},  // fewer elements than ranks
      {Call::Bcast, 32, 2047, "binomial"},
      {Call::Bcast, 32, 2048, "knomial"},
      {Call::Bcast, 512, 16384, "binary"},
      {Call::Bcast, 4096, 262143, "knomial"},
      {Call::Bcast, 4096, 262144, "scatter-recursive-doubling-allgather"},
      {Call::Reduce, 2, 4, "rabenseifner", 2},
      {Call::Reduce, 2, 4, "linear", 4},  // one element for two ranks
      {Call::Reduce, 4, 4095, "binary"},
      {Call::Reduce, 4, 4096, "chain-whole"},
      {Call::Reduce, 4, 65536, "binomial"},
      {Call::Reduce, 256, 8192, "in-order-binary"},
      {Call::Reduce, 256, 16384, "binomial"},
      {Call::Reduce, 4, 4096, "linear", 1, false},
      {Call::Reduce, 64, 4096, "in-order-binary", 1, false},
      {Call::Allreduce, 3, 8, "recursive-doubling", 8},
      {Call::Allreduce, 3, 4096, "ring", 8},
      {Call::Allreduce, 3, 262144, "rabenseifner", 8},
      {Call::Allreduce, 4, 8191, "recursive-doubling"},
      {Call::Allreduce, 4, 8192, "rabenseifner", 8},
      {Call::Allreduce, 16, 63, "ring"},
      {Call::Allreduce, 16, 8, "recursive-doubling", 8},  // fewer elements than ranks
      {Call::Allreduce, 16, 64, "recursive-doubling", 8},
      {Call::Allreduce, 16, 4096, "rabenseifner", 8},
      {Call::Allreduce, 64, 262143, "recursive-doubling"},
      {Call::Allreduce, 64, 262144, "rabenseifner"},
      {Call::Allreduce, 128, 8, "reduce-bcast", 8},
      {Call::Allreduce, 1024, 2048, "recursive-doubling"},
      {Call::Allreduce, 8, 1048575, "recursive-doubling", 1, false},
      {Call::Allreduce, 8, 1048576, "reduce-bcast", 1, false},
      {Call::Gather, 2, 1, "linear-sync"},
      {Call::Gather, 4, 1023, "binomial"},
      {Call::Gather, 4, 1024, "linear-blocking"},
      {Call::Gather, 4, 262144, "linear-sync"},
      {Call::Gather, 300, 2048, "linear-blocking"},
      {Call::Scatter, 8, 16383, "binomial"},
      {Call::Scatter, 8, 16384, "linear"},
      {Call::Scatter, 8, 1048576, "linear-blocking"},
      {Call::Scatter, 64, 512, "linear"},
      {Call::Scatterv, 64, 512, "linear-blocking"},
      {Call::Gatherv, 64, 512, "linear"},
      {Call::Allgather, 2, 8, "ring"},
      {Call::Allgather, 8, 1 << 20, "recursive-doubling"},
      {Call::Allgather, 12, 1 << 20, "bruck"},  // not a power of two
      {Call::Allgather, 32, 1023, "recursive-doubling"},
      {Call::Allgather, 32, 1024, "neighbor-exchange"},
      {Call::Allgather, 32, 65536, "ring"},
      {Call::Allgather, 1024, 4, "bruck"},
      {Call::Allgatherv, 4, 255, "gather-bcast"},
      {Call::Allgatherv, 4, 256, "neighbor-exchange"},
      {Call::Allgatherv, 16, 128, "bruck"},
      {Call::Allgatherv, 16, 262144, "ring"},
      {Call::Alltoall, 2, 32767, "pairwise"},
      {Call::Alltoall, 2, 32768, "linear"},
      {Call::Alltoall, 8, 4, "linear"},
      {Call::Alltoall, 16, 4, "bruck"},
      {Call::Alltoall, 16, 512, "linear"},
      {Call::Alltoall, 64, 262144, "pairwise"},
      {Call::Reduce_scatter, 4, 1, "reduce-scatter"},         // 4 bytes in all
      {Call::Reduce_scatter, 4, 65535, "recursive-halving"},  // 262,140 in all
      {Call::Reduce_scatter, 4, 65536, "ring"},
      {Call::Reduce_scatter, 4, 65536, "reduce-scatter", 1, false},
      {Call::Reduce_scatter_block, 4, 8, "recursive-doubling"},
      {Call::Reduce_scatter_block, 4, 32, "recursive-halving"},
      {Call::Reduce_scatter_block, 4, 1048576, "reduce-scatter"},
      {Call::Scan, 16, 8, "linear"},
      {Call::Exscan, 16, 8, "linear"},
      {Call::Neighbor_alltoall, 16, 8, "linear"},
  };
  expect("openmpi", cases);
}

TEST(OpenMpi, DecidesAlltoallvBySizeAlone) {
  const std::pair<int, std::string_view> expected[] = {
      {2, "pairwise"}, {4, "linear"},     {63, "linear"},  {64, "pairwise"},
      {128, "linear"}, {256, "pairwise"}, {1024, "linear"}};
  for (const auto& [size, name] : expected)
    EXPECT_EQ(chosen("openmpi", {Call::Alltoallv, size, 8, name}), name) << size;
  EXPECT_EQ(chosen("openmpi", {Call::Alltoallw, 64, 8, ""}), "linear");
}

TEST(Mpich, AtItsThresholds) {
  const Case cases[] = {
      {Call::Barrier, 6, 0, "dissemination"},
      {Call::Bcast, 8, 12287, "binomial"},
      {Call::Bcast, 8, 12288, "scatter-recursive-doubling-allgather"},
      {Call::Bcast, 8, 524287, "scatter-recursive-doubling-allgather"},
      {Call::Bcast, 8, 524288, "scatter-allgather"},
      {Call::Bcast, 9, 12288, "scatter-allgather"},
      {Call::Bcast, 7, 1 << 24, "binomial"},
      {Call::Reduce, 8, 2048, "binomial"},
      {Call::Reduce, 8, 2056, "rabenseifner", 8},
      {Call::Reduce, 1024, 4096, "binomial", 8},  // 512 elements for 1,024 ranks
      {Call::Reduce, 8, 4096, "binomial", 8, false},
      {Call::Allreduce, 8, 2048, "recursive-doubling", 8},
      {Call::Allreduce, 8, 2056, "rabenseifner", 8},
      {Call::Allreduce, 8, 4096, "recursive-doubling", 8, false},
      {Call::Allreduce, 700, 4096, "rabenseifner", 8},  // 512 elements, 2^k = 512
      {Call::Allreduce, 1024, 4096, "recursive-doubling", 8},
      {Call::Gather, 9, 1 << 20, "binomial"},
      {Call::Scatter, 9, 1 << 20, "binomial"},
      {Call::Gatherv, 9, 8, "linear"},
      {Call::Scatterv, 9, 8, "linear"},
      {Call::Allgather, 8, 65535, "recursive-doubling"},
      {Call::Allgather, 8, 65536, "ring"},
      {Call::Allgather, 10, 8191, "bruck"},
      {Call::Allgather, 10, 8192, "ring"},
      {Call::Allgatherv, 8, 65535, "recursive-doubling"},
      {Call::Allgatherv, 10, 8191, "bruck"},
      {Call::Allgatherv, 10, 8192, "ring"},
      {Call::Alltoall, 8, 256, "bruck"},
      {Call::Alltoall, 7, 256, "scattered"},
      {Call::Alltoall, 8, 257, "scattered"},
      {Call::Alltoall, 8, 32768, "scattered"},
      {Call::Alltoall, 8, 32769, "pairwise"},
      {Call::Alltoallv, 8, 32769, "scattered"},
      {Call::Alltoallw, 8, 8, "scattered"},
      {Call::Reduce_scatter, 8, 65535, "recursive-halving"},
      {Call::Reduce_scatter, 8, 65536, "pairwise"},
      {Call::Reduce_scatter, 8, 64, "noncommutative", 1, false},
      {Call::Reduce_scatter, 9, 64, "recursive-doubling", 1, false},
      {Call::Reduce_scatter_block, 8, 65535, "recursive-halving"},
      {Call::Reduce_scatter_block, 8, 65536, "pairwise"},
      {Call::Reduce_scatter_block, 9, 64, "recursive-doubling", 1, false},
      {Call::Scan, 5, 8, "recursive-doubling"},
      {Call::Exscan, 5, 8, "recursive-doubling"},
      {Call::Neighbor_allgather, 5, 8, "linear"},
  };
  expect("mpich", cases);
}

}  // namespace
}  // namespace latitude::graph
