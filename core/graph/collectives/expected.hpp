#pragma once

#include "core/graph/collectives/collective.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

/// Estimates the number of sends and receives of a trace's collectives, over all ranks, from their
/// numbers of calls (RankTrace::call_counts; no events needed). Each collective counts with 8 B,
/// and with the mean number of members of the communicators. The estimate leaves out neighbourhood
/// collectives, whose events name the neighbours, and starts of persistent collectives.
double expected_operations(const trace::Trace& trace, const Selection& selection);

}  // namespace latitude::graph
