// A replayed run: its time beyond the model stays, and nothing else changes.
#include "core/solve/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/graph/random_traced_for_tests.hpp"
#include "core/graph/same_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using graph::Kind;
using graph::kNotTraced;
using graph::RandomTraced;
using graph::VertexId;
using model::Gap;
using model::kEager;
using model::kReadings;
using model::LogGPS;
using model::Rendezvous;

constexpr LogGPS kReplayNetwork{.L = 1000, .o = 7, .G = 3, .S = kEager};

/// Ends of computations, in the order of the vertices; -1: unknown.
Graph traced(Graph graph, const std::vector<std::int64_t>& ends) {
  auto next = ends.begin();
  for (const graph::Vertex& vertex : graph.vertices) {
    const bool known = vertex.kind == Kind::calc && *next >= 0;
    graph.traced_ns.push_back(known ? *next : kNotTraced);
    next += vertex.kind == Kind::calc ? 1 : 0;
  }
  return graph;
}

/// Durations of the computations.
std::vector<std::int64_t> calcs(const Graph& graph) {
  std::vector<std::int64_t> values;
  for (const graph::Vertex& vertex : graph.vertices) {
    if (vertex.kind == Kind::calc) values.push_back(vertex.value);
  }
  return values;
}

Tangent at(const Graph& graph, LogGPS network, double L) {
  return SweepPlan(compile(graph, network, model::Theta::L)).tangent(L);
}

/// 11 bytes from a rank that has computed 100 ns to one that has computed 50 ns. By the model they
/// are received at 1144 ns, and rank 1's computation ends at 1344 ns.
Graph one_message() {
  return Chains(2).calc(0, 100).send(0, 11, 1).calc(1, 50).recv(1, 11, 0).calc(1, 200).build();
}

TEST(Replay, WhatCameLateStaysLateOnTopOfAnyLatency) {
  const Graph replay = replayed(traced(one_message(), {100, 50, 1844}), kReplayNetwork);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{100, 50, 700}));
  EXPECT_DOUBLE_EQ(critical_path(replay, kReplayNetwork).T_ns, 1844);
  EXPECT_DOUBLE_EQ(at(replay, kReplayNetwork, 5000).value, 5844);
  EXPECT_EQ(at(replay, kReplayNetwork, 5000).slope, 1);
  EXPECT_DOUBLE_EQ(at(replay, kReplayNetwork, 0).value, 844);
  EXPECT_TRUE(replay.traced_ns.empty());
}

TEST(Replay, WhoWaitsForALateSenderIsNotLate) {
  // The sender's computation took 300 ns longer; everything after it is later by the same time.
  const Graph replay = replayed(traced(one_message(), {400, 50, 1644}), kReplayNetwork);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{400, 50, 200}));
  EXPECT_DOUBLE_EQ(critical_path(replay, kReplayNetwork).T_ns, 1644);
}

TEST(Replay, LatenessBeforeAWaitIsTakenInByIt) {
  // Rank 1 reached its receive 600 ns late and still had to wait: T does not contain that delay.
  const Graph replay = replayed(traced(one_message(), {100, 650, 1344}), kReplayNetwork);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{100, 650, 200}));
  EXPECT_DOUBLE_EQ(critical_path(replay, kReplayNetwork).T_ns, 1344);
  EXPECT_DOUBLE_EQ(at(replay, kReplayNetwork, 0).value, 650 + 7 + 200);
}

TEST(Replay, NothingIsShortenedWhereTheModelIsSlower) {
  const Graph graph = one_message();
  const Graph replay = replayed(traced(graph, {90, 20, 300}), kReplayNetwork);
  EXPECT_TRUE(graph::same(replay, graph));
  EXPECT_DOUBLE_EQ(critical_path(replay, kReplayNetwork).T_ns, 1344);
}

TEST(Replay, ComputationsWithoutATimeKeepTheirs) {
  const Graph replay = replayed(traced(one_message(), {-1, -1, 1444}), kReplayNetwork);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{100, 50, 300}));
}

TEST(Replay, WithoutOverheadsACallsOwnTimeIsTheTraces) {
  // MPI_Send lasted 40 ns, MPI_Recv 60 ns from the arrival of the message.
  const Graph graph = Chains(2)
                          .calc(0, 100)
                          .send(0, 1, 1)
                          .calc(0, 10)
                          .calc(1, 2000)
                          .recv(1, 1, 0)
                          .calc(1, 20)
                          .build();
  const LogGPS network{.L = 1000, .S = kEager};
  const Graph replay = replayed(traced(graph, {100, 150, 2000, 2080}), network);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{100, 50, 2000, 80}));
}

TEST(Replay, BothEndsOfARendezvousMayBeLate) {
  const Graph graph = Chains(2)
                          .calc(0, 1)
                          .send(0, 11, 1)
                          .calc(0, 10)
                          .calc(1, 50000)
                          .recv(1, 11, 0)
                          .calc(1, 20)
                          .build();
  for (const Rendezvous reading : kReadings) {
    LogGPS network = kReplayNetwork;
    network.S = 10;
    network.rendezvous = reading;
    const CriticalPath model = critical_path(graph, network);
    const auto sender = static_cast<std::int64_t>(model.rank_end_ns[0]);
    const auto receiver = static_cast<std::int64_t>(model.rank_end_ns[1]);
    const Graph replay = replayed(traced(graph, {1, sender + 60, 50000, receiver + 60}), network);
    EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{1, 70, 50000, 80})) << name_of(reading);
    EXPECT_DOUBLE_EQ(critical_path(replay, network).T_ns,
                     static_cast<double>(std::max(sender, receiver) + 60));
    EXPECT_DOUBLE_EQ(at(replay, network, 60000).value, at(graph, network, 60000).value + 60);
  }
}

TEST(Replay, MessagesToOneself) {
  const Graph graph = Chains(1)
                          .calc(0, 5)
                          .send(0, 11, 0, false)
                          .calc(0, 100)
                          .recv(0, 11, 0)
                          .dep(0, 1, DepKind::requires_end)
                          .calc(0, 1)
                          .build();
  for (const std::uint64_t S : {kEager, std::uint64_t{10}}) {
    LogGPS network = kReplayNetwork;
    network.S = S;
    const Graph replay = replayed(traced(graph, {5, 122, 130}), network);
    EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{5, 110, 1}));
    EXPECT_DOUBLE_EQ(at(replay, network, 1e6).value, 130);
  }
}

TEST(Replay, EachLinkHasItsOwnPrices) {
  const Graph graph = Chains(3)
                          .send(0, 11, 1)
                          .send(0, 11, 2)
                          .recv(1, 11, 0)
                          .calc(1, 1)
                          .recv(2, 11, 0)
                          .calc(2, 1)
                          .build();
  model::Network network(kReplayNetwork);
  network.classes = {{"near", 1000, 3}, {"far", 4000, 5}};
  network.nodes = 3;
  network.node_of_rank = {0, 1, 2};
  network.class_of = {0, 0, 1, 0, 0, 1, 1, 1, 0};
  // By the model received at 7 + 1000 + 30 + 7 and, for the message sent second, 14 + 4000 + 50 +
  // 7.
  const Graph replay = replayed(traced(graph, {1144, 4171}), network);
  EXPECT_EQ(calcs(replay), (std::vector<std::int64_t>{100, 100}));
}

TEST(Replay, RoundingsDoNotAddUp) {
  // Every message takes half a ns more than a whole number; the trace has whole ones.
  constexpr int kMessages = 1000;
  Chains chains(2);
  std::vector<std::int64_t> ends[2];
  for (int i = 0; i < kMessages; ++i) {
    const auto from = static_cast<std::uint32_t>(i % 2);
    chains.send(from, 1, static_cast<std::int32_t>(1 - from));
    chains.recv(1 - from, 1, static_cast<std::int32_t>(from)).calc(1 - from, 10);
    ends[1 - from].push_back(2000 * (i + 1));
  }
  ends[0].insert(ends[0].end(), ends[1].begin(), ends[1].end());
  const LogGPS network{.L = 1000.5, .S = kEager};
  const Graph replay = replayed(traced(chains.build(), ends[0]), network);
  EXPECT_NEAR(critical_path(replay, network).T_ns, 2000 * kMessages, 1);
}

TEST(Replay, TheTraceKnowsNoComputeScale) {
  LogGPS scaled = kReplayNetwork;
  scaled.compute_scale = 2;
  const Graph graph = traced(one_message(), {110, 60, 1500});
  EXPECT_TRUE(graph::same(replayed(graph, scaled), replayed(graph, kReplayNetwork)));
}

TEST(Replay, NeedsTheTimes) {
  try {
    replayed(one_message(), kReplayNetwork);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the traced run cannot be replayed: the graph was built without its times");
  }
  LogGPS negative = kReplayNetwork;
  negative.L = -1;
  EXPECT_THROW(replayed(traced(one_message(), {100, 50, 1844}), negative), InputError);
  const Graph circle = Chains(2).recv(0, 8, 1).send(0, 8, 1).recv(1, 8, 0).send(1, 8, 0).build();
  EXPECT_THROW(replayed(traced(circle, {}), kReplayNetwork), InputError);
}

/// Algebra of Lowering that stores the end of each vertex, for one class of links.
class Ends {
 public:
  using Instant = double;

  Ends(const Graph& graph, const LogGPS& network) : network_(network), of(graph.vertices.size()) {
    Lowering<Ends>(graph, network, *this).run();
  }
  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    return at + cost.ns + cost.latencies * network_.L + cost.overheads * network_.o +
           cost.bytes * network_.G + cost.copied * network_.O + cost.gaps * network_.g;
  }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  double ended(VertexId v, double at) { return of[v] = at; }
  static void finished(double) {}

 private:
  const LogGPS& network_;

 public:
  std::vector<double> of;  ///< by vertex
};

/// Graphs like those from traces, on networks whose costs are whole nanoseconds.
class ReplayRandom : public testing::Test {
 protected:
  static constexpr std::uint32_t kGraphs = 1000;

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  LogGPS network() {
    LogGPS network{.L = 1.0 * below(100'000), .o = 1.0 * below(2) * below(500), .S = 500'000};
    network.G = below(2);
    network.O = below(4) == 0 ? 1 : 0;
    network.rendezvous = kReadings[below(std::size(kReadings))];
    if (below(3) == 0) {
      network.gap = Gap::send;
      network.g = below(5000);
    }
    return network;
  }
  /// Whether a trace would record the end of the vertex; it does not for joins of requests, for
  /// example.
  static bool timed(const graph::Vertex& vertex) {
    return vertex.kind == Kind::calc && vertex.value > 0;
  }

 private:
  std::mt19937 random_{1};
};

TEST_F(ReplayRandom, FindsExactlyWhatTheRunTookBeyondTheModel) {
  std::size_t longer = 0;
  for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
    Graph graph = RandomTraced(seed).make();
    Graph run = graph;
    for (graph::Vertex& vertex : run.vertices) {
      if (!timed(vertex) || below(2) == 0) continue;
      vertex.value += below(200'000);
      ++longer;
    }
    LogGPS traced_on = network();
    const Ends ends(run, traced_on);
    for (VertexId v = 0; v < run.vertices.size(); ++v) {
      graph.traced_ns.push_back(timed(run.vertices[v]) ? static_cast<std::int64_t>(ends.of[v])
                                                       : kNotTraced);
    }
    traced_on.compute_scale = 1 + below(3);
    const Graph replay = replayed(graph, traced_on);
    ASSERT_TRUE(graph::same(replay, run)) << "seed " << seed;
    for (const double L : {0.0, 777.0, 1e6}) {
      const Tangent found = at(replay, kReplayNetwork, L);
      const Tangent expected = at(run, kReplayNetwork, L);
      ASSERT_EQ(found.value, expected.value);
      ASSERT_EQ(found.slope, expected.slope);
    }
  }
  EXPECT_GT(longer, 3000U);
}

TEST_F(ReplayRandom, EndsWhenTheRunDidOrWhenTheModelDoes) {
  std::size_t lengthened = 0;
  std::size_t kept = 0;
  for (std::uint32_t seed = 0; seed < kGraphs; ++seed) {
    Graph graph = RandomTraced(seed).make();
    const LogGPS traced_on = network();
    const Ends model(graph, traced_on);
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      graph.traced_ns.push_back(timed(graph.vertices[v])
                                    ? static_cast<std::int64_t>(model.of[v] / 2) + below(200'000)
                                    : kNotTraced);
    }
    const Graph replay = replayed(graph, traced_on);
    const Ends ends(replay, traced_on);
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      const std::int64_t added = replay.vertices[v].value - graph.vertices[v].value;
      if (graph.traced_ns[v] == kNotTraced) {
        ASSERT_EQ(added, 0) << "seed " << seed;
        continue;
      }
      ASSERT_GE(added, 0) << "seed " << seed;
      ASSERT_GE(ends.of[v], static_cast<double>(graph.traced_ns[v])) << "seed " << seed;
      if (added > 0) {
        ASSERT_EQ(ends.of[v], static_cast<double>(graph.traced_ns[v])) << "seed " << seed;
      }
      ++(added > 0 ? lengthened : kept);
    }
  }
  EXPECT_GT(lengthened, 1000U);
  EXPECT_GT(kept, 1000U);
}

}  // namespace
}  // namespace latitude::solve
