#pragma once

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// T on the network as it is, ns: the value of `compile` there, except for the rounding of sums.
/// For a caller that needs no other network this takes a fraction of the time and the memory.
/// InputError if operations wait in a cycle.
double runtime(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
