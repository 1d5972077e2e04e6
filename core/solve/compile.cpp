#include "core/solve/compile.hpp"

#include <utility>

#include "core/solve/building.hpp"

namespace latitude::solve {

AffineDag compile(const graph::Graph& graph, const model::Network& network, Direction direction) {
  network.check(graph.ranks());
  Building algebra(graph, Prices(graph, network, std::move(direction)));
  Lowering<Building>(graph, network.base, algebra).run();
  return algebra.finish();
}

}  // namespace latitude::solve
