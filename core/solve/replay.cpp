#include "core/solve/replay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// Algebra of Lowering: an instant is ns on one network; a computation waits for its traced end.
class Replaying {
 public:
  using Instant = double;

  Replaying(const graph::Graph& graph, const model::Network& network)
      : graph_(graph),
        prices_(graph, network, direction(network, model::Theta::L)),
        L_(network.classes[0].L),
        late_ns_(graph.vertices.size()) {}

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    const Affine price = prices_.of(cost);
    return at + price.constant + price.slope * L_;
  }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  double ended(VertexId v, double at) {
    const std::int64_t traced = graph_.traced_ns[v];
    if (traced == graph::kNotTraced) return at;
    late_ns_[v] = std::max<std::int64_t>(0, std::llround(static_cast<double>(traced) - at));
    return at + static_cast<double>(late_ns_[v]);
  }
  static void finished(double) {}

  const std::vector<std::int64_t>& late_ns() const { return late_ns_; }

 private:
  const graph::Graph& graph_;
  Prices prices_;
  double L_;
  std::vector<std::int64_t> late_ns_;  ///< in whole ns as they go along: roundings must not add up
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
