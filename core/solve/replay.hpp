#pragma once

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// The graph of a traced run that ran on `network`, each computation lengthened to end no earlier
/// than it did then: T on this network is what the run took, except where the model is slower. What
/// is added is the time that the model does not have: calls' own work beyond o, late messages, late
/// wake-ups, the tracer's work that others waited for. It stays where it was when L changes.
///
/// A run took from when the first rank returned from MPI_Init until the last entered MPI_Finalize.
/// With o = O = 0 in `network` all of a call's own time is the trace's. compute_scale is left out.
/// InputError when the graph has no Graph::traced_ns, or operations wait in a cycle.
graph::Graph replayed(graph::Graph graph, model::Network network);

}  // namespace latitude::solve
