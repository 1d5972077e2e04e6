#pragma once

#include <cstddef>
#include <vector>

#include "core/solve/message_dag.hpp"

namespace latitude::solve {

/// The longest of all paths with exactly this set of messages that have latencies.
struct MessagePath {
  double length_ns;
  std::vector<graph::VertexId> receives;  ///< receives of the messages, in time order
};

/// The k longest paths that differ in their messages, longest first; fewer if no more exist. Exact
/// for a graph compiled with Joins::all.
std::vector<MessagePath> top_paths(const MessageGraph& messages, double theta, std::size_t k);

}  // namespace latitude::solve
