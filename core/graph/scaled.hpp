#pragma once

#include <span>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The graph with the duration of each calc vertex times its factor. Durations stay whole ns: what
/// rounding leaves goes to the rank's next one, so that what a rank computes is right to 1 ns from
/// any vertex to any other. What other vertices are given is not looked at; traced times are lost.
/// InputError where there is not one factor per vertex, or a duration is none.
Graph scaled(Graph graph, std::span<const double> factor);

}  // namespace latitude::graph
