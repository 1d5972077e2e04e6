#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/solve/coded.hpp"
#include "core/solve/critical_path.hpp"

namespace latitude::solve {

/// The steps of a path by column, in a third of their memory as structures. Costs are split as in
/// results: the core counts g and O as computation, and these columns as overhead.
struct PathColumns {
  std::vector<graph::VertexId> vertex;
  std::vector<std::uint32_t> rank;
  std::vector<double> time_ns;  ///< start of each, and the end of the last
  Coded calc_ns;
  Coded overhead_ns;
  Coded network_ns;  ///< latencies and bytes
  Coded latency_ns;  ///< latencies alone
  Coded latencies;   ///< as a count

  void reserve(std::size_t steps) {
    vertex.reserve(steps);
    rank.reserve(steps);
    time_ns.reserve(steps + 1);
    for (auto* const column : {&calc_ns, &overhead_ns, &network_ns, &latency_ns, &latencies}) {
      column->reserve(steps);
    }
  }

  void add(const graph::Graph& graph, const PathStep& step) {
    const bool computes = graph.vertices[step.vertex].computes();
    if (vertex.empty()) time_ns.push_back(step.start_ns);
    vertex.push_back(step.vertex);
    rank.push_back(graph.rank_of(step.vertex));
    time_ns.push_back(step.end_ns);
    calc_ns.push_back(computes ? step.calc_ns : 0);
    overhead_ns.push_back(step.overhead_ns + (computes ? 0 : step.calc_ns));
    network_ns.push_back(step.latency_ns + step.gap_ns);
    latency_ns.push_back(step.latency_ns);
    latencies.push_back(step.latencies);
  }
};

}  // namespace latitude::solve
