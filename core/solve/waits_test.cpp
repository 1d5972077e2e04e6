// Waits and delays of programs with known answers.
#include "core/solve/waits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/graph/chains_for_tests.hpp"
#include "core/graph/goal/goal.hpp"
#include "core/graph/graph.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/cpu_order.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::Graph;
using model::kEager;
using model::LogGPS;

constexpr LogGPS kNetwork{.L = 100, .o = 10, .S = kEager};

std::vector<std::string> waits_of(const Waits& found) {
  std::vector<std::string> lines;
  for (const Wait& wait : found.waits) {
    lines.push_back(std::to_string(wait.line) + " " + std::string(name_of(wait.cause)) + " " +
                    std::to_string(std::llround(wait.ns)));
  }
  return lines;
}

std::vector<std::string> delays_of(const Waits& found) {
  std::vector<std::string> lines;
  for (const Delay& delay : found.delays) {
    lines.push_back(std::to_string(delay.line) + " " + std::string(name_of(delay.activity)) + " " +
                    std::to_string(std::llround(delay.direct_ns)) + " " +
                    std::to_string(std::llround(delay.indirect_ns)));
  }
  return lines;
}

double spent(const Waits& found, std::uint32_t rank, Activity activity) {
  double ns = 0;
  for (const Spent& row : found.spent) {
    if (row.line == rank && row.activity == activity) ns += row.ns;
  }
  return ns;
}

using Lines = std::vector<std::string>;

TEST(Waits, AReceiverWaitsForALateSender) {
  const Graph graph = Chains(2).calc(0, 1000).send(0, 1, 1).calc(1, 300).recv(1, 1, 0).build();
  const Waits found = waits(graph, kNetwork);
  EXPECT_EQ(waits_of(found), (Lines{"1 late_sender 700"}));
  EXPECT_EQ(delays_of(found), (Lines{"0 computation 700 0"}));
  EXPECT_EQ(spent(found, 1, Activity::transfer), 110);
  EXPECT_EQ(spent(found, 1, Activity::overhead), 10);
  EXPECT_EQ(spent(found, 1, Activity::computation), 300);
}

TEST(Waits, ADelayIsPassedOn) {
  const Graph graph = Chains(3)
                          .calc(0, 1000)
                          .send(0, 1, 1)
                          .recv(1, 1, 0)
                          .send(1, 1, 2)
                          .calc(2, 50)
                          .recv(2, 1, 1)
                          .build();
  const Waits found = waits(graph, kNetwork);
  EXPECT_EQ(waits_of(found), (Lines{"1 late_sender 1000", "2 late_sender 1070"}));
  // Rank 2 waits for rank 1: 950 for computation of rank 0, 110 for a message, 10 for its overhead.
  EXPECT_EQ(delays_of(found),
            (Lines{"0 computation 1000 950", "1 overhead 10 0", "1 transfer 110 0"}));
  ASSERT_EQ(found.behind_lines.size(), 3U);
  EXPECT_EQ(found.behind_lines[1].delaying, 0U);
  EXPECT_EQ(found.behind_lines[1].waiting, 2U);
  EXPECT_EQ(found.behind_lines[1].indirect_ns, 950);
}

TEST(Waits, ASenderWaitsForALateReceiver) {
  const Graph graph = Chains(2).send(0, 100, 1).calc(1, 1000).recv(1, 100, 0).build();
  const Waits found = waits(graph, LogGPS{.L = 100, .o = 10, .S = 10});
  EXPECT_EQ(waits_of(found), (Lines{"0 late_receiver 990"}));
  EXPECT_EQ(delays_of(found), (Lines{"1 computation 990 0"}));
  EXPECT_EQ(spent(found, 0, Activity::transfer), 100 + 2 * 10);
}

TEST(Waits, AMessageThatWasSentEarlierIsTakenLater) {
  const Graph graph = Chains(3)
                          .recv(0, 1, 1)
                          .recv(0, 1, 2)
                          .calc(1, 1000)
                          .send(1, 1, 0)
                          .calc(2, 400)
                          .send(2, 1, 0)
                          .build();
  const Waits found = waits(graph, kNetwork);
  EXPECT_EQ(waits_of(found), (Lines{"0 wrong_order 1000"}));
}

/// For a GOAL file whose CPUs take their operations in the order of the file.
Waits waits_in_file_order(const std::string& goal, const LogGPS& network) {
  return waits(in_file_order(graph::parse_goal_text(goal, "t.goal"), network), network);
}

TEST(Waits, WhatACpuTookBeforeIsOnTheLineOfWhatItServesNext) {
  const Waits found = waits_in_file_order(
      "num_ranks 2\n"
      "rank 0 {\na: send 100b to 1\nb: calc 100\nc: calc 50\nc requires a\n}\n"
      "rank 1 {\na: calc 800\nb: recv 100b from 0\nb requires a\n}\n",
      LogGPS{.L = 100, .o = 10, .S = 10});
  EXPECT_EQ(spent(found, 0, Activity::overhead), 10);
  EXPECT_EQ(spent(found, 0, Activity::computation), 100 + 50);
  EXPECT_EQ(waits_of(found), (Lines{"0 late_receiver 690"}));
}

TEST(Waits, ACpuWaitsForAnotherOneOfItsRank) {
  const Waits found = waits_in_file_order(
      "num_ranks 2\n"
      "rank 0 {\na: send 1b to 1 cpu 0\nb: calc 1000 cpu 1\nc: calc 50 cpu 0\nc requires b\n}\n"
      "rank 1 {\na: recv 1b from 0\n}\n",
      kNetwork);
  EXPECT_EQ(spent(found, 0, Activity::overhead), 10);
  EXPECT_EQ(spent(found, 0, Activity::computation), 50);
  EXPECT_EQ(spent(found, 1, Activity::computation), 1000);
  EXPECT_EQ(waits_of(found), (Lines{"0 other_thread 990"}));
}

TEST(Waits, ACpuIsThereFromTimeZero) {
  const Waits found = waits_in_file_order(
      "num_ranks 1\nrank 0 {\na: calc 1000 cpu 0\nb: calc 50 cpu 1\nb requires a\n}\n", kNetwork);
  EXPECT_EQ(spent(found, 1, Activity::computation), 50);
  EXPECT_EQ(waits_of(found), (Lines{"1 other_thread 1000"}));
  EXPECT_EQ(delays_of(found), (Lines{"0 computation 1000 0"}));
}

TEST(Waits, OfTwoThatAreAsLateTheFirstDelaysASender) {
  const Waits found = waits_in_file_order(
      "num_ranks 3\n"
      "rank 0 {\na: send 100b to 1\n}\n"
      "rank 1 {\na: calc 1000 cpu 1\nb: recv 1b from 2 cpu 2\nc: calc 10 cpu 0\n"
      "d: recv 100b from 0 cpu 0\nd requires a\nd requires b\n}\n"
      "rank 2 {\na: calc 880\nb: send 1b to 1\nb requires a\n}\n",
      LogGPS{.L = 100, .o = 10, .S = 10});
  const Lines waited{"0 late_receiver 990", "1 other_thread 990", "3 late_sender 880"};
  EXPECT_EQ(waits_of(found), waited);
  EXPECT_EQ(delays_of(found), (Lines{"2 computation 1980 0", "4 computation 880 0"}));
}

TEST(Waits, CellsOfTimeHoldWhatEachRankDoesThen) {
  const Graph graph = Chains(2).calc(0, 1000).send(0, 1, 1).calc(1, 300).recv(1, 1, 0).build();
  const model::Network network(kNetwork);
  const Schedule schedule(graph, network);
  const Waits found = waits(schedule, false, {{0, 1120, 1, 1}, {200, 400, 2, 1}, {0, 1120, 1, 2}});
  using Cells = std::vector<double>;
  // For each rank: computation, overhead, transfer, waits.
  EXPECT_EQ(found.seen[0].ns, (Cells{1000, 10, 0, 0, 300, 10, 110, 700}));
  EXPECT_EQ(found.seen[1].ns, (Cells{100, 0, 0, 0, 100, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 100}));
  EXPECT_EQ(found.seen[2].ns, (Cells{1300, 20, 110, 700}));
}

TEST(Waits, AnEmptyGraphHasNone) {
  const Waits found = waits(Chains(2).build(), kNetwork);
  EXPECT_TRUE(found.waits.empty());
  EXPECT_TRUE(found.spent.empty());
}

}  // namespace
}  // namespace latitude::solve
