#include "core/solve/efficiency.hpp"

#include <algorithm>
#include <utility>

#include "core/solve/prices.hpp"

namespace latitude::solve {

using graph::Graph;
using graph::Kind;
using graph::Vertex;
using graph::VertexId;

/// CPU time of an operation that is not computation.
double own_ns(const Vertex& vertex, const model::Network& network, model::ClassId link) {
  if (vertex.kind == Kind::calc) return static_cast<double>(vertex.value);
  return vertex.recorded ? 0 : network.overhead_ns(link, vertex.value);
}

Work work(const Graph& graph, const model::Network& network) {
  Work result;
  const Links links(graph, network);
  const graph::Numbering cpus = graph::numbering(graph.units, &graph::Unit::line);
  std::vector<double> useful(cpus.count);
  std::vector<bool> computes(cpus.count);
  std::vector<std::uint32_t> computing;  // lines of the rank that compute
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    computing.assign(1, 0);
    computes[0] = true;
    double calc = 0;
    double overhead = 0;
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const Vertex& vertex = graph.vertices[v];
      if (vertex.kind == Kind::transfer) continue;
      if (!vertex.computes()) {
        overhead += own_ns(vertex, network, links.of_end(v));
        continue;
      }
      calc += static_cast<double>(vertex.value) * network.base.compute_scale;
      if (vertex.origin != graph::kNoOrigin || vertex.value == 0) continue;
      const std::uint32_t cpu = cpus.of_unit[vertex.unit];
      useful[cpu] += static_cast<double>(vertex.value);
      if (!computes[cpu]) computing.push_back(cpu);
      computes[cpu] = true;
    }
    result.calc_ns.push_back(calc);
    result.overhead_ns.push_back(overhead);
    std::ranges::sort(computing);
    for (const std::uint32_t cpu : computing) {
      result.rank.push_back(rank);
      result.useful_ns.push_back(std::exchange(useful[cpu], 0));
      computes[cpu] = false;
    }
  }
  return result;
}

}  // namespace latitude::solve
