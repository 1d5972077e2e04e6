// Messages of a rank to itself: o at both ends, in order, and no cost of a network.
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/message_dag.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/top_paths.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using model::Gap;
using model::kEager;
using model::kReadings;
using model::LogGPS;
using model::Rendezvous;

TEST(ToItself, AnEagerMessageCostsItsOverheads) {
  const Graph graph = Chains(1).calc(0, 5).send(0, 11, 0).recv(0, 11, 0).build();
  const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = kEager};
  const CriticalPath path = critical_path(graph, network);
  EXPECT_DOUBLE_EQ(path.T_ns, 5 + 7 + 7);
  EXPECT_EQ(path.latencies, 0);
  EXPECT_EQ(path.bytes, 0);
  EXPECT_EQ(path.overheads, 2);
  const Tangent far = SweepPlan(compile(graph, network, model::Theta::L)).tangent(1e9);
  EXPECT_DOUBLE_EQ(far.value, 19);
  EXPECT_EQ(far.slope, 0);
  const LogGPS copying{.L = 1000, .o = 7, .G = 3, .O = 2, .S = kEager};
  EXPECT_DOUBLE_EQ(critical_path(graph, copying).T_ns, 5 + 27 + 27);
}

TEST(ToItself, ALargeOneHasNoHandshakeInAnyReading) {
  const Graph graph = Chains(1)
                          .send(0, 11, 0, false)
                          .calc(0, 100)
                          .recv(0, 11, 0)
                          .dep(0, 0, DepKind::requires_end)
                          .calc(0, 1)
                          .build();
  for (const Rendezvous reading : kReadings) {
    const LogGPS network{.L = 1000, .o = 7, .G = 3, .S = 10, .rendezvous = reading};
    const CriticalPath path = critical_path(graph, network);
    EXPECT_DOUBLE_EQ(path.T_ns, 7 + 100 + 7 + 1) << name_of(reading);
    EXPECT_EQ(path.latencies, 0);
  }
}

TEST(ToItself, ALargeBlockingSendNeedsItsReceivePosted) {
  const Graph posted =
      Chains(1).calc(0, 5).send(0, 11, 0).dep(0, 0, DepKind::posted).recv(0, 11, 0).build();
  const Graph not_posted = Chains(1).calc(0, 5).send(0, 11, 0).recv(0, 11, 0).build();
  for (const Rendezvous reading : kReadings) {
    const LogGPS network{.L = 1000, .o = 7, .G = 3, .O = 2, .S = 10, .rendezvous = reading};
    EXPECT_DOUBLE_EQ(critical_path(posted, network).T_ns, 5 + 27 + 27) << name_of(reading);
    EXPECT_THROW(compile(not_posted, network, model::Theta::L), InputError);
  }
}

TEST(ToItself, DoesNotTakeTheNetworkCard) {
  const Graph graph = Chains(2)
                          .send(0, 11, 0)
                          .send(0, 11, 1)
                          .send(0, 11, 0)
                          .recv(0, 11, 0)
                          .recv(0, 11, 0)
                          .recv(1, 11, 0)
                          .build();
  for (const Gap gap : {Gap::send, Gap::both}) {
    const LogGPS network{.L = 1000, .o = 7, .g = 400, .G = 3, .S = kEager, .gap = gap};
    const CriticalPath path = critical_path(graph, network);
    EXPECT_DOUBLE_EQ(path.rank_end_ns[0], 5 * 7);
    EXPECT_DOUBLE_EQ(path.rank_end_ns[1], 7 + 7 + 1000 + 30 + 7);
  }
}

TEST(ToItself, IsNoMessageThatCanBeLate) {
  const Graph graph = Chains(2).send(0, 4, 0).recv(0, 4, 0).send(0, 4, 1).recv(1, 4, 0).build();
  const LogGPS network{.L = 300, .o = 7, .G = 5, .S = kEager};
  const auto pairs = message_slack(graph, network, critical_path(graph, network)).pairs;
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].source, 0U);
  EXPECT_EQ(pairs[0].destination, 1U);
  EXPECT_EQ(pairs[0].messages, 1U);
  EXPECT_EQ(pairs[0].path_latencies, 1);
  EXPECT_EQ(MessageDag(compile_messages(graph, network)).receives(),
            std::vector<graph::VertexId>{3});
  const auto paths = top_paths(compile_messages(graph, network, Joins::all), network.L, 10);
  ASSERT_EQ(paths.size(), 2U);  // with the message between the ranks, and with rank 1 alone
  EXPECT_EQ(paths[0].receives, std::vector<graph::VertexId>{3});
  EXPECT_TRUE(paths[1].receives.empty());
}

}  // namespace
}  // namespace latitude::solve
