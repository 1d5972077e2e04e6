#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/matching.hpp"

namespace latitude::graph {

/// Writes small graphs for tests: one chain of operations per rank.
class Chains {
 public:
  explicit Chains(std::uint32_t ranks) : chains_(ranks) {}

  Chains& calc(std::uint32_t rank, std::int64_t ns) {
    return push(rank, {.value = ns, .kind = Kind::calc});
  }
  Chains& send(std::uint32_t rank, std::int64_t bytes, std::uint32_t to, bool blocking = true) {
    Vertex vertex{.value = bytes, .partner = to, .kind = Kind::send};
    vertex.blocking = blocking;
    return push(rank, vertex);
  }
  Chains& recv(std::uint32_t rank, std::int64_t bytes, std::uint32_t from) {
    return push(rank, {.value = bytes, .partner = from, .kind = Kind::recv});
  }
  /// The next vertex of `rank` also depends on its vertex `on` (counted from 0).
  Chains& dep(std::uint32_t rank, VertexId on, DepKind kind) {
    chains_[rank].next.push_back({on, kind});
    return *this;
  }

  Graph build() {
    Graph graph;
    for (const Chain& chain : chains_) {
      const VertexId base = graph.rank_begin.back();
      for (std::size_t i = 0; i < chain.vertices.size(); ++i) {
        graph.vertices.push_back(chain.vertices[i]);
        graph.vertices.back().chained = i > 0;
        for (const Dep& dep : chain.deps[i]) {
          graph.deps.push_back({dep.vertex + base, dep.kind});
        }
        graph.dep_begin.push_back(static_cast<std::uint32_t>(graph.deps.size()));
      }
      graph.rank_begin.push_back(static_cast<VertexId>(graph.vertices.size()));
    }
    match_vertices(
        graph, [](const void*, VertexId v) { return "vertex " + std::to_string(v); }, nullptr);
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
