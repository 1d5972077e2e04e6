#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// How long a program computes outside MPI as its graph has it, before any compute_scale. What
/// collectives compute to combine data is MPI's.
struct Work {
  /// By processor: each rank, and after it each further thread of a rank that computes.
  std::vector<std::uint32_t> rank;
  std::vector<double> useful_ns;
};

Work work(const graph::Graph& graph);

/// T where messages cost nothing, L = o = g = G = O = 0, and computation what the graph says (T is
/// proportional to compute_scale here). Who waits for whom stays as it is on `network`, whose S and
/// rendezvous say which sends wait for their receives. One pass.
double ideal_runtime(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
