#pragma once

#include "core/graph/collectives/collective.hpp"
#include "core/graph/graph.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

struct BuildOptions {
  Selection collectives{};
  double reduce_ns_per_byte = 0;  ///< γ: cost of combining one byte in a reduction, ns
  bool skip_unsupported = false;  ///< warn about calls the graph cannot express, do not refuse
  unsigned threads = 0;           ///< 0: one a core
  bool consume = false;           ///< free the trace's events rank by rank while building
  bool traced_times = false;      ///< fill Graph::traced_ns
};

/// Trace → execution graph, by the rules of docs/semantics.md. InputError names file, line and
/// call of what cannot be expressed, is never completed, or has no counterpart, and says why there
/// are no times that can be compared, where they are asked for.
Graph build_graph(trace::Trace& trace, const BuildOptions& options);

}  // namespace latitude::graph
