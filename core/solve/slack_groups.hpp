#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/solve/critical_path.hpp"
#include "core/solve/slack_sums.hpp"

namespace latitude::solve {

/// Groups by code of the call that has posted the receive (one beyond all codes if none has), by
/// communicator (without messages that have none), and by size: 0 for none, k + 1 for up to 2^k
/// bytes. Slack of at most `rounding` counts as 0.
std::vector<SlackGroups> slack_groups(const graph::Graph& graph, const MessageSlack& messages,
                                      double rounding, double latency);

}  // namespace latitude::solve
