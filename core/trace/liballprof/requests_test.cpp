// Requests are known only by address: the calls that completed them, and the cases in which these
// cannot be known.
#include "core/trace/liballprof/requests_for_tests.hpp"

namespace latitude::trace {
namespace {

constexpr std::uint64_t kPointer = 94266891747968;

const Warning* waitany_warning(const Trace& trace) { return warning_of(trace, "waitany-order"); }

TEST(Wait, CompletesWhatWasPostedAtItsAddress) {
  const Trace trace = load({Requests().post(800).post(900).wait(900).wait(800).wait(800)});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(ids(rank, 3), Ids{2});
  EXPECT_EQ(ids(rank, 4), Ids{1});
  EXPECT_EQ(ids(rank, 5), Ids{});  // MPI_REQUEST_NULL by now
  EXPECT_EQ(rank.events[1].args, kNoArgs);
}

TEST(Wait, OnWhatWasNeverPostedCompletesNothing) {
  EXPECT_EQ(ids(load({Requests().wait(700).post(800).wait(800).wait(700)}).ranks[0], 1), Ids{});
}

TEST(Stride, FourWhereAddressesAreFourApart) {
  const Trace trace = load({Requests().post(800).post(804).post(808).waitall(2, 800).wait(808)});
  EXPECT_EQ(ids(trace.ranks[0], 4), (Ids{1, 2}));
  EXPECT_EQ(ids(trace.ranks[0], 5), Ids{3});
}

TEST(Stride, FourIsSeenAnywhereInTheTrace) {
  // Alone, this rank could have elements of 4 or 8 bytes; the other rank decides.
  const auto file = [](int r, std::uint64_t odd) {
    File f;
    for (const std::uint64_t address : {std::uint64_t{800}, std::uint64_t{816}, odd}) {
      f.add("MPI_Irecv", str("1:1:1,4,4:0:0:", comm(0, r, 2), ':', address));
    }
    f.add("MPI_Waitall", "4:800:0").add("MPI_Wait", "816:0").add("MPI_Wait", str(odd, ":0"));
    return f;
  };
  const Trace trace = load({file(0, 904), file(1, 908)});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{1});
  EXPECT_TRUE(says(error_of({file(0, 904), file(1, 904)}),
                   {"r0.txt:5: MPI_Waitall", "4 or 8 bytes", "the program again"}));
}

TEST(Stride, EightForPointersAndForGapsOfEight) {
  for (const std::uint64_t world : {std::uint64_t{0}, kPointer}) {
    const Trace trace =
        load({Requests(world).post(800).post(808).post(824).waitall(2, 800).waitall(2, 816)});
    EXPECT_EQ(ids(trace.ranks[0], 4), (Ids{1, 2}));
    EXPECT_EQ(ids(trace.ranks[0], 5), Ids{3});
  }
}

TEST(Stride, DoesNotMatterWhenBothGiveTheSame) {
  const Trace trace = load({Requests().post(800).waitall(3, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 2), Ids{1});
}

TEST(Waitall, SkipsNullSlotsAndKeepsArrayOrder) {
  const Trace trace =
      load({Requests(kPointer).post(832).post(800).waitall(5, 800).waitall(0, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 3), (Ids{2, 1}));
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{});
}

TEST(Waitall, HugeCountsAreCheap) {
  const Trace trace =
      load({Requests(kPointer).post(808).post(800).waitall(2147483647, 800).waitall(-5, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 3), (Ids{2, 1}));
}

TEST(Pending, FreedRequestsAreNot) {
  const Trace trace = load({Requests().post(800, "MPI_Isend").add("MPI_Request_free", "800")});
  EXPECT_EQ(ids(trace.ranks[0], 2), Ids{1});
  EXPECT_TRUE(says(error_of({File().add("MPI_Request_free", "800")}), {"was not posted"}));
}

TEST(Tests, AreRefusedUnlessThereIsNothingToComplete) {
  EXPECT_TRUE(says(error_of({Requests().post(800).add("MPI_Test", "800:0:0")}),
                   {"r0.txt:3: MPI_Test", "does not say", "the program again"}));
  EXPECT_TRUE(
      says(error_of({Requests().post(800).array("MPI_Testall", 1, 800, ":0:0")}), {"MPI_Testall"}));
  const Trace trace = load({Requests().post(800).wait(800).add("MPI_Test", "800:0:0")});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{});
}

TEST(Waitsome, IsRefusedWithAChoice) {
  EXPECT_TRUE(
      says(error_of({Requests().post(800).post(804).array("MPI_Waitsome", 2, 800, ":1:2:3")}),
           {"r0.txt:4: MPI_Waitsome had 2 requests"}));
  const Trace trace = load({Requests().post(804).array("MPI_Waitsome", 2, 800, ":1:2:3")});
  EXPECT_EQ(ids(trace.ranks[0], 2), Ids{1});
}

TEST(Waitany, WithOneCandidateIsCertain) {
  const Trace trace = load({Requests().post(804).waitany(2, 800).waitany(2, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 2), Ids{1});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{});
  EXPECT_EQ(waitany_warning(trace), nullptr);
}

TEST(Waitany, IsProvenByARequestPostedAgain) {
  const Trace trace =
      load({Requests().post(800).post(804).waitany(2, 800).post(804).waitall(2, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{2});
  EXPECT_EQ(ids(trace.ranks[0], 5), (Ids{1, 4}));
  EXPECT_EQ(waitany_warning(trace), nullptr);
}

TEST(Waitany, OtherwiseTakesArrayOrderAndSaysSo) {
  const Trace trace = load(
      {Requests().post(800).post(804).post(808).waitany(3, 800).waitany(3, 800).waitall(3, 800)});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{1});
  EXPECT_EQ(ids(trace.ranks[0], 5), Ids{2});
  EXPECT_EQ(ids(trace.ranks[0], 6), Ids{3});
  const Warning* const warning = waitany_warning(trace);
  ASSERT_NE(warning, nullptr);
  EXPECT_TRUE(says(warning->message, {"2 MPI_Waitany", "r0.txt:5"}));
}

TEST(Waitany, IsProvenByAFreeOfTheOther) {
  const Trace trace = load({Requests()
                                .post(800)
                                .post(804)
                                .waitany(2, 800)
                                .add("MPI_Request_free", "800")
                                .add("MPI_Wait", "804:0")});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{2});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{1});
  EXPECT_EQ(waitany_warning(trace), nullptr);
}

TEST(Waitany, SettlesBeforeAWait) {
  const Trace trace = load({Requests().post(800).post(804).waitany(2, 800).wait(804)});
  EXPECT_EQ(ids(trace.ranks[0], 3), Ids{1});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{2});
}

TEST(Waitany, ManyOpenOnesStayCheap) {
  Requests file(kPointer);
  constexpr int kMany = 1500;
  for (int i = 0; i < kMany; ++i) file.post(8000 + 8 * static_cast<unsigned>(i));
  for (int i = 0; i < kMany; ++i) file.waitany(kMany, 8000);
  const Trace trace = load({file});
  EXPECT_EQ(ids(trace.ranks[0], 2 * kMany), Ids{kMany});
}

TEST(Persistent, StartsAndCompletesAgainAndAgain) {
  const Trace trace = load({Requests(kPointer)
                                .post(800, "MPI_Recv_init")
                                .post(808, "MPI_Send_init")
                                .array("MPI_Startall", 2, 800, "")
                                .waitall(2, 800)
                                .wait(800)
                                .add("MPI_Start", "808")
                                .add("MPI_Wait", "808:0")
                                .add("MPI_Request_free", "800")});
  const RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(rank.events[1].call, Call::Recv_init);
  EXPECT_EQ(ids(rank, 3), (Ids{1, 2}));
  EXPECT_EQ(ids(rank, 4), (Ids{1, 2}));
  EXPECT_EQ(ids(rank, 5), Ids{});  // inactive
  EXPECT_EQ(ids(rank, 6), Ids{2});
  EXPECT_EQ(ids(rank, 7), Ids{2});
  EXPECT_EQ(ids(rank, 8), Ids{1});
}

TEST(Persistent, MustBeThereToStart) {
  EXPECT_TRUE(says(error_of({File().add("MPI_Start", "800")}), {"r0.txt:2: MPI_Start starts"}));
  EXPECT_TRUE(says(error_of({Requests().post(800).add("MPI_Start", "800")}), {"MPI_Start starts"}));
  EXPECT_TRUE(says(
      error_of({Requests(kPointer).post(800, "MPI_Recv_init").array("MPI_Startall", 2, 800, "")}),
      {"MPI_Startall starts"}));
}

TEST(Persistent, ARestartProvesAWaitany) {
  const Trace trace = load({Requests(kPointer)
                                .post(800, "MPI_Recv_init")
                                .post(808, "MPI_Recv_init")
                                .array("MPI_Startall", 2, 800, "")
                                .waitany(2, 800)
                                .add("MPI_Start", "808")
                                .add("MPI_Waitall", "2:800:0")});
  EXPECT_EQ(ids(trace.ranks[0], 4), Ids{2});
  EXPECT_EQ(ids(trace.ranks[0], 6), (Ids{1, 2}));
  EXPECT_EQ(waitany_warning(trace), nullptr);
}

TEST(NonBlockingCollectives, AreRequestsToo) {
  const Trace trace = load({File()
                                .add("MPI_Iallreduce", "1:2:3:10,8,8:3:0,0,1:800")
                                .add("MPI_Ibarrier", "0,0,1:804")
                                .add("MPI_Waitall", "2:800:0")});
  EXPECT_EQ(ids(trace.ranks[0], 3), (Ids{1, 2}));
  EXPECT_EQ(trace.ranks[0].events[1].bytes, 24u);
}

TEST(MixedLanguages, ArraysFollowTheirRequests) {
  Requests file(kPointer);
  file.post(800).post(808).add("MPI_Irecv", "1:1:1,4,4:0:0:0,0,1:9000");
  file.add("MPI_Irecv", "1:1:1,4,4:0:0:0,0,1:9004");
  file.waitall(2, 800).waitall(2, 9000);
  const Trace trace = load({file});
  EXPECT_EQ(ids(trace.ranks[0], 5), (Ids{1, 2}));
  EXPECT_EQ(ids(trace.ranks[0], 6), (Ids{3, 4}));
  Requests mixed(kPointer);
  mixed.post(800).add("MPI_Irecv", "1:1:1,4,4:0:0:0,0,1:804").add("MPI_Waitall", "2:800:0");
  EXPECT_TRUE(says(error_of({mixed}), {"r0.txt:4: MPI_Waitall", "C and of Fortran"}));
}

}  // namespace
}  // namespace latitude::trace
