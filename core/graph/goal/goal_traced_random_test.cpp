#include <random>

#include "core/graph/goal/goal_test_support.hpp"

namespace latitude::graph::goal {
namespace {

constexpr std::uint64_t kEagerLimit = 500'000;

/// Draws graphs as the trace builder makes them: chains of operations, two a rank (the CPU and the
/// inside of a non-blocking collective), receives that complete in any order after their posting,
/// and joins of sends. Nothing depends on what is drawn later, so no graph has a cycle.
class RandomTraced {
 public:
  explicit RandomTraced(std::uint32_t seed) : random_(seed), ranks_(2 + below(3)) {
    graph_.calls = {{0, 1, trace::Call::Send},
                    {1, 2, trace::Call::Isend},
                    {0, 3, trace::Call::Allreduce},
                    {1, 4, trace::Call::Iallreduce}};
  }

  Graph make() {
    for (std::uint32_t step = 20 + below(60); step > 0; --step) act();
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      if (!messages_[m].posted) post(messages_[m]);
      if (!messages_[m].sent()) send(messages_[m]);
    }
    for (Message& message : messages_) {
      if (!message.received()) receive(message);
    }
    return assemble();
  }

 private:
  static constexpr VertexId kNone = kNoVertex;

  struct Draft {
    Vertex vertex;
    std::vector<Dep> deps;
  };
  struct Rank {
    std::vector<Draft> drafts;
    VertexId last[2] = {kNone, kNone};
  };
  struct Message {
    std::size_t from, to, chain;
    std::int64_t bytes;
    std::int32_t tag;
    std::uint32_t origin;
    std::vector<VertexId> posted_after{};
    VertexId send = kNone, recv = kNone;
    bool posted = false;
    bool sent() const { return send != kNone; }
    bool received() const { return recv != kNone; }
  };

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }

  void act() {
    const std::uint32_t action = below(6);
    if (action == 0) {
      push(ranks_[below(static_cast<std::uint32_t>(ranks_.size()))], below(2),
           {.value = 1 + below(1000), .kind = Kind::calc});
    } else if (action == 1 || messages_.empty()) {
      const auto count = static_cast<std::uint32_t>(ranks_.size());
      // Sizes differ, so that the reader's size check sees any other match.
      messages_.push_back(
          {.from = below(count),
           .to = below(count),
           .chain = below(2),
           .bytes = below(1000) * 1000 + static_cast<std::int64_t>(messages_.size()),
           .tag = static_cast<std::int32_t>(below(2)),
           .origin = below(4)});
    } else {
      Message& m = messages_[below(static_cast<std::uint32_t>(messages_.size()))];
      if (!m.posted) {
        below(3) == 0 && !m.sent() ? send(m) : post(m);
      } else if (!m.sent()) {
        send(m);
      } else if (!m.received()) {
        receive(m);
      } else {
        push(ranks_[m.from], m.chain, {.value = 0, .kind = Kind::calc},
             {{m.send, DepKind::requires_end}});
      }
    }
  }

  VertexId push(Rank& rank, std::size_t chain, Vertex vertex, std::vector<Dep> deps = {}) {
    const auto v = static_cast<VertexId>(rank.drafts.size());
    if (rank.last[chain] != kNone) {
      if (rank.last[chain] + 1 == v) {
        vertex.chained = true;
      } else {
        deps.push_back({rank.last[chain], DepKind::released});
      }
    }
    rank.drafts.push_back({vertex, std::move(deps)});
    return rank.last[chain] = v;
  }
  void post(Message& m) {
    Rank& rank = ranks_[m.to];
    if (rank.last[m.chain] == kNone) push(rank, m.chain, {.value = 0, .kind = Kind::calc});
    m.posted_after = {rank.last[m.chain]};
    const auto vertices = static_cast<std::uint32_t>(rank.drafts.size());
    if (below(4) == 0) m.posted_after.push_back(below(vertices));  // no trace has this
    m.posted = true;
  }
  void send(Message& m) {
    Vertex vertex{.value = m.bytes, .tag = m.tag, .origin = m.origin, .kind = Kind::send};
    vertex.blocking = m.posted && below(2) == 0;
    m.send = push(ranks_[m.from], m.chain, vertex);
  }
  void receive(Message& m) {
    Rank& rank = ranks_[m.to];
    std::vector<Dep> deps;
    if (m.posted_after[0] != rank.last[m.chain]) {
      for (const VertexId v : m.posted_after) deps.push_back({v, DepKind::posted});
    }
    m.recv = push(rank, m.chain,
                  {.value = m.bytes, .tag = m.tag, .origin = m.origin, .kind = Kind::recv},
                  std::move(deps));
  }

  Graph assemble() {
    for (const Rank& rank : ranks_) {
      const VertexId begin = graph_.rank_begin.back();
      for (const Draft& draft : rank.drafts) {
        graph_.vertices.push_back(draft.vertex);
        for (const Dep& dep : draft.deps) graph_.deps.push_back({dep.vertex + begin, dep.kind});
        graph_.dep_begin.push_back(static_cast<std::uint32_t>(graph_.deps.size()));
      }
      graph_.rank_begin.push_back(static_cast<VertexId>(graph_.vertices.size()));
    }
    for (const Message& m : messages_) {
      const VertexId send = graph_.rank_begin[m.from] + m.send;
      const VertexId recv = graph_.rank_begin[m.to] + m.recv;
      graph_.vertices[send].partner = recv;
      graph_.vertices[recv].partner = send;
    }
    return std::move(graph_);
  }

  std::mt19937 random_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  Graph graph_;
};

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

/// When each rank's computations and sends start and end, in program order: what an exported graph
/// must keep. (Receives may have been split, and joins added.)
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
