#include "core/graph/scaled.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"

namespace latitude::graph {
namespace {

/// Beyond this number a double cannot hold every whole ns.
constexpr double kLongest = 9007199254740992.0;

}  // namespace

Graph scaled(Graph graph, std::span<const double> factor) {
  if (factor.size() != graph.vertices.size()) {
    throw InputError(
        "computation is scaled by one factor per vertex: " + std::to_string(graph.vertices.size()) +
        ", not " + std::to_string(factor.size()));
  }
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    double left = 0;
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      Vertex& vertex = graph.vertices[v];
      if (!vertex.computes() || factor[v] == 1) continue;
      const double ns = static_cast<double>(vertex.value) * factor[v] + left;
      if (!(factor[v] >= 0 && ns <= kLongest)) {
        throw InputError("computation times " + std::to_string(factor[v]) +
                         " is no duration; give a factor of 0 or more");
      }
      const double whole = std::floor(ns);
      left = ns - whole;
      vertex.value = static_cast<std::int64_t>(whole);
    }
  }
  graph.traced_ns = {};
  return graph;
}

}  // namespace latitude::graph
