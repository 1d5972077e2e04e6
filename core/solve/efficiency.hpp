#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// How long a program computes outside MPI as its graph has it, before any compute_scale (what
/// collectives compute to combine data is MPI's); and what all vertices of a rank cost on a
/// network.
struct Work {
  /// By processor: each rank, and after it each further thread of a rank that computes.
  std::vector<std::uint32_t> rank;
  std::vector<double> useful_ns;
  /// By rank: computation, of collectives too, and the CPU's part in messages.
  std::vector<double> calc_ns;
  std::vector<double> overhead_ns;
};

/// What an operation that is no computation takes of its CPU; `link`: of its message.
double own_ns(const graph::Vertex& vertex, const model::Network& network, model::ClassId link);

Work work(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
