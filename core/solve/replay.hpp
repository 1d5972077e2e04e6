#pragma once

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// The graph of a traced run on `network`, with each computation lengthened so that it ends no
/// earlier than in the run. T on this network is then the duration of the run, unless the model is
/// slower. The added time is the time that the model lacks: calls' own work beyond o, late
/// messages, late wake-ups, and work of the tracer for which others waited. The added time stays in
/// its place when L changes.
///
/// The duration of a run is the time from the first rank's return from MPI_Init to the last rank's
/// entry into MPI_Finalize. With o = O = 0 in `network`, a call's own time comes from the trace
/// alone. compute_scale has no effect. InputError if the graph has no Graph::traced_ns, or
/// operations wait in a cycle.
graph::Graph replayed(graph::Graph graph, model::Network network);

}  // namespace latitude::solve
