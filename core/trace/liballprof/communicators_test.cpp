// Communicators are known only by handle, rank and size: their groups must be proven.
#include "core/trace/liballprof/program_for_tests.hpp"

namespace latitude::trace {
namespace {

class Languages : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Handles, Languages, testing::Bool(),
                         [](const auto& info) { return info.param ? "C" : "Fortran"; });

TEST_P(Languages, SplitGroupsByColourThenKeyThenRank) {
  Program p(6, GetParam());
  p.each([&](int r) { p.split(r, r % 2, r < 2 ? 9 : 0); });
  // even ranks 2, 4, then 0 with its larger key; odd ranks 3, 5, 1
  const int rank[] = {2, 2, 0, 0, 1, 1};
  p.each([&](int r) { p.barrier(r, 3, rank[r], 3); });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 4), (Group{2, 4, 0}));
  EXPECT_EQ(barrier_group(trace, 1), (Group{3, 5, 1}));
  EXPECT_EQ(barrier_comm(trace, 1), barrier_comm(trace, 5));
}

TEST_P(Languages, UndefinedColourGivesNoCommunicator) {
  Program p(3, GetParam());
  p.each([&](int r) { p.split(r, r == 1 ? -32766 : 0, 0); });
  p.barrier(0, 3, 0, 2).barrier(2, 3, 1, 2);
  EXPECT_EQ(barrier_group(p.trace(), 2), (Group{0, 2}));
  p.barrier(1, 3, 0, 2);
  EXPECT_TRUE(says(p.error(), {"r1.txt:4: MPI_Barrier uses communicator", "rank 0 of 2",
                               "no call before made"}));
}

TEST_P(Languages, NestedSplits) {
  Program p(4, GetParam());
  p.each([&](int r) { p.split(r, r / 2, r); });
  p.each([&](int r) {
    p.call(r, "MPI_Comm_split", str(comm(p.handle(r, 3), r % 2, 2), ":0:", -r, ":708"));
    p.barrier(r, 4, 1 - r % 2, 2);
  });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 0), (Group{1, 0}));
  EXPECT_EQ(barrier_group(trace, 3), (Group{3, 2}));
}

TEST_P(Languages, CommunicatorsOfOneProcessNeedNoProof) {
  Program p(2, GetParam());
  p.each([&](int r) { p.barrier(r, 1, 0, 1); });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 1), Group{1});
  EXPECT_NE(barrier_comm(trace, 1), kWorld);
}

TEST_P(Languages, FirstUseBetweenTwoDupsTellsThem) {
  Program p(2, GetParam());
  p.each([&](int r) { p.dup(r, 700).barrier(r, 3, r, 2).dup(r, 708).barrier(r, 4, r, 2); });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_comm(trace, 0, 0), barrier_comm(trace, 1, 0));
  EXPECT_EQ(barrier_comm(trace, 0, 1), barrier_comm(trace, 1, 1));
  EXPECT_NE(barrier_comm(trace, 0, 0), barrier_comm(trace, 0, 1));
}

TEST_P(Languages, HandlesAreReusedAfterFree) {
  Program p(3, GetParam());
  p.each([&](int r) {
    p.split(r, 0, r).barrier(r, 3, r, 3).free(r, 700);
    p.split(r, 0, -r).barrier(r, 3, 2 - r, 3).free(r, 700);
    p.dup(r).barrier(r, 3, r, 3).free(r, 700);
  });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 1, 0), (Group{0, 1, 2}));
  EXPECT_EQ(barrier_group(trace, 1, 1), (Group{2, 1, 0}));
  EXPECT_EQ(barrier_group(trace, 1, 2), (Group{0, 1, 2}));
  EXPECT_NE(barrier_comm(trace, 1, 0), barrier_comm(trace, 1, 2));
  for (const Event& e : trace.ranks[0].events) {
    if (e.call == Call::Comm_free) {
      EXPECT_NE(e.comm, kWorld);
    }
  }
}

TEST_P(Languages, AFreeTellsTheOtherOfTwo) {
  Program p(2, GetParam());
  p.each([&](int r) {
    p.dup(r, 700).dup(r, 708).barrier(r, 4, r, 2).barrier(r, 3, r, 2).free(r, 708);
    p.barrier(r, 3, r, 2);  // so 3 was the first, and 4 the second
  });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_comm(trace, 0, 1), barrier_comm(trace, 0, 2));
  EXPECT_NE(barrier_comm(trace, 0, 0), barrier_comm(trace, 0, 1));
}

std::string cart_create(const Program& p, int r, int reorder) {
  return str(p.world(r), ":2:10:20:", reorder, ":700");
}

TEST_P(Languages, CartesianWithoutReorderKeepsRanks) {
  Program p(4, GetParam());
  p.each([&](int r) { p.call(r, "MPI_Cart_create", cart_create(p, r, 0)); });
  for (int r = 0; r < 3; ++r) p.barrier(r, 3, r, 3);  // a grid of three
  EXPECT_EQ(barrier_group(p.trace(), 2), (Group{0, 1, 2}));
}

TEST_P(Languages, CartesianWithReorderIsPinnedByTheRanksShown) {
  Program p(3, GetParam());
  p.each([&](int r) { p.call(r, "MPI_Cart_create", cart_create(p, r, 1)); });
  const int rank[] = {2, 0, 1};
  p.each([&](int r) { p.call(r, "MPI_Comm_rank", str(comm(p.handle(r, 3), rank[r], 3), ":5")); });
  p.barrier(0, 3, 2, 3).barrier(1, 3, 0, 3).barrier(2, 3, 1, 3);
  EXPECT_EQ(barrier_group(p.trace(), 0), (Group{1, 2, 0}));
}

TEST_P(Languages, OpaqueCommunicatorsAreRefusedOnlyWhenUsed) {
  Program p(4, GetParam());
  p.each([&](int r) {
    p.call(r, "MPI_Comm_create", str(p.world(r), ":77:700"));
    p.call(r, "MPI_Comm_rank", str(comm(p.handle(r, 3), r % 2, 2), ":5"));
  });
  EXPECT_EQ(p.error(), "");
  p.each([&](int r) { p.barrier(r, 3, r % 2, 2); });
  EXPECT_TRUE(says(p.error(), {"r0.txt:5: MPI_Barrier uses communicator",
                               "the MPI_Comm_create in line 3 made it", "neither records"}));
}

TEST_P(Languages, GraphsWithoutReorderKeepRanks) {
  Program p(3, GetParam());
  p.each([&](int r) { p.call(r, "MPI_Graph_create", str(p.world(r), ":2:10:20:0:700")); });
  p.barrier(0, 3, 0, 2).barrier(1, 3, 1, 2);
  EXPECT_EQ(barrier_group(p.trace(), 1), (Group{0, 1}));
}

TEST_P(Languages, HandlesOutOfNowhereAreRefused) {
  Program p(2, GetParam());
  p.each([&](int r) { p.barrier(r, 7, r, 2); });
  EXPECT_TRUE(says(p.error(), {"r0.txt:3: MPI_Barrier", "no call before made"}));
}

TEST_P(Languages, CreationsMustLineUp) {
  Program p(2, GetParam());
  p.dup(0).split(1, 0, 0);
  p.each([&](int r) { p.barrier(r, 3, r, 2); });
  EXPECT_TRUE(says(p.error(), {"r1.txt:3: MPI_Comm_split meets MPI_Comm_dup of r0.txt:3"}));
  Program q(2, GetParam());
  q.dup(0);
  q.barrier(0, 3, 0, 2);
  EXPECT_TRUE(says(q.error(), {"r0.txt:4: MPI_Barrier", "not all ranks show a call"}));
}

TEST_P(Languages, UnknownFreesKeepCongruentCommunicatorsSafe) {
  // The second dup may reuse the freed handle, so after the free the handle may mean either.
  Program p(2, GetParam());
  p.each([&](int r) {
    p.dup(r, 700).barrier(r, 3, r, 2).free(r, 999).dup(r, 708).barrier(r, 3, r, 2);
  });
  const Trace trace = p.trace();
  EXPECT_EQ(barrier_group(trace, 0, 1), (Group{0, 1}));
  EXPECT_EQ(barrier_comm(trace, 0, 1), barrier_comm(trace, 1, 1));
}

TEST(World, IsTheOnlyCommunicatorOfAnIdleRun) {
  const Trace trace = load({File(), File()});
  ASSERT_EQ(trace.communicators.size(), 1u);
  EXPECT_EQ(trace.communicators[0].group, (Group{0, 1}));
}

TEST(World, MpichHandlesOfFortranAndC) {
  const auto file = [](const char* dup, int r) {
    return File()
        .add("MPI_Comm_dup", str(comm(0x44000000, r, 2), ":700"))
        .add("MPI_Barrier", str(dup, ',', r, ",2"));
  };
  const Trace trace = load({file("-2080374784", 0), file("-2080374784", 1)});
  EXPECT_EQ(barrier_group(trace, 1), (Group{0, 1}));
  EXPECT_NE(barrier_comm(trace, 1), kWorld);
}

}  // namespace
}  // namespace latitude::trace
