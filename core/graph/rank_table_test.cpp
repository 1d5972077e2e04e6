// RankTable gives the same ranks as Graph::rank_of.
#include "core/graph/rank_table.hpp"

#include <gtest/gtest.h>

#include <random>

namespace latitude::graph {
namespace {

TEST(RankTable, TellsTheRankOfEachVertex) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Graph graph;
    for (auto ranks = 1 + random() % 20; ranks > 0; --ranks) {
      const auto vertices = random() % 3 == 0 ? 0 : random() % 700;  // ranks may be empty
      graph.rank_begin.push_back(graph.rank_begin.back() + static_cast<VertexId>(vertices));
    }
    graph.vertices.resize(graph.rank_begin.back());
    const RankTable ranks(graph);
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      ASSERT_EQ(ranks.rank_of(v), graph.rank_of(v)) << "vertex " << v;
    }
  }
}

}  // namespace
}  // namespace latitude::graph
