// Communicators are known by handle, rank and size only: their groups must be proven.
#include <functional>

#include "core/trace/liballprof/text_for_test.hpp"

namespace latitude::trace {
namespace {

using Group = std::vector<std::int32_t>;

/// One file a rank, each with the handle of the world as Fortran or as C writes it.
class Program {
 public:
  Program(int ranks, bool c) : files_(static_cast<std::size_t>(ranks)), c_(c) {
    each([&](int r) { call(r, "MPI_Comm_size", str(world(r), ":5")); });
  }
  int size() const { return static_cast<int>(files_.size()); }
  std::string world(int r) const { return comm(c_ ? pointer(r, 0) : 0, r, size()); }
  /// A handle other than the world's: `which` is a small integer.
  std::uint64_t handle(int r, int which) const {
    return c_ ? pointer(r, which) : static_cast<std::uint64_t>(which);
  }
  Program& each(const std::function<void(int)>& work) {
    for (int r = 0; r < size(); ++r) work(r);
    return *this;
  }
  Program& call(int r, const char* name, const std::string& fields) {
    files_[static_cast<std::size_t>(r)].add(name, fields);
    return *this;
  }
  Program& barrier(int r, int which, int rank, int size) {
    return call(r, "MPI_Barrier", comm(handle(r, which), rank, size));
  }
  Program& split(int r, int colour, int key, int variable = 700) {
    return call(r, "MPI_Comm_split", str(world(r), ':', colour, ':', key, ':', variable));
  }
  Program& dup(int r, int variable = 700) {
    return call(r, "MPI_Comm_dup", str(world(r), ':', variable));
  }
  Program& free(int r, int variable) { return call(r, "MPI_Comm_free", std::to_string(variable)); }

  Trace trace() const { return load(files_); }
  std::string error() const { return error_of(files_); }

 private:
  std::vector<File> files_;
  bool c_;
};

/// Group of the `n`-th event of `rank` that is a barrier.
Group barrier_group(const Trace& trace, std::size_t rank, int n = 0) {
  for (const Event& e : trace.ranks[rank].events) {
    if (e.call == Call::Barrier && n-- == 0) return trace.communicators[e.comm].group;
  }
  return {};
}

std::uint32_t barrier_comm(const Trace& trace, std::size_t rank, int n = 0) {
  for (const Event& e : trace.ranks[rank].events) {
    if (e.call == Call::Barrier && n-- == 0) return e.comm;
  }
  return ~0u;
}

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

  // Messages through either, on different channels, are safe too; on one channel they are not.
  const auto send = [&](int which, int tag) {
    p.call(0, "MPI_Send", str("1:1:1,4,4:1:", tag, ':', comm(p.handle(0, which), 0, 2)));
    p.call(1, "MPI_Recv", str("1:1:1,4,4:0:", tag, ':', comm(p.handle(1, which), 1, 2), ":0"));
  };
  send(4, 1);
  send(5, 2);
  EXPECT_EQ(p.error(), "");
  send(5, 1);
  EXPECT_TRUE(says(p.error(), {"r0.txt:9: MPI_Send uses communicator 94266891700040",
                               "through either", "latitude trace"}));
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

/// Rows and columns of a 2 × 2 grid, both made before either is used: rank 0 is (0, 2) in both,
/// rank 3 (1, 2) in both.
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
                               "latitude trace"}));
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
  // The second dup may reuse the freed handle, so after the free either may be meant.
  Program p(2, GetParam());
  p.each([&](int r) { p.dup(r, 700).barrier(r, 3, r, 2).free(r, 999).dup(r, 708).barrier(r, 3, r, 2); });
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
    return File().add("MPI_Comm_dup", str(comm(0x44000000, r, 2), ":700"))
                 .add("MPI_Barrier", str(dup, ',', r, ",2"));
  };
  const Trace trace = load({file("-2080374784", 0), file("-2080374784", 1)});
  EXPECT_EQ(barrier_group(trace, 1), (Group{0, 1}));
  EXPECT_NE(barrier_comm(trace, 1), kWorld);
}

}  // namespace
}  // namespace latitude::trace
