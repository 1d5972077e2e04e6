// Messages, bytes, rounds and combined bytes against the textbook formulas (Thakur, Rabenseifner,
// Gropp 2005; Bruck et al. 1997), which docs/explanation/collectives.md lists.

#include <gtest/gtest.h>

#include <bit>

#include "core/graph/collectives/schedule_for_tests.hpp"

namespace latitude::graph {
namespace {

using test::Outcome;
using test::World;
using trace::Call;

constexpr std::uint64_t kElement = 8;

Algorithm named(Call call, std::string_view name) {
  for (const NamedAlgorithm& algorithm : algorithms_for(call))
    if (algorithm.name == name) return algorithm.run;
  ADD_FAILURE() << trace::name_of(call) << " has no " << name;
  return nullptr;
}

Outcome run(Call call, std::string_view name, int size, std::uint64_t bytes) {
  const Outcome outcome =
      test::play(World({call, size, size / 2, bytes, kElement, true}), named(call, name));
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

/// Each rank sends equally many bytes.
void expect_each_sends(const Outcome& outcome, std::uint64_t bytes) {
  for (const test::Member& member : outcome.members) EXPECT_EQ(member.sent, bytes);
}

/// `full` rounds if the size is a power of two. For other sizes the fold before and after adds two
/// rounds, of which the longest chain may contain only one.
void expect_rounds(const Outcome& outcome, std::uint64_t full, bool pow2) {
  EXPECT_GE(outcome.rounds(), pow2 ? full : full + 1);
  EXPECT_LE(outcome.rounds(), pow2 ? full : full + 2);
}

class Formulas : public testing::TestWithParam<int> {
 protected:
  const int size = GetParam();
  const std::uint64_t p = static_cast<std::uint64_t>(size);
  const std::uint64_t log_up = static_cast<std::uint64_t>(std::bit_width(p - 1));
  const std::uint64_t log_down = static_cast<std::uint64_t>(std::bit_width(p)) - 1;
  const bool pow2 = std::has_single_bit(p);
  const std::uint64_t count = std::bit_floor(p);  ///< ranks left by a fold
  const std::uint64_t extra = p - count;          ///< ranks that leave before a fold
  const std::uint64_t n = p * 16 * kElement;      ///< divides by p
  const std::uint64_t block = 48;
};

TEST_P(Formulas, Barrier) {
  const Outcome dissemination = run(Call::Barrier, "dissemination", size, 0);
  EXPECT_EQ(dissemination.rounds(), log_up);
  EXPECT_EQ(dissemination.messages(), p * log_up);
  EXPECT_EQ(dissemination.sent(), 0u);
  expect_rounds(run(Call::Barrier, "recursive-doubling", size, 0), log_down, pow2);
  EXPECT_EQ(run(Call::Barrier, "linear", size, 0).messages(), 2 * (p - 1));
  const Outcome tree = run(Call::Barrier, "tree", size, 0);
  EXPECT_EQ(tree.messages(), 2 * (p - 1));
  EXPECT_LE(tree.rounds(), 2 * log_up);
}

TEST_P(Formulas, Bcast) {
  for (const std::string_view tree :
       {"binomial", "knomial", "binary", "linear", "chain", "chain-whole"}) {
    const Outcome outcome = run(Call::Bcast, tree, size, n);
    EXPECT_EQ(outcome.messages(), p - 1) << tree;
    EXPECT_EQ(outcome.sent(), (p - 1) * n) << tree;
  }
  EXPECT_EQ(run(Call::Bcast, "binary", size, n).rounds(), log_down);
  EXPECT_LE(run(Call::Bcast, "binomial", size, n).rounds(), log_up);
  if (pow2) {
    EXPECT_EQ(run(Call::Bcast, "binomial", size, n).rounds(), log_down);
  }
  EXPECT_EQ(run(Call::Bcast, "chain", size, n).rounds(), p - 1);
  EXPECT_EQ(run(Call::Bcast, "chain", size, 10 * 65536 + 8).messages(), (p - 1) * 11);
  const Outcome ring = run(Call::Bcast, "scatter-allgather", size, n);
  EXPECT_LE(ring.rounds(), log_up + p - 1);
  EXPECT_EQ(ring.messages(), (p - 1) + p * (p - 1));
  if (pow2) {
    const Outcome doubling = run(Call::Bcast, "scatter-recursive-doubling-allgather", size, n);
    EXPECT_EQ(doubling.rounds(), 2 * log_down);
    // Scatter: 2^k senders of n/2^(k+1) in round k.
    EXPECT_EQ(doubling.sent(), n / 2 * log_down + (p - 1) * n);
  }
}

TEST_P(Formulas, Reduce) {
  for (const std::string_view tree : {"binomial", "binary", "linear", "chain", "chain-whole"}) {
    const Outcome outcome = run(Call::Reduce, tree, size, n);
    EXPECT_EQ(outcome.messages(), p - 1) << tree;
    EXPECT_EQ(outcome.combined(), (p - 1) * n) << tree;
  }
  const Outcome in_order = run(Call::Reduce, "in-order-binary", size, n);
  EXPECT_EQ(in_order.combined(), (p - 1) * n);
  EXPECT_EQ(in_order.messages(), p - 1 + (size / 2 == size - 1 ? 0 : 1));
  if (pow2) {
    const Outcome outcome = run(Call::Reduce, "rabenseifner", size, n);
    EXPECT_EQ(outcome.rounds(), 2 * log_down);
    EXPECT_EQ(outcome.combined(), (p - 1) * n);
    EXPECT_EQ(outcome.sent(), (p - 1) * n + n / 2 * log_down);
  }
}

TEST_P(Formulas, Allreduce) {
  const Outcome ring = run(Call::Allreduce, "ring", size, n);
  expect_each_sends(ring, 2 * (p - 1) * n / p);
  EXPECT_EQ(ring.rounds(), 2 * (p - 1));
  EXPECT_EQ(ring.combined(), (p - 1) * n);
  const Outcome uneven = run(Call::Allreduce, "ring", size, 5 * kElement);
  EXPECT_EQ(uneven.sent(), 2 * (p - 1) * 5 * kElement);
  const Outcome doubling = run(Call::Allreduce, "recursive-doubling", size, n);
  expect_rounds(doubling, log_down, pow2);
  const Outcome halving = run(Call::Allreduce, "rabenseifner", size, n);
  expect_rounds(halving, 2 * log_down, pow2);
  if (pow2) {
    expect_each_sends(doubling, n * log_down);
    EXPECT_EQ(doubling.combined(), p * n * log_down);
    expect_each_sends(halving, 2 * (p - 1) * n / p);
    EXPECT_EQ(halving.combined(), (p - 1) * n);
  }
  EXPECT_EQ(run(Call::Allreduce, "reduce-bcast", size, n).messages(), 2 * (p - 1));
}

TEST_P(Formulas, GatherAndScatter) {
  for (const Call call : {Call::Gather, Call::Scatter}) {
    const Outcome linear = run(call, "linear", size, block);
    EXPECT_EQ(linear.messages(), p - 1);
    EXPECT_EQ(linear.sent(), (p - 1) * block);
    const Outcome binomial = run(call, "binomial", size, block);
    EXPECT_EQ(binomial.messages(), p - 1);
    EXPECT_LE(binomial.rounds(), log_up);
    if (pow2) {
      EXPECT_EQ(binomial.rounds(), log_down);
      EXPECT_EQ(binomial.sent(), p / 2 * log_down * block);
    }
  }
}

TEST_P(Formulas, Allgather) {
  const Outcome ring = run(Call::Allgather, "ring", size, block);
  EXPECT_EQ(ring.rounds(), p - 1);
  expect_each_sends(ring, (p - 1) * block);
  const Outcome bruck = run(Call::Allgather, "bruck", size, block);
  EXPECT_EQ(bruck.rounds(), log_up);
  EXPECT_EQ(bruck.messages(), p * log_up);
  expect_each_sends(bruck, (p - 1) * block);
  const Outcome doubling = run(Call::Allgather, "recursive-doubling", size, block);
  expect_rounds(doubling, log_down, pow2);
  // Every number of a group of 2^k sends the group's blocks. A fold adds one block on the way in,
  // and all on the way out.
  EXPECT_EQ(doubling.sent(), (p * (count - 1) + extra * (1 + p)) * block);
  if (pow2) expect_each_sends(doubling, (p - 1) * block);
  if (size % 2 == 0) {
    const Outcome neighbor = run(Call::Allgather, "neighbor-exchange", size, block);
    EXPECT_EQ(neighbor.rounds(), p / 2);
    expect_each_sends(neighbor, (p - 1) * block);
  }
}

TEST_P(Formulas, Alltoall) {
  for (const std::string_view name : {"linear", "pairwise", "scattered"}) {
    const Outcome outcome = run(Call::Alltoall, name, size, block);
    EXPECT_EQ(outcome.messages(), p * (p - 1)) << name;
    expect_each_sends(outcome, (p - 1) * block);
  }
  const Outcome bruck = run(Call::Alltoall, "bruck", size, block);
  EXPECT_EQ(bruck.rounds(), log_up);
  EXPECT_EQ(bruck.messages(), p * log_up);
  std::uint64_t hops = 0;  // a block at distance d moves once for each bit of d
  for (std::uint64_t d = 1; d < p; ++d) hops += static_cast<std::uint64_t>(std::popcount(d));
  expect_each_sends(bruck, hops * block);
  if (pow2) {
    EXPECT_EQ(hops, p / 2 * log_down);
  }
}

TEST_P(Formulas, ReduceScatter) {
  for (const std::string_view name : {"ring", "pairwise"}) {
    const Outcome outcome = run(Call::Reduce_scatter_block, name, size, block);
    EXPECT_EQ(outcome.messages(), p * (p - 1)) << name;
    expect_each_sends(outcome, (p - 1) * block);
    EXPECT_EQ(outcome.combined(), p * (p - 1) * block) << name;
  }
  EXPECT_EQ(run(Call::Reduce_scatter_block, "ring", size, block).rounds(), p - 1);
  const Outcome halving = run(Call::Reduce_scatter_block, "recursive-halving", size, block);
  expect_rounds(halving, log_down, pow2);
  EXPECT_EQ(halving.sent(), (p * (count - 1) + extra * (p + 1)) * block);
  const Outcome doubling = run(Call::Reduce_scatter_block, "recursive-doubling", size, block);
  EXPECT_EQ(doubling.sent(), (p * (count * log_down - (count - 1)) + extra * (p + 1)) * block);
  if (pow2) {
    expect_each_sends(halving, (p - 1) * block);
    EXPECT_EQ(halving.combined(), p * (p - 1) * block);
    expect_each_sends(doubling, log_down * p * block - (p - 1) * block);
  }
}

TEST_P(Formulas, Scan) {
  for (const Call call : {Call::Scan, Call::Exscan}) {
    const Outcome linear = run(call, "linear", size, n);
    EXPECT_EQ(linear.messages(), p - 1);
    EXPECT_EQ(linear.rounds(), p - 1);
    const Outcome doubling = run(call, "recursive-doubling", size, n);
    EXPECT_EQ(doubling.rounds(), log_up);
    if (pow2) {
      EXPECT_EQ(doubling.messages(), p * log_down);
      // Every round, and the combination with data from lower ranks again; the first result of an
      // Exscan is a copy.
      const auto first = call == Call::Exscan ? p - 1 : 0;
      EXPECT_EQ(doubling.combined(), (p * log_down + p * log_down / 2 - first) * n);
    }
  }
}

/// The rows of the documentation's table that the tests above do not cover.
TEST_P(Formulas, Others) {
  const Outcome called = run(Call::Gather, "linear-sync", size, block);
  EXPECT_EQ(called.messages(), 3 * (p - 1));
  EXPECT_EQ(called.rounds(), 2 * (p - 1));
  EXPECT_EQ(called.sent(), (p - 1) * block);
  const Outcome gathered = run(Call::Allgather, "gather-bcast", size, block);
  EXPECT_EQ(gathered.messages(), 2 * (p - 1));
  EXPECT_EQ(gathered.sent(), (p - 1) * (p + 1) * block);
  EXPECT_LE(gathered.rounds(), 1 + log_up);
  const Outcome scattered = run(Call::Reduce_scatter_block, "reduce-scatter", size, block);
  EXPECT_EQ(scattered.messages(), 2 * (p - 1));
  EXPECT_EQ(scattered.sent(), (p - 1) * (p + 1) * block);
  EXPECT_LE(scattered.rounds(), 1 + log_up);
  EXPECT_EQ(run(Call::Alltoall, "linear", size, block).rounds(), 1u);
  EXPECT_EQ(run(Call::Alltoall, "scattered", size, block).rounds(), (p - 1 + 31) / 32);
  EXPECT_LE(run(Call::Alltoall, "pairwise", size, block).rounds(), p - 1);
  EXPECT_LE(run(Call::Reduce_scatter_block, "pairwise", size, block).rounds(), p - 1);
  EXPECT_LE(run(Call::Reduce, "in-order-binary", size, n).rounds(), 1 + log_up);
  EXPECT_LE(run(Call::Bcast, "knomial", size, n).rounds(), (log_up + 1) / 2);
  EXPECT_EQ(run(Call::Bcast, "linear", size, n).rounds(), 1u);
  EXPECT_EQ(run(Call::Allreduce, "linear", size, n).rounds(), 2u);
  EXPECT_LE(run(Call::Allreduce, "reduce-bcast", size, n).rounds(), 2 * log_up);
  if (size % 2 == 0) {
    EXPECT_EQ(run(Call::Allgather, "neighbor-exchange", size, block).messages(), p * p / 2);
  }
  if (pow2) {
    EXPECT_EQ(run(Call::Reduce, "rabenseifner", size, n).messages(), p * log_down + p - 1);
    EXPECT_EQ(run(Call::Allreduce, "rabenseifner", size, n).messages(), 2 * p * log_down);
    EXPECT_EQ(run(Call::Scan, "recursive-doubling", size, n).sent(), n * p * log_down);
    EXPECT_EQ(run(Call::Bcast, "scatter-allgather", size, n).sent(),
              n / 2 * log_down + (p - 1) * n);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Formulas,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 32, 33, 64, 100,
                                         128));

}  // namespace
}  // namespace latitude::graph
