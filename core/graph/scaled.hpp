#pragma once

#include <span>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The graph with the duration of each calc vertex times its factor. Durations stay whole ns: the
/// rounding error goes to the rank's next vertex, so that a rank's computation is right to 1 ns
/// between any two vertices. Factors of other vertices are ignored; traced times are lost.
/// InputError if the number of factors differs from that of vertices, or a duration is invalid.
Graph scaled(Graph graph, std::span<const double> factor);

}  // namespace latitude::graph
