#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// Draws graphs as the trace builder makes them. Each rank has two chains of operations: the CPU
/// and the inside of a non-blocking collective. Receives complete in any order after their posting,
/// and joins wait for sends. An operation depends only on operations drawn before it, so no graph
/// has a cycle.
class RandomTraced {
 public:
  explicit RandomTraced(std::uint32_t seed) : random_(seed), ranks_(2 + below(3)) {
    graph_.calls.push_back({0, 1, trace::Call::Send});
    graph_.calls.push_back({1, 2, trace::Call::Isend});
    graph_.calls.push_back({0, 3, trace::Call::Allreduce});
    graph_.calls.push_back({1, 4, trace::Call::Iallreduce});
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
      // Sizes differ, so that the reader's size check detects any other match.
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
    if (below(4) == 0) m.posted_after.push_back(below(vertices));  // no trace has such a dependency
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

}  // namespace latitude::graph
