// T on changing placements, against a fresh compilation of each.
#include "core/solve/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/solve/compile.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/one_limit.hpp"
#include "core/solve/sweep_plan.hpp"

namespace latitude::solve {
namespace {

using graph::Chains;
using graph::Graph;
using model::Network;

constexpr std::uint32_t kRanks = 5;
constexpr std::uint32_t kNodes = 3;

Graph random_graph(std::mt19937& random) {
  Chains chains(kRanks);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int step = 0; step < 30; ++step) {
    const std::uint32_t from = below(kRanks);
    const std::uint32_t to = below(kRanks);
    const std::int64_t bytes = below(3) == 0 ? 100 : 4;  // some are rendezvous
    const bool blocking = to != from && below(2) == 0;   // a message to itself would wait forever
    chains.calc(from, below(2000)).send(from, bytes, static_cast<std::int32_t>(to), blocking);
    chains.calc(to, below(2000)).recv(to, bytes, static_cast<std::int32_t>(from));
  }
  return chains.build();
}

Network network(std::vector<std::uint32_t> placement) {
  Network result(model::LogGPS{.L = 300, .o = 20, .G = 2, .S = 8});
  result.classes = {{"near", 300, 2}, {"far", 1000, 3}, {"inside", 10, 0.5}};
  result.nodes = kNodes;
  result.class_of = {2, 0, 1, 0, 2, 0, 1, 0, 2};
  result.node_of_rank = std::move(placement);
  return result;
}

std::vector<std::uint32_t> random_placement(std::mt19937& random) {
  std::vector<std::uint32_t> placement;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    placement.push_back(static_cast<std::uint32_t>(random() % kNodes));
  }
  return placement;
}

TEST(Placement, RuntimesAreThoseOfAFreshCompilation) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const Graph graph = random_graph(random);
    const PlacementDag dag(graph, network(random_placement(random)));
    std::vector<std::uint32_t> all;
    std::vector<double> expected;
    for (int i = 0; i < 11; ++i) {  // more than one batch of lanes, the last one not full
      const auto placement = random_placement(random);
      all.insert(all.end(), placement.begin(), placement.end());
      const Network placed = network(placement);
      expected.push_back(
          SweepPlan(compile(graph, placed, model::Theta::L)).tangent(placed.base.L).value);
    }
    const auto found = dag.runtimes(all, 2);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]);
  }
}

TEST(Placement, ProtocolsAreThoseOfTheLinksThatMessagesTake) {
  std::mt19937 random(11);
  const auto limited = [](std::vector<std::uint32_t> placement) {
    Network result = network(std::move(placement));
    result.classes[1].S = 200;
    result.classes[2].S = 2;
    return result;
  };
  for (int round = 0; round < 20; ++round) {
    const Graph graph = random_graph(random);
    Placements placements(graph, limited(random_placement(random)));
    EXPECT_FALSE(placements.one_protocol());
    std::vector<std::uint32_t> all;
    std::vector<double> expected;
    std::vector<std::uint32_t> placement;
    for (int i = 0; i < 11; ++i) {
      placement = random_placement(random);
      all.insert(all.end(), placement.begin(), placement.end());
      const auto one = with_one_limit(graph, limited(placement));
      expected.push_back(critical_path(one->graph, one->network).T_ns);
    }
    const auto found = placements.runtimes(all, 2);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]);
    const auto one = with_one_limit(graph, limited(placement));
    EXPECT_EQ(placements.shares(placement, 0).of_pair.size(),
              PlacementDag(one->graph, one->network).pairs().size());
  }
  const Graph graph = random_graph(random);
  EXPECT_TRUE(Placements(graph, network({0, 0, 0, 0, 0})).one_protocol());
}

TEST(Placement, WhereOperationsWaitInACircleTIsInfinite) {
  const Graph graph =
      Chains(2).send(0, 4, 1, true).recv(0, 4, 1).send(1, 4, 0, true).recv(1, 4, 0).build();
  Network limited = network({0, 1});
  limited.classes[2].S = 2;
  Placements placements(graph, limited);
  const auto found = placements.runtimes(std::vector<std::uint32_t>{0, 1, 1, 1});
  EXPECT_LT(found[0], 2000);
  EXPECT_TRUE(std::isinf(found[1]));
  EXPECT_THROW(placements.shares(std::vector<std::uint32_t>{1, 1}, 0), CycleError);
}

TEST(Placement, SharesAreThoseOfTheCriticalPath) {
  std::mt19937 random(8);
  for (int round = 0; round < 60; ++round) {
    const Graph graph = random_graph(random);
    Network placed = network(random_placement(random));
    placed.base.gap = static_cast<model::Gap>(round % 3);
    // No two paths are equally long: no other cost equals that of a byte.
    for (model::LinkClass& link : placed.classes) {
      link.L += std::sqrt(2.0);
      link.G += 0.01 * std::sqrt(3.0);
    }
    const PlacementDag dag(graph, placed);
    const auto pairs = message_slack(graph, placed, critical_path(graph, placed)).pairs;
    const auto shares = dag.shares(placed.node_of_rank, 0);
    ASSERT_EQ(shares.size(), pairs.size());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const auto same = std::ranges::find_if(pairs, [&](const PairSlack& pair) {
        return pair.source == dag.pairs()[i].source &&
               pair.destination == dag.pairs()[i].destination;
      });
      ASSERT_NE(same, pairs.end());
      EXPECT_EQ(shares[i].latencies, same->path_latencies);
      EXPECT_EQ(shares[i].bytes, same->path_bytes);
    }
  }
}

TEST(Placement, SmoothingSharesTheCountBetweenPathsThatAreNear) {
  const Graph graph = Chains(3)
                          .calc(0, 1000)
                          .send(0, 4, 2)
                          .calc(1, 1000)
                          .send(1, 4, 2)
                          .recv(2, 4, 0)
                          .recv(2, 4, 1)
                          .build();
  Network placed = network({0, 1, 2});
  placed.base.o = 0;
  placed.class_of = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const PlacementDag dag(graph, placed);
  const std::vector<std::uint32_t> apart{0, 1, 2};
  const auto tied = dag.shares(apart, 50);
  EXPECT_DOUBLE_EQ(tied[0].latencies, tied[1].latencies);
  EXPECT_NEAR(tied[0].latencies, 0.5, 1e-3);  // the ends of the sends are far, but not infinitely
                                              // far
  const auto hard = dag.shares(apart, 0);
  EXPECT_DOUBLE_EQ(hard[0].latencies + hard[1].latencies, 1);
}

TEST(Placement, WhatARankSendsToItselfHasNoPrice) {
  const Graph graph = Chains(3).send(0, 4, 0).recv(0, 4, 0).send(0, 4, 2).recv(2, 4, 0).build();
  const PlacementDag dag(graph, network({0, 1, 2}));
  ASSERT_EQ(dag.pairs().size(), 1U);
  EXPECT_EQ(dag.pairs()[0].source, 0U);
  EXPECT_EQ(dag.pairs()[0].destination, 2U);
  EXPECT_DOUBLE_EQ(dag.runtimes(std::vector<std::uint32_t>{0, 1, 2})[0], 4 * 20 + 1000 + 3 * 3);
}

TEST(Placement, WhatDoesNotFitIsRefused) {
  std::mt19937 random(9);
  const Graph graph = random_graph(random);
  EXPECT_THROW(PlacementDag(graph, Network(model::LogGPS{})), InputError);
  EXPECT_THROW(Placements(graph, Network(model::LogGPS{})), InputError);
  const PlacementDag dag(graph, network({0, 0, 0, 0, 0}));
  EXPECT_THROW(dag.runtimes(std::vector<std::uint32_t>{0, 1, 2}), InputError);
  EXPECT_THROW(dag.runtimes(std::vector<std::uint32_t>{0, 1, 2, 0, kNodes}), InputError);
}

}  // namespace
}  // namespace latitude::solve
