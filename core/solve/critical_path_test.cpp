// The parts of the critical path's steps, and their ranks.
#include "core/solve/critical_path.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/graph/chains_for_tests.hpp"
#include "core/graph/graph.hpp"
#include "core/model/loggps_for_tests.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::DepKind;
using graph::Graph;
using graph::VertexId;
using model::Gap;
using model::kEager;
using model::LogGPS;

/// The vertices without their implicit order, as in a GOAL file.
Graph unchained(Graph graph) {
  for (graph::Vertex& vertex : graph.vertices) vertex.chained = false;
  return graph;
}

std::vector<VertexId> vertices(const CriticalPath& path) {
  std::vector<VertexId> result;
  for (const PathStep& step : path.steps) result.push_back(step.vertex);
  return result;
}

double overheads(const CriticalPath& path) {
  double sum = 0;
  for (const PathStep& step : path.steps) {
    EXPECT_GE(step.overheads, 0);
    EXPECT_LE(step.start_ns, step.end_ns);
    sum += step.overheads;
  }
  return sum;
}

TEST(CriticalPath, BytesAtTheGapAreThoseOfTheMessageThere) {
  const Graph graph = Chains(3)
                          .send(0, 10000, 1)
                          .send(0, 8, 2)
                          .recv(1, 10000, 0)
                          .recv(2, 8, 0)
                          .calc(2, 50000)
                          .build();
  const LogGPS network{.L = 1000, .o = 100, .G = 3, .S = kEager, .gap = Gap::send};
  const CriticalPath path = critical_path(graph, network);
  EXPECT_EQ(path.bytes, 9999 + 7);
  EXPECT_EQ(vertices(path), (std::vector<VertexId>{0, 1, 3, 4}));
  const auto pairs = message_slack(graph, network, path).pairs;
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].path_bytes, 9999);
  EXPECT_EQ(pairs[0].path_latencies, 0);
  EXPECT_EQ(pairs[1].path_bytes, 7);
  EXPECT_EQ(pairs[1].path_latencies, 1);
}

TEST(CriticalPath, BytesInTheReceiversQueueAreThoseOfTheMessageThere) {
  const Graph graph =
      Chains(3).send(0, 10001, 2).send(1, 101, 2).recv(2, 10001, 0).recv(2, 101, 1).build();
  const LogGPS network{.L = 1000, .o = 100, .G = 3, .S = kEager, .gap = Gap::both};
  const CriticalPath path = critical_path(graph, network);
  EXPECT_EQ(path.T_ns, 100 + 1000 + 30000 + 300 + 100);
  const auto pairs = message_slack(graph, network, path).pairs;
  EXPECT_EQ(pairs[0].path_bytes, 10000);
  EXPECT_EQ(pairs[0].path_latencies, 1);
  EXPECT_EQ(pairs[1].path_bytes, 100);
  EXPECT_EQ(pairs[1].path_latencies, 0);
}

TEST(CriticalPath, AComputationThatStartsWithAHeldSendPaysNoBytes) {
  const Graph graph = unchained(Chains(2)
                                    .recv(0, 1000, 1)
                                    .recv(0, 1000, 1)
                                    .send(1, 1000, 0, false)
                                    .send(1, 1000, 0, false)
                                    .dep(1, 1, DepKind::requires_start)
                                    .calc(1, 90000)
                                    .build());
  const LogGPS network{.L = 1000, .o = 100, .G = 3, .S = kEager, .gap = Gap::send};
  const CriticalPath path = critical_path(graph, network);
  EXPECT_EQ(path.T_ns, 999 * 3 + 90000);
  EXPECT_EQ(vertices(path), (std::vector<VertexId>{2, 4}));
  EXPECT_EQ(path.steps[0].bytes, 999);
  EXPECT_EQ(path.steps[1].bytes, 0);
  EXPECT_EQ(path.steps[1].calc_ns, 90000);
  EXPECT_EQ(overheads(path), 0);  // only the start of the second send is on the path
  EXPECT_EQ(message_slack(graph, network, path).pairs[0].path_bytes, 999);
}

TEST(CriticalPath, EachNonBlockingSendHasItsOwnOverhead) {
  const Graph graph = Chains(2)
                          .send(0, 2000, 1, false)
                          .send(0, 2000, 1, false)
                          .calc(0, 90000)
                          .recv(1, 2000, 0)
                          .recv(1, 2000, 0)
                          .build();
  const LogGPS network{.L = 1000, .o = 100, .G = 3, .O = 2, .S = 10};
  const CriticalPath path = critical_path(graph, network);
  EXPECT_EQ(vertices(path), (std::vector<VertexId>{0, 1, 2}));
  EXPECT_EQ(path.steps[0].end_ns, 100 + 2 * 1999);
  EXPECT_EQ(path.steps[1].start_ns, 100 + 2 * 1999);
  EXPECT_EQ(overheads(path), 2);
}

}  // namespace
}  // namespace latitude::solve
