// Handles that are ambiguous within their own rank, and the facts about them in other ranks.
#include "core/growth_for_tests.hpp"
#include "core/trace/liballprof/program_for_tests.hpp"

namespace latitude::trace {
namespace {

TEST(Dups, EqualIntegersOnAllRanksTellThem) {
  Program p(3, false);
  p.each([&](int r) { p.dup(r, 700).dup(r, 708); });
  p.each([&](int r) { p.barrier(r, 5, r, 3).barrier(r, 4, r, 3); });
  const Trace trace = p.trace();
  EXPECT_NE(barrier_comm(trace, 0, 0), barrier_comm(trace, 0, 1));
  EXPECT_EQ(barrier_comm(trace, 0, 0), barrier_comm(trace, 2, 0));
}

TEST(Dups, PointersThatNothingTellsApartMayShareOneContext) {
  Program p(2, true);
  p.each([&](int r) { p.dup(r, 700).dup(r, 708); });
  p.each([&](int r) { p.barrier(r, 4, r, 2).barrier(r, 5, r, 2); });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_comm(trace, 0, 0), barrier_comm(trace, 0, 1));
  EXPECT_EQ(barrier_comm(trace, 1, 1), barrier_comm(trace, 0, 1));

  // Messages through either handle, on different channels, are also safe; on one channel they are
  // not.
  const auto send = [&](int which, int tag) {
    p.call(0, "MPI_Send", str("1:1:1,4,4:1:", tag, ':', comm(p.handle(0, which), 0, 2)));
    p.call(1, "MPI_Recv", str("1:1:1,4,4:0:", tag, ':', comm(p.handle(1, which), 1, 2), ":0"));
  };
  send(4, 1);
  send(5, 2);
  EXPECT_EQ(p.error(), "");
  send(5, 1);
  EXPECT_TRUE(says(p.error(), {"r0.txt:9: MPI_Send uses communicator 94266891700040",
                               "through either", "the program again"}));
}

TEST(Dups, MergingIsRefusedWithWildcards) {
  Program p(2, true);
  p.each([&](int r) { p.dup(r, 700).dup(r, 708); });
  for (const int which : {4, 5}) {
    p.call(0, "MPI_Send", str("1:1:1,4,4:1:", which, ':', comm(p.handle(0, which), 0, 2)));
    p.call(1, "MPI_Recv", str("1:1:1,4,4:-1:", which, ':', comm(p.handle(1, which), 1, 2), ":0"));
  }
  EXPECT_TRUE(says(p.error(), {"r1.txt:6: MPI_Recv", "through either"}));
}

TEST(Dups, MergingIsRefusedWhenCollectivesInterleaveDifferently) {
  Program p(2, true);
  p.each([&](int r) { p.dup(r, 700).dup(r, 708); });
  const auto allreduce = [&](int r) {
    p.call(r, "MPI_Allreduce", str("1:2:3:10,8,8:3:", comm(p.handle(r, 5), r, 2)));
  };
  p.barrier(0, 4, 0, 2);
  allreduce(0);
  allreduce(1);
  p.barrier(1, 4, 1, 2);
  EXPECT_TRUE(says(p.error(), {"r1.txt:5: MPI_Allreduce", "different orders"}));
}

/// Rows and columns of a 2 × 2 grid, all made before any is used: rank 0 is (0, 2) in both, rank 3
/// (1, 2) in both.
Program grid(bool c) {
  Program p(4, c);
  p.each([&](int r) { p.split(r, r / 2, 0, 700).split(r, r % 2, 0, 708); });
  return p;
}

TEST(Grids, EqualIntegersTellRowsFromColumns) {
  Program p = grid(false);
  p.each([&](int r) { p.barrier(r, 4, r / 2, 2).barrier(r, 3, r % 2, 2); });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 0, 0), (Group{0, 2}));
  EXPECT_EQ(barrier_group(trace, 3, 1), (Group{2, 3}));
}

TEST(Grids, CollectivesTellRowsFromColumns) {
  Program p = grid(true);
  p.each([&](int r) {
    p.call(r, "MPI_Bcast", str("1:1:1,4,4:0:", comm(p.handle(r, 4), r / 2, 2)));
    p.barrier(r, 3, r % 2, 2);
  });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 0), (Group{0, 1}));
  EXPECT_EQ(barrier_group(trace, 3), (Group{2, 3}));
}

TEST(Grids, WithoutAnyEvidenceAreRefused) {
  Program p = grid(true);
  p.each([&](int r) { p.barrier(r, 4, r / 2, 2).barrier(r, 3, r % 2, 2); });
  EXPECT_TRUE(says(p.error(), {"r0.txt:5: MPI_Barrier uses communicator",
                               "MPI_Comm_split in line 3 or the MPI_Comm_split in line 4",
                               "the program again"}));
}

TEST(CommTies, TakeTimeInProportionToTheHandles) {
  for (const bool c : {false, true}) {
    const auto run = [&](int communicators) {
      Program p(2, c);
      p.each([&](int r) {
        for (int i = 0; i < communicators; ++i) p.dup(r, 7000 + 8 * i);
        for (int i = 0; i < communicators; ++i) p.barrier(r, 3 + i, r, 2);
      });
      p.trace();
    };
    EXPECT_LT(growth(500, run), kMostGrowth);
  }
}

}  // namespace
}  // namespace latitude::trace
