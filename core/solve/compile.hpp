#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {

/// Graph × network → T(θ): prices move with θ along `direction`, and all others are those of
/// `network` (docs/explanation/model.md). Right for every θ ≥ 0. InputError if operations wait in a
/// cycle.
AffineDag compile(const graph::Graph& graph, const model::Network& network, Direction direction);

inline AffineDag compile(const graph::Graph& graph, const model::Network& network,
                         model::Theta theta) {
  return compile(graph, network, direction(network, theta));
}

}  // namespace latitude::solve
