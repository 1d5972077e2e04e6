#pragma once

#include "core/graph/collectives/collective.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph {

/// About how many sends and receives the collectives of a trace become, of all ranks together, by
/// how often they are called (RankTrace::call_counts; events are not asked for). Each is taken to
/// have 8 B, and as many members as communicators have on the mean. Not among them: neighbourhood
/// collectives, whose events name the neighbours, and starts of persistent ones.
double expected_operations(const trace::Trace& trace, const Selection& selection);

}  // namespace latitude::graph
