// The events of one rank's records: times, bytes, peers, args.
#include <tuple>

#include "core/trace/liballprof/text_for_tests.hpp"

namespace latitude::trace {
namespace {

const std::string kDouble = "10,8,8";

TEST(Times, InitStartsTheClockAndFinalizeLosesItsGap) {
  const Trace trace =
      load_texts({"# header\n\nMPI_Initialized:-:1:-\nMPI_Init:-:0:0:84.5\n"
                  "MPI_Barrier:97:0,0,1:98.25\nMPI_Wtime:143:144\n"
                  "MPI_Finalize:300:-\n"});
  const RankTrace& rank = trace.ranks[0];
  ASSERT_EQ(rank.events.size(), 3u);
  EXPECT_EQ(rank.events[0].call, Call::Init);
  EXPECT_EQ(rank.events[0].enter_ns, 84500);
  EXPECT_EQ(rank.events[0].leave_ns, 84500);
  EXPECT_EQ(rank.events[1].enter_ns, 97000);
  EXPECT_EQ(rank.events[1].leave_ns, 98250);
  EXPECT_EQ(rank.events[1].position, 5u);
  EXPECT_EQ(rank.events[2].enter_ns, 144000);  // after the last record, local or not
  EXPECT_EQ(rank.events[2].leave_ns, 144000);
  EXPECT_EQ(rank.final_gap_left_out_ns, 156000);
  EXPECT_EQ(rank.event_count, 5u);
  EXPECT_EQ(trace.format, "liballprof");
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "finalize-gap");
  EXPECT_TRUE(says(trace.warnings[0].message, {"0.156 ms", "r0.txt"}));
}

TEST(Times, CountsEveryCallByItsName) {
  const Trace trace =
      load({File().add("MPI_Wtime").add("MPI_Wtime").add("MPI_Type_size", "1,4,4:9")});
  using Count = std::pair<std::string, std::uint64_t>;
  EXPECT_EQ(trace.ranks[0].call_counts,
            (std::vector<Count>{
                {"MPI_Init", 1}, {"MPI_Finalize", 1}, {"MPI_Type_size", 1}, {"MPI_Wtime", 2}}));
  EXPECT_EQ(trace.ranks[0].events.size(), 2u);
}

TEST(Times, MustNotRunBackwards) {
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\nMPI_Wtime:83:85\nMPI_Finalize:99:-\n"}),
                   {"r0.txt:2: MPI_Wtime", "time must not run backwards"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\nMPI_Wtime:86:85\nMPI_Finalize:99:-\n"}),
                   {"r0.txt:2: MPI_Wtime", "time must not run backwards"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\nMPI_Finalize:83:-\n"}), {"r0.txt:2: MPI_Fin"}));
}

TEST(Times, DashesOnlyWhereMpiHasNoClock) {
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:84\nMPI_Wtime:-:85\nMPI_Finalize:99:-\n"}),
                   {"r0.txt:2: MPI_Wtime has no time"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:-\n"}), {"r0.txt:1: MPI_Init has no time"}));
  EXPECT_TRUE(says(error_of({"MPI_Init:-:0:0:1\nMPI_Finalize:-:-\n"}), {"r0.txt:2:"}));
}

TEST(PointToPoint, BytesPeerTag) {
  const Trace trace =
      load({File()
                .add("MPI_Send", str("1:64:", kDouble, ":1:7:0,0,2"))
                .add("MPI_Sendrecv", str("1:2:1,4,4:1:3:9:5:", kDouble, ":-1:-1:0,0,2:0"))
                .add("MPI_Sendrecv_replace", "1:2:1,4,4:-2:3:1:4:0,0,2:0"),
            File().add("MPI_Recv", str("1:99:", kDouble, ":0:-1:0,1,2:0"))});
  const auto& events = trace.ranks[0].events;
  EXPECT_EQ(events[1].bytes, 512u);
  EXPECT_EQ(events[1].peer, 1);
  EXPECT_EQ(events[1].tag, 7);
  EXPECT_EQ(events[1].comm, kWorld);
  EXPECT_EQ(events[1].args, kNoArgs);
  EXPECT_EQ(events[2].bytes, 8u);
  EXPECT_EQ(args(trace.ranks[0], 2, 3), (std::vector<std::int64_t>{kAnySource, kAnyTag, 40}));
  EXPECT_EQ(events[3].peer, kProcNull);
  EXPECT_EQ(args(trace.ranks[0], 3, 3), (std::vector<std::int64_t>{1, 4, 8}));
  EXPECT_EQ(trace.ranks[1].events[1].bytes, 792u);
  EXPECT_EQ(trace.ranks[1].events[1].tag, kAnyTag);
}

TEST(PointToPoint, PeersMustExist) {
  const auto with = [](const char* peer, const char* tag) {
    return error_of({File().add("MPI_Send", str("1:1:1,4,4:", peer, ':', tag, ":0,0,1"))});
  };
  EXPECT_TRUE(says(with("1", "0"), {"r0.txt:2: MPI_Send has peer 1 of 1"}));
  EXPECT_TRUE(says(with("-7", "0"), {"r0.txt:2: MPI_Send has peer -7"}));
  EXPECT_TRUE(says(with("-1", "0"), {"MPI_ANY_SOURCE under Open MPI", "--mpi"}));
  EXPECT_TRUE(says(with("0", "-1"), {"negative tag"}));
  EXPECT_EQ(with("-2", "-1"), "");
}

TEST(WhichMpi, IsToldFromTheWorldsHandleOrByTheUser) {
  const auto peers = [](std::uint64_t world, Mpi mpi) {
    const std::string c = str(':', comm(world, 0, 1), ":0");
    const Trace trace = load({File()
                                  .add("MPI_Recv", str("1:1:1,4,4:-1:0", c))
                                  .add("MPI_Recv", str("1:1:1,4,4:-2:0", c))},
                             mpi);
    return std::pair(trace.ranks[0].events[1].peer, trace.ranks[0].events[2].peer);
  };
  const std::pair openmpi(kAnySource, kProcNull);
  const std::pair mpich(kProcNull, kAnySource);
  EXPECT_EQ(peers(94266891747968u, Mpi::detect), openmpi);
  EXPECT_EQ(peers(0, Mpi::detect), openmpi);
  EXPECT_EQ(peers(0x44000000, Mpi::detect), mpich);
  EXPECT_EQ(peers(0, Mpi::mpich), mpich);
  EXPECT_EQ(peers(0x44000000, Mpi::openmpi), openmpi);
}

/// One collective as seen by rank `rank` of 2.
Event collective(const char* name, const std::string& fields, int rank,
                 std::vector<std::int64_t>* run, std::size_t values) {
  const auto file = [&](int r) { return File().add(name, str(fields, ':', comm(0, r, 2))); };
  const Trace trace = load({file(0), file(1)});
  const RankTrace& mine = trace.ranks[static_cast<std::size_t>(rank)];
  if (run != nullptr) *run = values == 0 ? std::vector<std::int64_t>{} : args(mine, 1, values);
  if (values == 0) {
    EXPECT_EQ(mine.events[1].args, kNoArgs) << name;
  }
  return mine.events[1];
}

TEST(Collectives, WholeVectors) {
  const Event bcast = collective("MPI_Bcast", "1:3:1,4,4:1", 0, nullptr, 0);
  EXPECT_EQ(std::tuple(bcast.bytes, bcast.tag, bcast.peer), std::tuple(12u, 4, 1));
  const Event reduce = collective("MPI_Reduce", str("5:2:3:", kDouble, ":3:1"), 0, nullptr, 0);
  EXPECT_EQ(std::tuple(reduce.bytes, reduce.tag, reduce.peer, reduce.flags),
            std::tuple(24u, 8, 1, 0));
  const Event user = collective("MPI_Allreduce", str("1:2:3:", kDouble, ":9426"), 0, nullptr, 0);
  EXPECT_EQ(std::tuple(user.bytes, user.tag, user.flags), std::tuple(24u, 8, kUserOp | kInPlace));
  for (const char* name : {"MPI_Scan", "MPI_Exscan", "MPI_Reduce_scatter_block"}) {
    const Event e = collective(name, str("5:2:3:", kDouble, ":12"), 1, nullptr, 0);
    EXPECT_EQ(std::tuple(e.bytes, e.tag, e.flags), std::tuple(24u, 8, 0)) << name;
  }
  EXPECT_EQ(load({File().add("MPI_Barrier", "0,0,1")}).ranks[0].events[1].bytes, 0u);
}

TEST(Collectives, BlocksComeFromTheSideThatCounts) {
  // Rank 1 is root; the other side has arbitrary values, as with MPI_IN_PLACE and on ranks other
  // than the root.
  const std::string sides = str("5:3:1,4,4:6:7:", kDouble);
  EXPECT_EQ(collective("MPI_Gather", sides + ":1", 0, nullptr, 0).bytes, 12u);
  EXPECT_EQ(collective("MPI_Gather", sides + ":1", 1, nullptr, 0).bytes, 56u);
  EXPECT_EQ(collective("MPI_Scatter", sides + ":1", 0, nullptr, 0).bytes, 56u);
  EXPECT_EQ(collective("MPI_Scatter", sides + ":1", 1, nullptr, 0).bytes, 12u);
  EXPECT_EQ(collective("MPI_Allgather", sides, 0, nullptr, 0).bytes, 56u);
  EXPECT_EQ(collective("MPI_Alltoall", sides, 0, nullptr, 0).bytes, 56u);
}

TEST(Collectives, ListsOfCounts) {
  std::vector<std::int64_t> run;
  using Run = std::vector<std::int64_t>;
  const std::string gatherv = str("5:3:1,4,4:6:7:2,3:8:0,2:", kDouble, ":1");
  EXPECT_EQ(collective("MPI_Gatherv", gatherv, 0, &run, 0).bytes, 12u);
  EXPECT_EQ(collective("MPI_Gatherv", gatherv, 1, &run, 3).bytes, 24u);
  EXPECT_EQ(run, (Run{2, 16, 24}));
  const std::string scatterv = str("5:7:2,3:8:0,2:", kDouble, ":9:4:1,4,4:1");
  EXPECT_EQ(collective("MPI_Scatterv", scatterv, 0, &run, 0).bytes, 16u);
  EXPECT_EQ(collective("MPI_Scatterv", scatterv, 1, &run, 3).bytes, 24u);
  EXPECT_EQ(run, (Run{2, 16, 24}));
  EXPECT_EQ(
      collective("MPI_Allgatherv", str("5:9:1,4,4:6:7:2,3:8:0,2:", kDouble), 0, &run, 3).bytes,
      16u);
  EXPECT_EQ(run, (Run{2, 16, 24}));
  const Event rs = collective("MPI_Reduce_scatter", str("5:6:7:2,3:", kDouble, ":3"), 1, &run, 3);
  EXPECT_EQ(std::tuple(rs.bytes, rs.tag), std::tuple(24u, 8));
  EXPECT_EQ(run, (Run{2, 16, 24}));
  const std::string alltoallv = str(":7:2,3:8:0,2:1,4,4:9:7:4,5:8:0,2:", kDouble);
  EXPECT_EQ(collective("MPI_Alltoallv", str(5, alltoallv), 0, &run, 5).bytes, 20u);
  EXPECT_EQ(run, (Run{2, 8, 12, 32, 40}));
  const Event in_place = collective("MPI_Alltoallv", str(1, alltoallv), 0, &run, 5);
  EXPECT_EQ(std::tuple(in_place.bytes, in_place.flags), std::tuple(72u, kInPlace));
  EXPECT_EQ(run, (Run{2, 32, 40, 32, 40}));
}

TEST(Collectives, RefusesWhatTheFormatDoesNotHold) {
  const auto of = [](const char* name, const std::string& fields) {
    return error_of({File().add(name, fields)});
  };
  EXPECT_TRUE(says(of("MPI_Alltoallw", "1:2:3:4:5:6:7:8:9:10:11:12:0,0,1"),
                   {"r0.txt:2: MPI_Alltoallw", "the program again"}));
  EXPECT_TRUE(
      says(of("MPI_Ialltoallv", "1:2:3:1,4,4:5:6:7:1,4,4:0,0,1:9"), {"r0.txt:2: MPI_Ialltoallv"}));
  EXPECT_TRUE(says(of("MPI_Neighbor_alltoall", "1:2:1,4,4:4:5:1,4,4:0,0,1"), {"r0.txt:2:"}));
  EXPECT_TRUE(says(of("MPI_Bcast", "1:-3:1,4,4:0:0,0,1"), {"negative count"}));
  EXPECT_TRUE(says(of("MPI_Bcast", "1:3:1,-4,4:0:0,0,1"), {"negative size"}));
  EXPECT_TRUE(says(of("MPI_Bcast", "1:3:1,4,4:1:0,0,1"), {"has root 1 of 1"}));
  EXPECT_TRUE(says(of("MPI_Bcast", "1:3:1,4,4:-4:0,0,1"), {"has root -4", "intercommunicators"}));
  EXPECT_TRUE(
      says(of("MPI_Allgatherv", "1:3:1,4,4:2:3:1,2:4:0,0:1,4,4:0,0,1"), {"one count for each"}));
  EXPECT_TRUE(says(of("MPI_Barrier", "0,1,1"), {"no valid communicator"}));
  EXPECT_TRUE(says(of("MPI_Barrier", "0,-1,1"), {"no valid communicator"}));
}

TEST(Unsupported, BecomesAnEventForTheGraphToRefuse) {
  const Trace trace = load({File()
                                .add("MPI_Win_fence", "0:5")
                                .add("MPI_File_open", "0,0,1:1:2:3:4")
                                .add("MPI_Probe", "0:1:0,0,1:0")
                                .add("MPI_Iprobe", "0:1:0,0,1:0:0")});
  ASSERT_EQ(trace.ranks[0].events.size(), 5u);
  EXPECT_EQ(class_of(trace.ranks[0].events[1].call), CallClass::unsupported);
  EXPECT_EQ(trace.ranks[0].events[2].call, Call::File_open);
  EXPECT_EQ(trace.ranks[0].events[3].call, Call::Probe);
}

}  // namespace
}  // namespace latitude::trace
