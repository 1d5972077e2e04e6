#include "core/graph/goal/goal_for_tests.hpp"
#include "core/graph/random_traced_for_tests.hpp"

namespace latitude::graph::goal {
namespace {

constexpr std::uint64_t kEagerLimit = 500'000;

/// The instants of LogGPS with o = 0 and the rendezvous handshake, by relaxation: slow and plain.
class Instants {
 public:
  Instants(const Graph& graph, std::int64_t latency) : graph_(graph), latency_(latency) {
    start.resize(graph.vertices.size());
    end.resize(graph.vertices.size());
    posted_.resize(graph.vertices.size());
    for (VertexId round = 0; round <= graph.vertices.size(); ++round) {
      changed_ = false;
      for (VertexId v = 0; v < graph.vertices.size(); ++v) update(v);
      if (!changed_) return;
    }
    ADD_FAILURE() << "the graph has a cycle";
  }
  std::vector<std::int64_t> start;
  std::vector<std::int64_t> end;

 private:
  void raise(std::int64_t& instant, std::int64_t to) {
    changed_ = changed_ || to > instant;
    instant = std::max(instant, to);
  }
  std::int64_t release(VertexId d) const {
    const Vertex& vertex = graph_.vertices[d];
    return vertex.kind == Kind::send && !vertex.blocking ? start[d] : end[d];
  }
  void update(VertexId v) {
    const Vertex& vertex = graph_.vertices[v];
    bool posted = false;
    if (vertex.chained) raise(start[v], release(v - 1));
    for (const Dep& dep : graph_.deps_of(v)) {
      if (dep.kind == DepKind::requires_end) raise(start[v], end[dep.vertex]);
      if (dep.kind == DepKind::requires_start) raise(start[v], start[dep.vertex]);
      if (dep.kind == DepKind::released) raise(start[v], release(dep.vertex));
      if (dep.kind == DepKind::posted) {
        posted = true;
        raise(posted_[v], release(dep.vertex));
      }
    }
    if (!posted) raise(posted_[v], start[v]);
    raise(end[v], start[v] + (vertex.kind == Kind::calc ? vertex.value : 0));
    if (vertex.kind != Kind::recv) return;
    const VertexId send = vertex.partner;
    if (static_cast<std::uint64_t>(vertex.value) <= kEagerLimit) {
      raise(end[v], start[send] + latency_ + vertex.value);
      return;
    }
    const std::int64_t match = std::max(start[send] + latency_, posted_[v]);
    raise(end[v], match + 2 * latency_ + vertex.value);
    raise(end[send], match + latency_ + vertex.value);
  }

  const Graph& graph_;
  std::int64_t latency_;
  std::vector<std::int64_t> posted_;
  bool changed_ = false;
};

/// Start and end of each rank's computations and sends, in program order: an exported graph must
/// keep them. (It may have split receives, and added joins.)
std::vector<std::pair<std::int64_t, std::int64_t>> timeline(const Graph& graph,
                                                            std::int64_t latency) {
  const Instants instants(graph, latency);
  std::vector<std::pair<std::int64_t, std::int64_t>> line;
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    if (vertex.kind == Kind::send || (vertex.kind == Kind::calc && vertex.value > 0)) {
      line.emplace_back(instants.start[v], instants.end[v]);
    }
  }
  line.emplace_back(0, *std::ranges::max_element(instants.end));
  return line;
}

TEST(GoalTracedRandom, ExportKeepsMatchesAndTimes) {
  int split = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    const Graph graph = RandomTraced(seed).make();
    const std::string text = as_text(graph, kEagerLimit);
    const Graph exported = parse(text);
    ASSERT_TRUE(exported.warnings.empty())
        << "seed " << seed << ": " << exported.warnings[0].message << "\n"
        << text;
    ASSERT_EQ(exported.messages(), graph.messages());
    for (const std::int64_t latency : {0, 1'000, 1'000'000}) {
      ASSERT_EQ(timeline(exported, latency), timeline(graph, latency))
          << "seed " << seed << " latency " << latency << "\n"
          << text;
    }
    ASSERT_EQ(Canonical(parse_bytes(as_bytes(graph, kEagerLimit))), Canonical(exported));
    split += exported.vertices.size() > graph.vertices.size();
  }
  EXPECT_GT(split, 1000);
}

}  // namespace
}  // namespace latitude::graph::goal
