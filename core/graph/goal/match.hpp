#pragma once

#include <string>

#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// Matches the messages of a graph read from the GOAL file `name`, whose sends and recvs hold in
/// `partner` the peer that the file names.
void match_file_messages(Graph& graph, const std::string& name);

}  // namespace latitude::graph::goal
