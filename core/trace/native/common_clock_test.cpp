// Whether the times of different ranks can be compared.
#include <gtest/gtest.h>

#include "core/graph/from_trace.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

/// A rank's file whose MPI_Init is entered 10 ns after `begin` and MPI_Finalize 40 ns after.
FileWriter writer(std::uint32_t rank, std::uint32_t size, std::string_view host,
                  std::uint64_t begin, std::uint32_t flags = 0) {
  FileWriter file(rank, size, flags);
  file.meta(std::string(R"({"host": ")").append(host).append("\"}"));
  file.thread(0, begin).init().add("MPI_Barrier", "c", Fields().u(0));
  return file;
}

std::string reason(const std::vector<FileWriter>& files, Clock clock = Clock::automatic,
                   Incomplete incomplete = Incomplete::refuse) {
  std::vector<std::string> bytes;
  for (const FileWriter& file : files) bytes.push_back(FileWriter(file).file());
  return load(bytes, clock, incomplete).no_common_clock;
}

std::string reason_of_whole(std::vector<FileWriter> files, Clock clock = Clock::automatic) {
  for (FileWriter& file : files) file.finalize().end();
  return reason(files, clock);
}

TEST(NativeCommonClock, IsThatOfTheHost) {
  EXPECT_EQ(reason_of_whole({writer(0, 1, "n1", kHour)}), "");
  EXPECT_EQ(reason_of_whole({writer(0, 3, "n1", kHour), writer(1, 3, "n1", kHour + 29),
                             writer(2, 3, "n1", kHour - 29)}),
            "the clock of rank 2 is another one: by it the rank did not run together with those "
            "before it");
  EXPECT_EQ(reason_of_whole({writer(0, 3, "n1", kHour), writer(1, 3, "n1", kHour + 29),
                             writer(2, 3, "n1", kHour - 1)}),
            "");
}

TEST(NativeCommonClock, IsNotThereOnSeveralHosts) {
  EXPECT_EQ(reason_of_whole(
                {writer(0, 3, "n1", 1000), writer(1, 3, "n1", 1000), writer(2, 3, "n2", 1000)}),
            "rank 2 ran on n2, rank 0 on n1, and each host has a clock of its own; trace on one "
            "host");
}

TEST(NativeCommonClock, IsNotThereWhereTheHostIsNotKnown) {
  FileWriter unknown(1, 2);
  unknown.init().add("MPI_Barrier", "c", Fields().u(0));
  EXPECT_EQ(reason_of_whole({writer(0, 2, "n1", 10), unknown}),
            "it does not say which host rank 1 ran on");
  EXPECT_EQ(reason_of_whole({FileWriter().init()}), "it does not say which host rank 0 ran on");
}

TEST(NativeCommonClock, IsNotTheCpus) {
  const std::vector<FileWriter> files{writer(0, 2, "n1", 1000, 0), writer(1, 2, "n1", 1000, 1)};
  for (const Clock clock : {Clock::automatic, Clock::wall}) {
    EXPECT_EQ(reason_of_whole(files, clock),
              clock == Clock::wall
                  ? ""
                  : "its computation is measured by CPU time; read it with --clock wall");
  }
  EXPECT_EQ(reason_of_whole({writer(0, 1, "n1", 1000, 1)}, Clock::cpu),
            "its computation is measured by CPU time; read it with --clock wall");
}

TEST(NativeCommonClock, IsNotThereWhereRanksDidNotRunTogether) {
  for (const std::uint64_t begin : {kHour, 3 * kHour}) {
    EXPECT_EQ(reason_of_whole({writer(0, 3, "n1", 2 * kHour), writer(1, 3, "n1", 2 * kHour),
                               writer(2, 3, "n1", begin)}),
              "the clock of rank 2 is another one: by it the rank did not run together with those "
              "before it");
  }
}

TEST(NativeCommonClock, OfAKilledJobIsThatOfTheHost) {
  const auto killed = [](const std::vector<FileWriter>& files) {
    return reason(files, Clock::automatic, Incomplete::cut);
  };
  // Rank 0's last events never reached its file: it did not end before rank 1 began.
  const FileWriter early = writer(0, 2, "n1", kHour);
  FileWriter late = writer(1, 2, "n1", kHour + 1000);
  EXPECT_EQ(killed({early, late}), "");
  EXPECT_EQ(killed({early, late.finalize().end()}), "");
  FileWriter ended = writer(0, 2, "n1", kHour);
  EXPECT_NE(killed({ended.finalize().end(), writer(1, 2, "n1", 2 * kHour)}), "");
  FileWriter alone = FileWriter(0, 2).meta(R"({"host": "n1"})").thread(0, kHour).init();
  alone.comm(4, 0, 1, {0}).add("MPI_Barrier", "c", Fields().u(4));
  FileWriter nothing(1, 2);
  EXPECT_EQ(killed({alone, nothing.meta(R"({"host": "n1"})")}), "nothing was recorded of rank 1");
}

TEST(NativeCommonClock, GivesTheTimesOfWhatIsKeptOfAKilledJob) {
  std::vector<std::string> files;
  for (const std::uint32_t rank : {0U, 1U}) {
    FileWriter file = writer(rank, 2, "n1", kHour + 20 * rank);
    if (rank == 0) file.add("MPI_Barrier", "c", Fields().u(0));
    files.push_back(file.file());
  }
  Trace trace = load(files, Clock::automatic, Incomplete::cut);
  const graph::Graph graph = graph::build_graph(trace, {.traced_times = true});
  // MPI_Init of rank 0 returns at 15 ns after the hour: the barriers are entered at 25 and 45 ns,
  // and left for a MPI_Finalize of the reader's at 30 and 50 ns.
  std::vector<std::int64_t> times;
  for (const std::int64_t time : graph.traced_ns) {
    if (time != graph::kNotTraced) times.push_back(time);
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{10, 15, 30, 35}));
}

}  // namespace
}  // namespace latitude::trace::native
