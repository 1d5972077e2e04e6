// The plane that touches T: below T everywhere, and T itself nearby.
#include "core/solve/planes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "core/graph/chains_for_tests.hpp"
#include "core/graph/random_traced_for_tests.hpp"
#include "core/model/loggps_for_tests.hpp"
#include "core/solve/runtime.hpp"

namespace latitude::solve {
namespace {

using graph::Graph;
using model::Gap;
using model::Network;

/// L between nodes, G inside them, o, and the factor on computation.
using Point = std::array<double, 4>;

const std::vector<Parameter> kParameters = {{{1, 0}, {0, 0}, {0, 0}, {0, 0}, 0},
                                            {{0, 0}, {0, 1}, {0, 0}, {0, 0}, 0},
                                            {{0, 0}, {0, 0}, {1, 1}, {0, 0}, 0},
                                            {{0, 0}, {0, 0}, {0, 0}, {0, 0}, 1}};

/// Two nodes, to which ranks are assigned in turn.
Network network_at(const Point& point, std::uint32_t ranks, model::Rendezvous reading, Gap gap) {
  Network network({.L = point[0], .o = point[2], .G = 0.7, .O = 0.3, .S = 1000});
  network.base.g = gap == Gap::none ? 0 : 130;
  network.base.rendezvous = reading;
  network.base.gap = gap;
  network.base.compute_scale = point[3];
  network.classes = {{"between nodes", point[0], 0.7}, {"inside a node", 90.5, point[1]}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) network.node_of_rank.push_back(rank % 2);
  network.nodes = 2;
  network.class_of = {1, 0, 0, 1};
  return network;
}

Point drawn(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  return {5000 * unit(random), 3 * unit(random), 700 * unit(random), 0.2 + 2 * unit(random)};
}

double height(const Plane& plane, const Point& at, const Point& point) {
  double value = plane.T_ns;
  for (std::size_t k = 0; k < point.size(); ++k) value += plane.slope[k] * (point[k] - at[k]);
  return value;
}

TEST(Planes, LiesBelowTEverywhereAndOnItNearby) {
  std::mt19937 random(7);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Graph graph = graph::RandomTraced(seed).make();
    const Gap gap = std::array{Gap::none, Gap::send, Gap::both}[seed % 3];
    for (const model::Rendezvous reading : model::kReadings) {
      const auto network = [&](const Point& point) {
        return network_at(point, graph.ranks(), reading, gap);
      };
      const auto runtime_at = [&](const Point& point) { return runtime(graph, network(point)); };
      Planes planes(graph, network(drawn(random)));
      const Point at = drawn(random);
      const Plane found = planes.at(network(at), kParameters);
      ASSERT_DOUBLE_EQ(found.T_ns, runtime_at(at));
      Point near = at;
      for (double& value : near) value *= 1 + 1e-9;
      ASSERT_NEAR(height(found, at, near), runtime_at(near), 1e-10 * found.T_ns);
      for (int k = 0; k < 8; ++k) {
        const Point far = drawn(random);
        ASSERT_LE(height(found, at, far), runtime_at(far) * (1 + 1e-12));
      }
    }
  }
}

TEST(Planes, AreTheSameWhereverTheStepsWereRecorded) {
  std::mt19937 random(8);
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Graph graph = graph::RandomTraced(seed).make();
    const auto network = [&](const Point& point) {
      return network_at(point, graph.ranks(), model::Rendezvous::put, Gap::both);
    };
    Planes elsewhere(graph, network(drawn(random)));
    for (int k = 0; k < 3; ++k) {
      const Point at = drawn(random);
      const Plane found = elsewhere.at(network(at), kParameters);
      const Plane own = Planes(graph, network(at)).at(network(at), kParameters);
      ASSERT_EQ(found.T_ns, own.T_ns);
      ASSERT_EQ(found.slope, own.slope);
    }
  }
}

TEST(Planes, CountWhatAMessageHas) {
  const Graph graph = graph::Chains(2).calc(0, 500).send(0, 101, 1).recv(1, 101, 0).build();
  const Network network =
      network_at({2000, 0.5, 100, 2}, 2, model::Rendezvous::handshake, Gap::none);
  const std::vector<Parameter> parameters = {{{1, 0}, {1, 0}, {0, 0}, {0, 0}, 0},
                                             {{0, 0}, {0, 0}, {1, 1}, {0, 0}, 2}};
  const Plane found = Planes(graph, network).at(network, parameters);
  EXPECT_DOUBLE_EQ(found.T_ns, 1000 + 100 + 2000 + 100 * 0.7 + 100 + 100 * 0.3);
  EXPECT_EQ(found.slope, (std::vector<double>{1 + 100, 2 + 2 * 500}));
}

TEST(Planes, OfWhatTakesNoTimeAreFlat) {
  const Graph graph = graph::Chains(1).calc(0, 0).build();
  const Network network({.L = 1});
  const Plane found =
      Planes(graph, network).at(network, std::vector<Parameter>(1, {{1}, {0}, {0}, {0}, 1}));
  EXPECT_EQ(found.T_ns, 0);
  EXPECT_EQ(found.slope, std::vector<double>{0});
}

TEST(Planes, RefuseWhatDoesNotFit) {
  const Graph graph = graph::Chains(1).calc(0, 1).build();
  const Network network({.L = 1});
  Planes planes(graph, network);
  EXPECT_THROW(planes.at(network, kParameters), InputError);
  EXPECT_EQ(planes.at(network, {}).T_ns, 1);
  Network other = network;
  other.classes.push_back(other.classes.front());
  EXPECT_THROW(planes.at(other, {}), InputError);
}

}  // namespace
}  // namespace latitude::solve
