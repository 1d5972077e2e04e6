#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/slack_sums.hpp"

namespace latitude::solve {

/// By code of the call that has posted the receive (one beyond all where none has), by communicator
/// (without those), and by size: 0 of none, k + 1 of up to 2^k bytes. What is no more than
/// `rounding` is none.
std::vector<SlackGroups> slack_groups(const graph::Graph& graph, const MessageSlack& messages,
                                      double rounding, double latency);

}  // namespace latitude::solve
