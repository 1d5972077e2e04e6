#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/graph/goal/goal.hpp"

namespace latitude::graph {

/// Ends the program, which libFuzzer reports, unless `holds`.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// What every graph that a reader accepts must be.
inline void check_graph(const Graph& graph) {
  require(graph.dep_begin.size() == graph.vertices.size() + 1);
  require(graph.rank_begin.back() == graph.vertices.size());
  require(graph.dep_begin[graph.dep_begin.size() - 1] == graph.deps.size());
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    require(vertex.value >= 0);
    for (const Dep& dep : graph.deps_of(v)) {
      require(dep.vertex < v && graph.rank_of(dep.vertex) == graph.rank_of(v));
    }
    if (vertex.kind == Kind::calc) continue;
    const Vertex& partner = graph.vertices.at(vertex.partner);
    require(partner.partner == v && partner.tag == vertex.tag && partner.value == vertex.value);
    require((vertex.kind == Kind::send) == (partner.kind == Kind::recv));
  }
}

inline bool same(const Graph& a, const Graph& b) {
  if (a.rank_begin != b.rank_begin || a.dep_begin != b.dep_begin) return false;
  const auto deps_of = [](const Graph& graph, VertexId v) {
    std::vector<std::pair<VertexId, DepKind>> deps;
    for (const Dep& dep : graph.deps_of(v)) deps.emplace_back(dep.vertex, dep.kind);
    std::ranges::sort(deps);
    return deps;
  };
  for (VertexId v = 0; v < a.vertices.size(); ++v) {
    const Vertex& x = a.vertices[v];
    const Vertex& y = b.vertices[v];
    if (x.kind != y.kind || x.value != y.value || x.partner != y.partner || x.tag != y.tag ||
        a.unit_of(v).line.number != b.unit_of(v).line.number || deps_of(a, v) != deps_of(b, v)) {
      return false;
    }
  }
  return true;
}

/// Writes an accepted graph in both formats and reads it again.
inline void check_round_trips(const Graph& graph) {
  static const std::string path = "/dev/shm/latitude-fuzz-" + std::to_string(::getpid());
  write_goal_text(graph, path, 0);
  require(same(graph, read_goal_text(path)));
  const bool fits = std::ranges::all_of(graph.units, [](const Unit& unit) {
    return std::max(unit.line.number, unit.nic.number) <= UINT8_MAX;
  });
  if (fits) {
    write_goal_binary(graph, path, UINT64_MAX);
    require(same(graph, read_goal_binary(path)));
  }
  std::filesystem::remove(path);
}

}  // namespace latitude::graph
