#pragma once

#include <cstddef>
#include <vector>

#include "core/solve/message_dag.hpp"

namespace latitude::solve {

/// The longest of all paths that have latencies of exactly these messages.
struct MessagePath {
  double length_ns;
  std::vector<graph::VertexId> receives;  ///< of the messages, in time order
};

/// The k longest paths that differ in their messages, longest first; fewer where there are no more.
/// Exact for a graph compiled with Joins::all.
std::vector<MessagePath> top_paths(const MessageGraph& messages, double theta, std::size_t k);

}  // namespace latitude::solve
