// The cost model (docs/explanation/model.md), case by case, and golden numbers of Shen et al. 2024,
// Figs. 4–6.
#include "core/solve/compile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/breakpoints.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/runtime.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/tolerance.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using model::Gap;
using model::kEager;
using model::LogGPS;
using model::Rendezvous;
using model::Theta;

SweepPlan plan_of(const Graph& graph, const LogGPS& network, Theta theta = Theta::L) {
  return SweepPlan(compile(graph, network, theta));
}

double runtime_by_each(const Graph& graph, const LogGPS& network) {
  const double by_dag = plan_of(graph, network).tangent(network.L).value;
  EXPECT_DOUBLE_EQ(by_dag, solve::runtime(graph, model::Network(network)));
  EXPECT_DOUBLE_EQ(by_dag, critical_path(graph, network).T_ns);
  EXPECT_DOUBLE_EQ(by_dag, plan_of(graph, network, Theta::G).tangent(network.G).value);
  EXPECT_DOUBLE_EQ(by_dag, plan_of(graph, network, Theta::o).tangent(network.o).value);
  return by_dag;
}

Graph paper_example(std::int64_t c0) {
  return Chains(2)
      .calc(0, c0)
      .send(0, 4, 1)
      .calc(0, 1000)
      .calc(1, 500)
      .recv(1, 4, 0)
      .calc(1, 1000)
      .build();
}

TEST(Golden, RunningExampleOfThePaper) {
  const LogGPS network{.L = 500, .G = 5, .S = kEager};
  const SweepPlan plan = plan_of(paper_example(100), network);
  EXPECT_DOUBLE_EQ(plan.tangent(500).value, 1615);
  EXPECT_EQ(plan.tangent(500, Side::left).slope, 1);
  EXPECT_EQ(plan.tangent(500, Side::right).slope, 1);
  const auto found = curve_of(plan, 0, 10000).breakpoints;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].theta, 385);
  EXPECT_EQ(found[0].left, 0);
  EXPECT_EQ(found[0].right, 1);
  const double limit = 2000;
  EXPECT_DOUBLE_EQ(tolerances(plan, {&limit, 1}, 500)[0], 885);
  EXPECT_DOUBLE_EQ(tolerances(plan, {&limit, 1}, 0)[0], 885);
  EXPECT_DOUBLE_EQ(plan.tangent(200).value, 1500);
  EXPECT_EQ(plan.tangent(385, Side::left).slope, 0);
  EXPECT_EQ(plan.tangent(385, Side::right).slope, 1);
}

TEST(Golden, LateSenderAlwaysCarriesTheMessage) {
  const LogGPS network{.L = 500, .G = 5, .S = kEager};
  const SweepPlan plan = plan_of(paper_example(1000), network);
  EXPECT_DOUBLE_EQ(plan.tangent(0).value, 2015);
  EXPECT_DOUBLE_EQ(plan.tangent(777).value, 2792);
  EXPECT_TRUE(curve_of(plan, 0, 10000).breakpoints.empty());
}

TEST(Eager, OverheadAtBothEndsAndOneByteLessOnTheWire) {
  const Graph graph = Chains(2).send(0, 11, 1).recv(1, 11, 0).build();
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, LogGPS{.L = 1000, .o = 7, .G = 3, .S = kEager}),
                   7 + 1000 + 30 + 7);
  const Graph empty = Chains(2).send(0, 0, 1).recv(1, 0, 0).build();
  EXPECT_DOUBLE_EQ(runtime_by_each(empty, {.L = 1000, .o = 7, .G = 3, .S = kEager}), 1014);
}

TEST(Eager, OnlyTheReceiverWaits) {
  const Graph graph = Chains(2).send(0, 1, 1).calc(0, 5).calc(1, 9000).recv(1, 1, 0).build();
  const CriticalPath path = critical_path(graph, LogGPS{.L = 1000, .o = 7, .S = kEager});
  EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 12);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[1], 9007);
}

// RTS at m; RTR and data follow: three latencies (docs/explanation/model.md).
TEST(RendezvousReading, Handshake) {
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::handshake};
  const double b = 3 * 10;
  const Graph early = Chains(2).calc(0, 1).send(0, 11, 1).recv(1, 11, 0).build();
  double m = 1 + 7 + 1000;
  EXPECT_DOUBLE_EQ(runtime_by_each(early, network), m + 2000 + b + 21);
  EXPECT_DOUBLE_EQ(critical_path(early, network).rank_end_ns[0], m + 1000 + 14 + b);
  const Graph late = Chains(2).send(0, 11, 1).calc(1, 50000).recv(1, 11, 0).build();
  m = 50000;
  EXPECT_DOUBLE_EQ(runtime_by_each(late, network), m + 2000 + b + 21);
  EXPECT_DOUBLE_EQ(critical_path(late, network).rank_end_ns[0], m + 1000 + 14 + b);
}

// RTS, RTR, put, acknowledgement, FIN: five latencies, o at both ends of each.
TEST(RendezvousReading, Put) {
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::put};
  const double b = 3 * 10;
  const Graph early = Chains(2).calc(0, 1).send(0, 11, 1).recv(1, 11, 0).build();
  double m = 1 + 7 + 1000;
  EXPECT_DOUBLE_EQ(runtime_by_each(early, network), m + 4000 + b + 9 * 7);
  EXPECT_DOUBLE_EQ(critical_path(early, network).rank_end_ns[0], m + 3000 + b + 8 * 7);
  EXPECT_DOUBLE_EQ(critical_path(early, network).latencies, 5);
  const Graph late = Chains(2).send(0, 11, 1).calc(1, 50000).recv(1, 11, 0).build();
  m = 50000;
  EXPECT_DOUBLE_EQ(runtime_by_each(late, network), m + 4000 + b + 9 * 7);
}

// The receiver has the data as after a handshake; the sender learns of this one latency later.
TEST(RendezvousReading, Get) {
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::get};
  const Graph graph = Chains(2).calc(0, 1).send(0, 11, 1).recv(1, 11, 0).build();
  const double m = 1 + 7 + 1000;
  EXPECT_DOUBLE_EQ(critical_path(graph, network).rank_end_ns[1], m + 2000 + 30 + 3 * 7);
  EXPECT_DOUBLE_EQ(critical_path(graph, network).rank_end_ns[0], m + 3000 + 30 + 4 * 7);
}

// The bytes of both messages pass one after the other; FIN does not wait for the data's bytes.
TEST(RendezvousReading, PutQueuesAtTheReceiverByItsDataAlone) {
  const LogGPS network{
      .L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::put, .gap = Gap::both};
  const Graph graph = Chains(3)
                          .send(0, 11, 2)
                          .send(1, 11, 2)
                          .calc(2, 0)
                          .dep(2, 0, DepKind::posted)
                          .recv(2, 11, 0)
                          .dep(2, 0, DepKind::posted)
                          .recv(2, 11, 1)
                          .build();
  const double b = 3 * 10;
  const double first_byte = 7 + 1000 + 2000 + 4 * 7;
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, network), first_byte + 2 * b + 2000 + 4 * 7 + 7);
}

TEST(RendezvousReading, Llamp) {
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::llamp};
  const Graph graph = Chains(2).calc(0, 1).send(0, 11, 1).recv(1, 11, 0).build();
  const double m = 1 + 1000;
  EXPECT_DOUBLE_EQ(critical_path(graph, network).rank_end_ns[1], m + 3000 + 30 + 14);
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, network), m + 3000 + 30 + 21);
}

TEST(RendezvousReading, SyncEndsTheSenderAtTheMatch) {
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = Rendezvous::sync};
  const Graph graph = Chains(2).send(0, 11, 1).calc(0, 1).calc(1, 50000).recv(1, 11, 0).build();
  const CriticalPath path = critical_path(graph, network);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 50001);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[1], 50007);
}

TEST(RendezvousReading, NonBlockingSendFreesTheCpuAndJoinsAtTheWait) {
  // rank 0: isend, compute 100, wait; rank 1 receives late.
  const LogGPS network{.L = 1000, .o = 7, .S = 10};
  const Graph graph = Chains(2)
                          .send(0, 11, 1, false)
                          .calc(0, 100)
                          .dep(0, 0, DepKind::requires_end)
                          .calc(0, 0)
                          .calc(1, 50000)
                          .recv(1, 11, 0)
                          .build();
  EXPECT_DOUBLE_EQ(critical_path(graph, network).rank_end_ns[0], 50000 + 1000 + 14);
  const LogGPS eager{.L = 1000, .o = 7, .S = kEager};
  EXPECT_DOUBLE_EQ(critical_path(graph, eager).rank_end_ns[0], 107);
}

TEST(RendezvousReading, EarlyPostedReceiveMatchesWhileTheCpuComputes) {
  // rank 1: irecv at 0, compute 50000, wait.
  const LogGPS network{.L = 1000, .o = 7, .S = 10};
  const Graph graph = Chains(2)
                          .send(0, 11, 1)
                          .calc(1, 0)
                          .calc(1, 50000)
                          .dep(1, 0, DepKind::posted)
                          .recv(1, 11, 0)
                          .build();
  const CriticalPath path = critical_path(graph, network);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 7 + 1000 + 1000 + 14);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[1], 50007);
}

TEST(RendezvousReading, SynchronousSendWhateverItsSize) {
  Graph graph = Chains(2).send(0, 1, 1).calc(1, 50000).recv(1, 1, 0).build();
  for (auto& v : graph.vertices) v.synchronous = v.kind != graph::Kind::calc;
  const CriticalPath path = critical_path(graph, LogGPS{.L = 1000, .o = 7, .S = kEager});
  EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 50000 + 1000 + 14);
}

TEST(Gap, SuccessiveSendsKeepTheirDistance) {
  const Graph graph = Chains(2)
                          .send(0, 11, 1)
                          .send(0, 11, 1)
                          .send(0, 11, 1)
                          .recv(1, 11, 0)
                          .recv(1, 11, 0)
                          .recv(1, 11, 0)
                          .build();
  // B = 10 · 3 < g: starts at 0, 100, 200.
  EXPECT_DOUBLE_EQ(
      runtime_by_each(graph,
                      LogGPS{.L = 1000, .o = 7, .g = 100, .G = 3, .S = kEager, .gap = Gap::send}),
      200 + 7 + 1000 + 30 + 7);
  // B > g: starts at 0, 300, 600.
  EXPECT_DOUBLE_EQ(
      runtime_by_each(graph,
                      LogGPS{.L = 1000, .o = 7, .g = 100, .G = 30, .S = kEager, .gap = Gap::send}),
      600 + 7 + 1000 + 300 + 7);
}

TEST(Gap, AtTheReceiverQueuesWhatMeetsThere) {
  const Graph graph =
      Chains(3).send(0, 11, 2).calc(1, 5).send(1, 11, 2).recv(2, 11, 0).recv(2, 11, 1).build();
  // B = 30: the second message, 5 later, enters when the first one has entered.
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = kEager, .gap = Gap::both};
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, network), 7 + 1000 + 30 + 30 + 7);
  const CriticalPath path = critical_path(graph, network);
  EXPECT_EQ(path.latencies, 1);
  EXPECT_EQ(path.bytes, 20);
  ASSERT_EQ(path.steps.size(), 3U);  // the first message's latency and bytes, then the second's
  EXPECT_EQ(path.steps[0].vertex, 0U);
  EXPECT_EQ(path.steps[1].vertex, 3U);
  EXPECT_EQ(path.steps[1].latency_ns, 1000);
  EXPECT_EQ(path.steps[2].vertex, 4U);
  EXPECT_EQ(path.steps[1].gap_ns, 30);
  EXPECT_EQ(path.steps[2].gap_ns, 30);
}

TEST(Gap, AReceiveMayBePostedByTheOneWhoseMessageEntersBeforeItsOwn) {
  Graph graph = Chains(2)
                    .send(0, 11, 1, false)
                    .send(0, 11, 1, false)
                    .recv(1, 11, 0)
                    .dep(1, 0, DepKind::posted)
                    .recv(1, 11, 0)
                    .build();
  graph.vertices[3].chained = false;  // awaited from the start
  LogGPS network{.L = 1000, .o = 7, .G = 3, .S = kEager, .gap = Gap::both};
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, network), 30 + 7 + 1000 + 30 + 7);
  network.S = 10;
  const double first = 7 + 1000 + 2 * 1000 + 14 + 30 + 7;
  EXPECT_DOUBLE_EQ(runtime_by_each(graph, network), first + 2 * 1000 + 14 + 30 + 7);
}

TEST(OverheadPerByte, ChargesTheCpuAtBothEnds) {
  const Graph graph = Chains(2).send(0, 11, 1).calc(0, 1).recv(1, 11, 0).build();
  const CriticalPath path =
      critical_path(graph, LogGPS{.L = 1000, .o = 7, .G = 3, .O = 2, .S = kEager});
  EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 7 + 20 + 1);
  EXPECT_DOUBLE_EQ(path.rank_end_ns[1], 7 + 1000 + 30 + 7 + 20);
}

TEST(Deadlock, IsOneErrorThatNamesTheRanks) {
  const Graph graph = Chains(2).recv(0, 8, 1).send(0, 8, 1).recv(1, 8, 0).send(1, 8, 0).build();
  try {
    compile(graph, LogGPS{.S = kEager}, Theta::L);
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cycle"), std::string::npos);
    EXPECT_NE(text.find("rank 0: recv 8 B from rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find("rank 1: recv 8 B from rank 0"), std::string::npos) << text;
  }
}

TEST(Deadlock, HeadToHeadSendsNeedEagerMessages) {
  const Graph graph = Chains(2).send(0, 8, 1).recv(0, 8, 1).send(1, 8, 0).recv(1, 8, 0).build();
  EXPECT_NO_THROW(compile(graph, LogGPS{.S = 8}, Theta::L));
  EXPECT_THROW(compile(graph, LogGPS{.S = 7}, Theta::L), InputError);
}

// Along L or G the classes keep their distances in the network.
TEST(LinkClasses, AreAsFarApartAlongThetaAsInTheNetwork) {
  const Graph graph = Chains(3).send(0, 11, 1).recv(1, 11, 0).send(1, 11, 2).recv(2, 11, 1).build();
  model::Network network(LogGPS{.L = 1000, .o = 7, .G = 3, .S = kEager});
  network.classes = {{"near", 1000, 3}, {"far", 4000, 5}};
  network.nodes = 3;
  network.node_of_rank = {0, 1, 2};
  network.class_of = {0, 0, 1, 0, 0, 1, 1, 1, 0};
  const double overheads = 4 * 7;
  for (const double L : {0.0, 1000.0, 2500.0}) {
    const Tangent along = SweepPlan(compile(graph, network, Theta::L)).tangent(L);
    EXPECT_DOUBLE_EQ(along.value, overheads + L + 30 + (L + 3000) + 50);
    EXPECT_EQ(along.slope, 2);
  }
  for (const double G : {0.0, 3.0, 7.0}) {
    const Tangent along = SweepPlan(compile(graph, network, Theta::G)).tangent(G);
    EXPECT_DOUBLE_EQ(along.value, overheads + 1000 + 10 * G + 4000 + 10 * (G + 2));
    EXPECT_EQ(along.slope, 20);
  }
}

TEST(Tolerance, IsUnboundedWithoutMessages) {
  const Graph graph = Chains(1).calc(0, 1000).build();
  const SweepPlan plan = plan_of(graph, LogGPS{.S = kEager});
  const double limit = 1010;
  EXPECT_TRUE(std::isinf(tolerances(plan, {&limit, 1}, 0)[0]));
  const double below = 999;
  EXPECT_THROW(tolerances(plan, {&below, 1}, 0), InputError);
}

TEST(CriticalPath, StepsAddUpToT) {
  const LogGPS network{.L = 500, .o = 3, .G = 5, .S = kEager};
  const CriticalPath path = critical_path(paper_example(1000), network);
  ASSERT_EQ(path.steps.size(), 4U);  // calc, send, recv, calc
  double at = 0;
  for (const PathStep& step : path.steps) {
    EXPECT_DOUBLE_EQ(step.start_ns, at);
    EXPECT_DOUBLE_EQ(step.end_ns - step.start_ns,
                     step.calc_ns + 500 * step.latencies + 3 * step.overheads + 5 * step.bytes);
    at = step.end_ns;
  }
  EXPECT_DOUBLE_EQ(at, path.T_ns);
  EXPECT_EQ(path.latencies, 1);
  EXPECT_EQ(path.overheads, 2);
  EXPECT_EQ(path.bytes, 3);
  EXPECT_DOUBLE_EQ(path.calc_ns, 2000);
}

TEST(Slack, IsTheExtraLatencyOneMessageCanTake) {
  const LogGPS network{.L = 300, .G = 5, .S = kEager};
  const Graph graph = paper_example(100);  // critical latency 385: 85 to spare
  const auto pairs = message_slack(graph, network, critical_path(graph, network)).pairs;
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_DOUBLE_EQ(pairs[0].least_ns, 85);
  EXPECT_EQ(pairs[0].messages, 1U);
  EXPECT_EQ(pairs[0].path_latencies, 0);
}

TEST(Slack, OfACallSiteIsThatOfItsTightestMessage) {
  const LogGPS network{.L = 300, .G = 5, .S = kEager};
  Graph graph = paper_example(100);
  graph.sites.resize(4);  // 0 and 1 send and receive; 2 does neither; 3 is unknown
  for (graph::Vertex& vertex : graph.vertices) {
    vertex.origin = static_cast<std::uint32_t>(graph.calls.size());
    const bool sends = vertex.kind == graph::Kind::send;
    const std::uint32_t site =
        vertex.kind == graph::Kind::calc ? 2U : static_cast<unsigned>(!sends);
    graph.calls.push_back({0, 0, trace::Call::count_, site});
  }
  const auto slack = message_slack(graph, network, critical_path(graph, network)).site_least_ns;
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(slack, (std::vector<double>{85, 85, none, none}));
}

}  // namespace
}  // namespace latitude::solve
