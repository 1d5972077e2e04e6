// Whether the times of different ranks can be compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/graph/from_trace.hpp"
#include "core/trace/native/load_for_tests.hpp"

namespace latitude::trace::native {
namespace {

constexpr std::uint64_t kHour = 3'600'000'000'000;

/// A rank's file: MPI_Init is entered 10 ns after `begin`, and MPI_Finalize 40 ns after `begin`.
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

/// Adds to the file the difference between rank 0's clock and this rank's clock at its time `own`.
FileWriter compared(FileWriter file, std::uint64_t own, std::int64_t offset) {
  return file.chunk(8, 1, Encoder().varint(own).zigzag(offset).varint(7).bytes());
}

TEST(NativeCommonClock, IsThereOnSeveralHostsWhoseClocksWereComparedAtBothEnds) {
  constexpr std::uint32_t kFlag = 2;
  FileWriter first = compared(writer(0, 3, "n1", kHour, kFlag), kHour - 500, 0);
  FileWriter same = compared(writer(1, 3, "n1", kHour, kFlag), kHour - 500, 0);
  FileWriter other = compared(writer(2, 3, "n2", 1000, kFlag), 900, kHour - 1000);
  const auto both = [&] { return std::vector{first, same, other}; };
  std::vector<FileWriter> killed = both();
  for (FileWriter& file : killed) file.end(2);
  EXPECT_EQ(reason(killed, Clock::automatic, Incomplete::cut),
            "rank 0 ran on n1, and its clock was compared with others' at its start only, since it "
            "never came to MPI_Finalize");
  EXPECT_THROW(reason_of_whole(both()), InputError);
  first = compared(first, kHour + 500, 0);
  same = compared(same, kHour + 500, 0);
  FileWriter set = compared(other, 1100, kHour);
  other = compared(other, 1100, kHour - 1000);
  EXPECT_EQ(reason_of_whole(both()), "");
  EXPECT_EQ(reason_of_whole({first, same, set}),
            "the clock of rank 2 was set while it ran; trace again");
  FileWriter far = compared(writer(2, 3, "n2", 1000, kFlag), 900, kHour);
  far = compared(far, 1100, kHour);
  EXPECT_EQ(reason_of_whole({first, same, far}),
            "the clock of rank 2 is another one: by it the rank did not run together with those "
            "before it");
}

TEST(NativeCommonClock, IsNotThereOnSeveralHostsWhoseClocksWereNotCompared) {
  EXPECT_EQ(reason_of_whole(
                {writer(0, 3, "n1", 1000), writer(1, 3, "n1", 1000), writer(2, 3, "n2", 1000)}),
            "rank 0 ran on n1, and its clock was not compared with others'; trace again with this "
            "latitude");
}

TEST(NativeCommonClock, FollowsADriftToTheNanosecond) {
  // 50 ppm over 60 s: 3 ms in all. Another rank's clock is right.
  constexpr std::uint64_t kSecond = 1'000'000'000;
  for (const std::int64_t ppm : {-50, 50}) {
    const std::int64_t last = 60 * static_cast<std::int64_t>(kSecond);
    std::vector<FileWriter> files;
    for (const std::int64_t own_ppm : {std::int64_t{0}, ppm}) {
      const auto rank = static_cast<std::uint32_t>(files.size());
      const auto shown = [&](std::int64_t ns) {
        return static_cast<std::uint64_t>(ns + ns / 1'000'000 * own_ppm);
      };
      FileWriter file(rank, 2, 2);
      file.meta(std::string(R"({"host": "n)").append(std::to_string(rank)).append("\"}"));
      file =
          compared(file, shown(kSecond), -static_cast<std::int64_t>(kSecond) / 1'000'000 * own_ppm);
      file.thread(0, shown(2 * kSecond)).gap(0).lasts(0).init();
      std::int64_t now = 2 * static_cast<std::int64_t>(kSecond);
      for (int i = 0; i < 55; ++i) {
        const std::int64_t next = now + static_cast<std::int64_t>(kSecond);
        file.gap(shown(next) - shown(now)).lasts(0).add("MPI_Barrier", "c", Fields().u(0));
        now = next;
      }
      file.gap(0).lasts(0).finalize();
      file = compared(file, shown(last), -last / 1'000'000 * own_ppm);
      files.push_back(file.end());
    }
    const std::vector<std::string> bytes{files[0].file(), files[1].file()};
    Trace trace = load(bytes);
    ASSERT_EQ(trace.no_common_clock, "");
    for (const RankTrace& rank : trace.ranks) {
      for (std::size_t i = 0; i + 1 < rank.events.size(); ++i) {
        const auto ns = static_cast<std::int64_t>((2 + i) * kSecond);
        EXPECT_LE(std::abs(rank.common.at(rank.events[i].enter_ns) - ns), 1) << i << ' ' << ppm;
      }
    }
  }
}

TEST(NativeCommonClock, DamagedComparisonsAreRefused) {
  FileWriter file = compared(writer(0, 1, "n1", kHour, 2), 1000, 0);
  file = compared(file, 1000, 0);
  EXPECT_THROW(reason_of_whole({file}), InputError);
  EXPECT_THROW(reason_of_whole({compared(writer(0, 1, "n1", kHour), 1000, 0)}), InputError);
  EXPECT_THROW(reason_of_whole({compared(writer(0, 1, "n1", kHour, 2), 1000, INT64_MIN / 2)}),
               InputError);
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
  // Rank 0's last events never reached its file, but rank 0 did not end before rank 1 began.
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
  // MPI_Init of rank 0 returns 15 ns after the hour. The ranks enter barriers at 25 and 45 ns, and
  // leave them at 30 and 50 ns for an MPI_Finalize that the reader adds.
  std::vector<std::int64_t> times;
  for (const std::int64_t time : graph.traced_ns) {
    if (time != graph::kNotTraced) times.push_back(time);
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{10, 15, 30, 35}));
}

std::vector<std::int64_t> traced_times(const std::vector<std::string>& files) {
  Trace trace = load(files);
  return graph::build_graph(trace, {.traced_times = true}).traced_ns;
}

TEST(NativeCommonClock, ShiftedClocksChangeNoTime) {
  const auto file = [](std::uint32_t rank, std::int64_t ahead, std::uint32_t flags) {
    const auto shown = [&](std::uint64_t ns) { return ns + static_cast<std::uint64_t>(ahead); };
    FileWriter made =
        writer(rank, 2, flags == 0 || rank == 0 ? "n1" : "n2", shown(kHour + 20 * rank), flags);
    if (flags != 0) made = compared(made, shown(kHour - 1000), -ahead);
    made.add("MPI_Barrier", "c", Fields().u(0)).flush();
    if (flags != 0) made = compared(made, shown(kHour + 1000), -ahead);
    return made.finalize().end().file();
  };
  const std::vector<std::int64_t> times = traced_times({file(0, 0, 0), file(1, 0, 0)});
  ASSERT_GE(std::ranges::count_if(times, [](auto ns) { return ns != graph::kNotTraced; }), 4);
  constexpr std::int64_t kTenSeconds = 10'000'000'000;
  for (const std::int64_t ahead : {-kTenSeconds, kTenSeconds}) {
    EXPECT_EQ(traced_times({file(0, 0, 2), file(1, ahead, 2)}), times);
  }
}

}  // namespace
}  // namespace latitude::trace::native
