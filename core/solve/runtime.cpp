#include "core/solve/runtime.hpp"

#include "core/solve/times.hpp"

namespace latitude::solve {

double runtime(const graph::Graph& graph, const model::Network& network) {
  network.check(graph.ranks());
  Times times(graph, network);
  Lowering<Times>(graph, network.base, times).run();
  return times.last();
}

}  // namespace latitude::solve
