#pragma once

#include <string_view>

#include "core/error.hpp"
#include "core/graph/from_trace.hpp"
#include "fuzz/goal_check.hpp"
#include "fuzz/trace_check.hpp"

namespace latitude::trace {

/// What is wrong is said in one line.
inline void check_message(std::string_view message) {
  require(!message.empty() && message.find('\n') == std::string_view::npos);
}

/// An accepted trace makes a sound graph, or an InputError says why it cannot.
inline void check_graph_of(Trace& trace) {
  graph::BuildOptions options;
  options.skip_unsupported = true;
  options.threads = 1;
  try {
    graph::check_graph(graph::build_graph(trace, options));
  } catch (const InputError& error) {
    check_message(error.what());
  }
}

}  // namespace latitude::trace
