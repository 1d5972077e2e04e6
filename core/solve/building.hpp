#pragma once

#include <utility>

#include "core/solve/affine_dag.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {

/// Algebra of Lowering: an instant is a reference into the DAG being built.
class Building {
 public:
  using Instant = Ref;

  Building(const graph::Graph& graph, Prices prices) : prices_(std::move(prices)) {
    // Memory beyond the final size stays untouched, and costs nothing.
    builder_.expect(graph.messages() + graph.deps.size());
  }

  static Ref origin() { return DagBuilder::origin(); }
  Ref add(Ref at, const Cost& cost) const { return at.plus(prices_.of(cost)); }
  Ref join(Ref a, Ref b) { return builder_.join(a, b); }
  static Ref started(graph::VertexId, Ref at) { return at; }
  static Ref ended(graph::VertexId, Ref at) { return at; }
  /// Keeps all ends. Rounding decides which end is the latest, and which slopes tie; the result
  /// must not depend on the order of the ends.
  void finished(Ref at) { result_ = result_.exists() ? builder_.keep(result_, at) : at; }

  AffineDag finish() { return builder_.finish(result_); }

 private:
  Prices prices_;
  DagBuilder builder_;
  Ref result_;
};

}  // namespace latitude::solve
