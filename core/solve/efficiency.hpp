#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// The work of a program: its computation outside MPI, as in its graph, before any compute_scale;
/// and the cost of all vertices of each rank on a network. Computation that combines data in
/// collectives belongs to MPI.
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
