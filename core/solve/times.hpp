#pragma once

#include <algorithm>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {

/// Algebra of Lowering: an instant is ns on one network.
class Times {
 public:
  using Instant = double;

  Times(const graph::Graph& graph, const model::Network& network)
      : network_(network), links_(graph, network) {}

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    return at + price_of(cost, network_, links_.of(cost)).ns;
  }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(graph::VertexId, double at) { return at; }
  static double ended(graph::VertexId, double at) { return at; }
  void finished(double at) { last_ = std::max(last_, at); }

  /// T, ns.
  double last() const { return last_; }

 private:
  const model::Network& network_;
  Links links_;
  double last_ = 0;
};

}  // namespace latitude::solve
