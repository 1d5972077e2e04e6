#include "core/solve/replay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/solve/times.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// Times on one network, in which a computation waits for its traced end.
class Replaying : public Times {
 public:
  Replaying(const graph::Graph& graph, const model::Network& network)
      : Times(graph, network), graph_(graph), late_ns_(graph.vertices.size()) {}

  double ended(VertexId v, double at) {
    const std::int64_t traced = graph_.traced_ns[v];
    if (traced == graph::kNotTraced) return at;
    late_ns_[v] = std::max<std::int64_t>(0, std::llround(static_cast<double>(traced) - at));
    return at + static_cast<double>(late_ns_[v]);
  }

  const std::vector<std::int64_t>& late_ns() const { return late_ns_; }

 private:
  const graph::Graph& graph_;
  std::vector<std::int64_t> late_ns_;  ///< in whole ns at each step, so that rounding errors do not
                                       ///< add up
};

}  // namespace

graph::Graph replayed(graph::Graph graph, model::Network network) {
  if (graph.traced_ns.size() != graph.vertices.size()) {
    throw InputError("the traced run cannot be replayed: the graph was built without its times");
  }
  network.check(graph.ranks());
  network.base.compute_scale = 1;
  Replaying algebra(graph, network);
  Lowering<Replaying>(graph, network.base, algebra).run();
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    graph.vertices[v].value += algebra.late_ns()[v];
  }
  graph.traced_ns = {};
  return graph;
}

}  // namespace latitude::solve
