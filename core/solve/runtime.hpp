#pragma once

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// T on the network as it is, ns: what `compile` says there but for the rounding of sums. Who asks
/// for no other network has it in a fraction of the time and the memory. InputError when operations
/// wait in a cycle.
double runtime(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
