#pragma once

#include <string>

#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// Matches the messages of a graph from the GOAL file `name`. The `partner` of its sends and recvs
/// holds the peer in the file.
void match_file_messages(Graph& graph, const std::string& name);

}  // namespace latitude::graph::goal
