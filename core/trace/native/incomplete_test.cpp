// Traces of jobs that were killed.
#include <gtest/gtest.h>

#include "core/graph/from_trace.hpp"
#include "core/graph/same_for_tests.hpp"
#include "core/trace/native/random_program_for_tests.hpp"

namespace latitude::trace::native {
namespace {

Trace cut(const std::vector<std::string>& files) {
  return load(files, Clock::automatic, Incomplete::cut);
}

/// The calls of a rank that are kept.
std::vector<Call> calls(const Trace& trace, std::size_t rank) {
  std::vector<Call> result;
  for (const Event& e : trace.ranks[rank].events) result.push_back(e.call);
  return result;
}

Fields message(int peer, int tag) { return Fields().u(0).z(peer).z(tag).u(8); }

TEST(NativeIncomplete, IsRefusedWithoutBeingAsked) {
  std::vector<std::string> files;
  for (std::uint32_t r = 0; r < 6; ++r) files.push_back(FileWriter(r, 6).init().file());
  EXPECT_EQ(
      error_of(files),
      "r0.lat: breaks off at byte " + std::to_string(files[0].size()) +
          ": the trace of ranks 0, 1, 2, 3 and 2 more is incomplete, as when a job is killed; "
          "--incomplete analyses what all ranks completed");
  const std::string none = FileWriter().file();
  EXPECT_EQ(error_of({none}), "r0.lat: breaks off at byte " + std::to_string(none.size()) +
                                  ": the trace of rank 0 is incomplete, as when a job is killed; "
                                  "no rank wrote a call to its file; trace the program again");
  EXPECT_EQ(error_of({FileWriter().init().end(2).file()}).substr(0, 25),
            "r0.lat: called MPI_Abort:");
  EXPECT_EQ(error_of({FileWriter().init().end(1).file()}).substr(0, 39),
            "r0.lat: exited without MPI_Finalize: th");
}

TEST(NativeIncomplete, NothingKeptIsNoProgramWithoutMessages) {
  const std::string none = "recorded events none that tells of the program lies before what all ";
  EXPECT_EQ(error_of({FileWriter(0, 2).file(), FileWriter(1, 2).file()}, Clock::automatic,
                     Incomplete::cut),
            "r0.lat: nothing can be kept of this trace: of 0 " + none +
                "ranks completed; 2 of 2 ranks recorded none, as in a run that soon crashed, or on "
                "a full disk; trace the program again");
  FileWriter whole(0, 2);
  whole.init().add("MPI_Barrier", "c", Fields().u(0)).finalize();
  EXPECT_EQ(
      error_of({whole.end().file(), FileWriter(1, 2).file()}, Clock::automatic, Incomplete::cut),
      "r1.lat: nothing can be kept of this trace: of 3 " + none +
          "ranks completed; 1 of 2 ranks recorded none, as in a run that soon crashed, or on a "
          "full disk; trace the program again");
  EXPECT_EQ(error_of({FileWriter(0, 2).init().file(), FileWriter(1, 2).init().file()},
                     Clock::automatic, Incomplete::cut),
            "r0.lat: nothing can be kept of this trace: of 2 " + none +
                "ranks completed; trace the program again");
}

TEST(NativeIncomplete, WholeTracesStayWhole) {
  const Trace trace = cut({one([](FileWriter&) {})});
  EXPECT_EQ(calls(trace, 0), (std::vector<Call>{Call::Init, Call::Finalize}));
  EXPECT_TRUE(trace.warnings.empty());
}

TEST(NativeIncomplete, EndsWhereTheOtherEndIsMissing) {
  FileWriter a(0, 2);
  a.init().add("MPI_Send", "cptb", message(1, 0));
  a.add("MPI_Send", "cptb", message(1, 0));
  a.add("MPI_Send", "cptb", message(1, 9))
      .add("MPI_Probe", "cpts", Fields().u(0).z(1).z(0).as_asked());
  FileWriter b(1, 2);
  b.init().add("MPI_Irecv", "cptbq", message(0, 5).request(1));  // never completed: left out
  b.add("MPI_Irecv", "cptbq", Fields().u(0).z(-1).z(6).u(8).request(2));  // the same
  b.add("MPI_Irecv", "cptbq", message(0, 0).request(3));
  b.add("MPI_Recv", "cptbs", message(0, 0).as_asked());
  Trace trace = cut({a.file(), b.file() + "LTCK"});
  EXPECT_EQ(calls(trace, 0),
            (std::vector<Call>{Call::Init, Call::Send, Call::Send, Call::Finalize}));
  EXPECT_EQ(calls(trace, 1), (std::vector<Call>{Call::Init, Call::Irecv, Call::Irecv, Call::Irecv,
                                                Call::Recv, Call::Request_free, Call::Request_free,
                                                Call::Request_free, Call::Finalize}));
  ASSERT_NE(warning(trace, "incomplete"), nullptr);
  EXPECT_EQ(warning(trace, "incomplete")->message.substr(0, 75),
            "2 of 2 ranks' traces are incomplete: 2 of 10 recorded events lie behind wha");
  EXPECT_EQ(graph::build_graph(trace, {}).messages(), 2U);
}

TEST(NativeIncomplete, EndsWhereItIsNotKnownWhoGotWhat) {
  FileWriter a(0, 2);
  a.init().add("MPI_Send", "cptb", message(1, 0)).add("MPI_Send", "cptb", message(1, 0));
  FileWriter b(1, 2);
  b.init().add("MPI_Irecv", "cptbq", Fields().u(0).z(-1).z(-1).u(8).request(1));
  b.add("MPI_Recv", "cptbs",
        message(0, 0).as_asked());  // receives one message, the Irecv the other
  Trace trace = cut({a.file(), b.file()});
  EXPECT_EQ(calls(trace, 0), (std::vector<Call>{Call::Init, Call::Finalize}));
  EXPECT_EQ(calls(trace, 1),
            (std::vector<Call>{Call::Init, Call::Irecv, Call::Request_free, Call::Finalize}));
  EXPECT_EQ(graph::build_graph(trace, {}).messages(), 0U);
}

TEST(NativeIncomplete, CollectivesNeedAllMembers) {
  FileWriter a(0, 3);
  FileWriter b(1, 3);
  const FileWriter c = FileWriter(2, 3).init();  // made no call after MPI_Init
  for (FileWriter* f : {&a, &b}) {
    f->init().comm(4, 0, 1, {0, 1}).add("MPI_Barrier", "c", Fields().u(4));
    f->add("MPI_Barrier", "c", Fields().u(0)).add("MPI_Barrier", "c", Fields().u(4));
  }
  Trace trace = cut({whole(a), whole(b), FileWriter(c).file()});
  for (const std::size_t rank : {0U, 1U}) {
    EXPECT_EQ(calls(trace, rank), (std::vector<Call>{Call::Init, Call::Barrier, Call::Finalize}));
  }
  EXPECT_EQ(graph::build_graph(trace, {}).messages(), 2U);
}

TEST(NativeIncomplete, DamagedLastChunkCountsAsTorn) {
  FileWriter writer;
  writer.init().add("MPI_Barrier", "c", Fields().u(0)).flush();
  writer.add("MPI_Barrier", "c", Fields().u(0));
  std::string file = writer.file();
  file.back() = static_cast<char>(file.back() ^ 1);
  EXPECT_EQ(calls(cut({file}), 0), (std::vector<Call>{Call::Init, Call::Barrier, Call::Finalize}));
  EXPECT_NE(error_of({file}).find("checksum"), std::string::npos);
  file[40] = static_cast<char>(file[40] ^ 1);  // damage elsewhere does not
  EXPECT_NE(error_of({file}, Clock::automatic, Incomplete::cut), "");
}

/// For any cut of the files, the kept part is a graph, and the loss is as small as possible.
TEST(NativeIncomplete, RandomProgramsCutAnywhere) {
  std::mt19937 random(1);
  std::size_t kept = 0;
  std::size_t empty = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::vector<std::string> files = RandomProgram(seed).files();
    for (std::string& file : files) {
      if (random() % 3 != 0) file.resize(file.size() / 3 + random() % (file.size() * 2 / 3));
    }
    if (random() % 10 == 0) files.front().clear();
    try {
      Trace trace = cut(files);
      const graph::Graph graph = graph::build_graph(trace, {});
      kept += graph.messages();
    } catch (const InputError& error) {
      ASSERT_NE(std::string(error.what()).find("nothing can be kept"), std::string::npos)
          << "seed " << seed << ": " << error.what();
      ++empty;
    }
  }
  EXPECT_GT(kept, 10000U);
  EXPECT_LT(empty, 60U);
}

}  // namespace
}  // namespace latitude::trace::native
