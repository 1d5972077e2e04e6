#include <random>

#include "core/graph/goal/goal_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

/// Draws all features of a GOAL file, with messages that match in the order in which they are
/// written.
class RandomGoal {
 public:
  explicit RandomGoal(std::uint32_t seed) : random_(seed) {}

  Graph make() {
    std::vector<std::vector<Vertex>> ranks(1 + below(5));
    std::vector<std::pair<std::size_t, std::size_t>> ends;  // ends of messages: rank, index
    for (std::uint32_t i = below(40); i > 0; --i) {
      if (below(3) == 0) {
        add(ranks[pick(ranks)], Kind::calc, below(1000));
        continue;
      }
      const std::size_t from = pick(ranks);
      const std::size_t to = pick(ranks);
      const std::int64_t bytes = below(3) == 0 ? 0 : below(1 << 20);
      const auto tag = static_cast<std::int32_t>(below(10) == 0 ? 4'000'000'000U : below(3));
      const auto message = static_cast<VertexId>(ends.size() / 2);
      for (const Kind kind : {Kind::send, Kind::recv}) {
        const std::size_t rank = kind == Kind::send ? from : to;
        ends.emplace_back(rank, ranks[rank].size());
        add(ranks[rank], kind, bytes, tag, message);
      }
    }
    return assemble(ranks, ends);
  }

 private:
  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }
  template <class Container>
  std::size_t pick(const Container& from) {
    return below(static_cast<std::uint32_t>(from.size()));
  }

  void add(std::vector<Vertex>& to, Kind kind, std::int64_t value, std::int32_t tag = 0,
           VertexId message = kNoVertex) {
    to.push_back({.value = value, .partner = message, .tag = tag, .kind = kind});
    Unit unit;
    if (below(4) == 0) unit.line.number = below(256);
    if (kind != Kind::calc && below(4) == 0) unit.nic.number = below(256);
    to.back().unit = static_cast<std::uint32_t>(units_.size()) & (kMostUnits - 1);
    units_.push_back(unit);
  }

  Graph assemble(const std::vector<std::vector<Vertex>>& ranks,
                 const std::vector<std::pair<std::size_t, std::size_t>>& ends) {
    Graph graph;
    graph.units = units_;
    for (const auto& rank : ranks) {
      const VertexId begin = graph.rank_begin.back();
      for (const Vertex& vertex : rank) {
        const auto v = static_cast<VertexId>(graph.vertices.size());
        for (std::uint32_t i = v == begin ? 0 : below(4); i > 0; --i) {
          const auto kind = below(4) == 0 ? DepKind::requires_start : DepKind::requires_end;
          graph.deps.push_back({begin + below(v - begin), kind});
        }
        graph.vertices.push_back(vertex);
        graph.dep_begin.push_back(static_cast<std::uint32_t>(graph.deps.size()));
      }
      graph.rank_begin.push_back(static_cast<VertexId>(graph.vertices.size()));
    }
    for (Vertex& vertex : graph.vertices) {
      if (vertex.kind == Kind::calc) continue;
      const auto& [rank, index] =
          ends[2 * std::size_t{vertex.partner} + (vertex.kind == Kind::send ? 1 : 0)];
      vertex.partner = graph.rank_begin[rank] + static_cast<VertexId>(index);
    }
    return graph;
  }

  std::mt19937 random_;
  std::vector<Unit> units_;  // one per vertex
};

TEST(GoalRandom, TextAndBinaryKeepEverything) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const Graph graph = RandomGoal(seed).make();
    const std::string text = as_text(graph);
    const Graph from_text = parse(text);
    ASSERT_EQ(Canonical(from_text), Canonical(graph)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(as_text(from_text), text) << "seed " << seed;
    const std::string bytes = as_bytes(from_text);
    const Graph from_bytes = parse_bytes(bytes);
    ASSERT_EQ(Canonical(from_bytes), Canonical(graph)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(as_bytes(from_bytes), bytes) << "seed " << seed;
    ASSERT_TRUE(from_text.warnings.empty());
  }
}

/// Statements of a rank in any order, with labels of any kind.
TEST(GoalRandom, ShuffledStatementsMeanTheSameDependencies) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    constexpr int kCalcs = 12;
    std::vector<std::string> lines;
    std::vector<std::pair<int, int>> deps;
    for (int i = 0; i < kCalcs; ++i) {
      lines.push_back(label(i) + (i % 3 == 0 ? "x" : "") + ": calc " + std::to_string(i));
    }
    const auto name = [](int i) { return label(i) + (i % 3 == 0 ? "x" : ""); };
    for (int i = 1; i < kCalcs; ++i) {
      const int on = static_cast<int>(random() % static_cast<unsigned>(i));
      deps.emplace_back(i, on);
      lines.push_back(name(i) + (random() % 2 ? " requires " : " irequires ") + name(on));
    }
    std::ranges::shuffle(lines, random);
    std::string text = "num_ranks 1\nrank 0 {\n";
    for (const std::string& line : lines) text += line + "\n";
    const Graph graph = parse(text + "}\n");
    std::vector<std::pair<int, int>> found;
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      for (const Dep& dep : graph.deps_of(v)) {
        EXPECT_LT(dep.vertex, v);
        found.emplace_back(static_cast<int>(graph.vertices[v].value),
                           static_cast<int>(graph.vertices[dep.vertex].value));
      }
    }
    std::ranges::sort(found);
    ASSERT_EQ(found, deps) << text;
  }
}

}  // namespace
}  // namespace latitude::graph::goal
