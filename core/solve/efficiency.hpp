#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// Computation of a program outside MPI, as in its graph, before any compute_scale (computation
/// that combines data in collectives belongs to MPI); and the cost of all vertices of a rank on a
/// network.
struct Work {
  /// By process: each rank, followed by each further thread of the rank that computes.
  std::vector<std::uint32_t> rank;
  std::vector<double> useful_ns;
  /// By rank: computation, including that in collectives, and the CPU's part in messages.
  std::vector<double> calc_ns;
  std::vector<double> overhead_ns;
};

/// CPU time of an operation that is not computation; `link`: the link of its message.
double own_ns(const graph::Vertex& vertex, const model::Network& network, model::ClassId link);

Work work(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
