// The slack of messages with several latencies.
#include "core/solve/message_dag.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/graph/random_traced_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using graph::VertexId;
using model::Gap;
using model::kReadings;
using model::LogGPS;
using model::Rendezvous;

/// By receive vertex.
std::map<VertexId, double> slack_of(const Graph& graph, const model::Network& network) {
  const MessageDag dag(compile_messages(graph, network));
  const Slack slack = dag.slack(network.classes[0].L);
  std::map<VertexId, double> result;
  for (std::size_t i = 0; i < dag.receives().size(); ++i) result[dag.receives()[i]] = slack[i];
  return result;
}

LogGPS large_ones(Rendezvous reading, Gap gap = Gap::none) {
  return {.L = 1000, .o = 100, .G = 1, .S = 1000, .rendezvous = reading, .gap = gap};
}

TEST(MessageSlack, IsNoneWhereTheSenderOfARendezvousIsCritical) {
  const Graph graph = Chains(2).send(0, 2000, 1).calc(0, 100000).recv(1, 2000, 0).build();
  for (const Rendezvous reading : kReadings) {
    for (const Gap gap : {Gap::none, Gap::send, Gap::both}) {
      EXPECT_EQ(slack_of(graph, large_ones(reading, gap)), (std::map<VertexId, double>{{2, 0}}))
          << name_of(reading);
    }
  }
}

TEST(MessageSlack, OfAMatchThatTheReceiverDecidesIsWhatTheRequestCanTake) {
  const Graph graph = Chains(2).send(0, 2000, 1).calc(1, 100000).recv(1, 2000, 0).build();
  // In `sync` the message is the match: 100 + 1000 + 1999 of 100000. Otherwise its data are
  // critical.
  EXPECT_EQ(slack_of(graph, large_ones(Rendezvous::sync)).at(2), 100000 - 3099);
  EXPECT_EQ(slack_of(graph, large_ones(Rendezvous::handshake)).at(2), 0);
}

TEST(MessageSlack, IsSharedByTheLatenciesOfAPath) {
  const Graph graph = Chains(3).send(0, 2000, 1).recv(1, 2000, 0).calc(2, 100000).build();
  // The expected slack is the same by the path to the sender and by the path to the receiver.
  const std::map<Rendezvous, double> expected{
      {Rendezvous::handshake, (100000.0 - (100 + 1000 + 2 * 1000 + 200 + 1999 + 100)) / 3},
      {Rendezvous::put, (100000.0 - (100 + 1000 + 4 * 1000 + 800 + 1999 + 100)) / 5},
      {Rendezvous::get, (100000.0 - (100 + 1000 + 3 * 1000 + 400 + 1999)) / 4},
      {Rendezvous::llamp, (100000.0 - (1000 + 3 * 1000 + 300 + 1999)) / 4},
      {Rendezvous::sync, 100000.0 - (100 + 1000 + 1999 + 100)}};
  for (const Rendezvous reading : kReadings) {
    EXPECT_DOUBLE_EQ(slack_of(graph, large_ones(reading)).at(1), expected.at(reading))
        << name_of(reading);
  }
}

TEST(MessageSlack, HasPathsThatComeBackByWayOfTheReceiversQueue) {
  // Rank 1 has posted the large receive. Later messages of the sender enter before its data.
  const Graph graph = Chains(4)
                          .send(0, 2000, 1)
                          .send(0, 100, 2)
                          .calc(1, 0)
                          .recv(1, 100, 2)
                          .dep(1, 0, DepKind::posted)
                          .recv(1, 2000, 0)
                          .recv(2, 100, 0)
                          .send(2, 100, 1)
                          .calc(3, 100000)
                          .build();
  const double sent =
      100 + 1000 + 3 * 1000 + 800 + 1999;  // with four latencies of the large message
  const double passed_on = sent + (100 + 1000 + 99 + 100);
  const double entered = passed_on + (100 + 1000) + 99;
  const double known = entered + 1999 + 2 * 1000 + 400;  // with two more of its latencies
  const auto slack = slack_of(graph, large_ones(Rendezvous::put, Gap::both));
  EXPECT_DOUBLE_EQ(slack.at(4), (100000 - (known + 100)) / 6);
}

/// Algebra of Lowering: an instant is a number, and each latency of one message is longer.
class OneLate {
 public:
  using Instant = double;

  OneLate(const Graph& graph, const LogGPS& network, VertexId late, double extra)
      : network_(network), late_(late), extra_(extra) {
    Lowering<OneLate>(graph, network, *this).run();
  }
  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    const double L = network_.L + (cost.message == late_ ? extra_ : 0);
    return at + cost.ns + cost.latencies * L + cost.overheads * network_.o +
           cost.bytes * network_.G;
  }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  static double ended(VertexId, double at) { return at; }
  void finished(double at) { T = std::max(T, at); }

 private:
  const LogGPS& network_;
  VertexId late_;
  double extra_;

 public:
  double T = 0;
};

TEST(MessageSlack, IsTheLargestDelayWithTheSameT) {
  constexpr double kMore = 1e-3;
  std::size_t checked = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Graph graph = graph::RandomTraced(seed).make();
    for (const Rendezvous reading : kReadings) {
      for (const Gap gap : {Gap::none, Gap::send, Gap::both}) {
        LogGPS network = large_ones(reading, gap);
        network.S = 64;
        std::map<VertexId, double> slack;
        try {
          slack = slack_of(graph, network);
        } catch (const InputError&) {  // the graph may be unable to run in the gap's order
          continue;
        }
        for (const auto& [recv, least] : slack) {
          const double on_time = OneLate(graph, network, recv, 0).T;
          EXPECT_NEAR(OneLate(graph, network, recv, least).T, on_time, 1e-6);
          EXPECT_GT(OneLate(graph, network, recv, least + kMore).T, on_time + kMore / 2);
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 10000U);
}

}  // namespace
}  // namespace latitude::solve
