#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/matching.hpp"

namespace latitude::graph {

/// Writes small graphs, one chain of operations a rank, for tests.
class Chains {
 public:
  explicit Chains(std::uint32_t ranks) : chains_(ranks) {}

  Chains& calc(std::uint32_t rank, std::int64_t ns) {
    return push(rank, {.value = ns, .kind = Kind::calc});
  }
  Chains& send(std::uint32_t rank, std::int64_t bytes, std::int32_t to, bool blocking = true) {
    Vertex vertex{.value = bytes, .tag = to, .kind = Kind::send};
    vertex.blocking = blocking;
    return push(rank, vertex);
  }
  Chains& recv(std::uint32_t rank, std::int64_t bytes, std::int32_t from) {
    return push(rank, {.value = bytes, .tag = from, .kind = Kind::recv});
  }
  /// The next vertex of `rank` also depends on its vertex `on` (counted from 0).
  Chains& dep(std::uint32_t rank, VertexId on, DepKind kind) {
    chains_[rank].next.push_back({on, kind});
    return *this;
  }

  Graph build() {
    Graph graph;
    std::vector<trace::RankPostings> postings(chains_.size());
    for (std::size_t rank = 0; rank < chains_.size(); ++rank) {
      const VertexId base = graph.rank_begin.back();
      for (std::size_t i = 0; i < chains_[rank].vertices.size(); ++i) {
        Vertex vertex = chains_[rank].vertices[i];
        const auto v = static_cast<VertexId>(graph.vertices.size());
        vertex.chained = i > 0;
        const trace::Posting posting{0, vertex.tag, 0, v};
        if (vertex.kind == Kind::send) postings[rank].sends.push_back(posting);
        if (vertex.kind == Kind::recv) postings[rank].receives.push_back(posting);
        vertex.tag = 0;
        graph.vertices.push_back(vertex);
        for (const Dep& dep : chains_[rank].deps[i]) {
          graph.deps.push_back({dep.vertex + base, dep.kind});
        }
        graph.dep_begin.push_back(static_cast<std::uint32_t>(graph.deps.size()));
      }
      graph.rank_begin.push_back(static_cast<VertexId>(graph.vertices.size()));
    }
    match_vertices(
        graph, postings, 1, [](const void*, VertexId v) { return "vertex " + std::to_string(v); },
        nullptr);
    return graph;
  }

 private:
  struct Chain {
    std::vector<Vertex> vertices;
    std::vector<std::vector<Dep>> deps;
    std::vector<Dep> next;
  };

  Chains& push(std::uint32_t rank, const Vertex& vertex) {
    Chain& chain = chains_[rank];
    chain.vertices.push_back(vertex);
    chain.deps.push_back(std::move(chain.next));
    chain.next.clear();
    return *this;
  }

  std::vector<Chain> chains_;
};

}  // namespace latitude::graph
