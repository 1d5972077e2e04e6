#pragma once

#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/graph/from_trace.hpp"
#include "core/solve/arrivals.hpp"
#include "fuzz/goal_check.hpp"
#include "fuzz/trace_check.hpp"

namespace latitude::trace {

/// What is wrong is said in one line.
inline void check_message(std::string_view message) {
  require(!message.empty() && message.find('\n') == std::string_view::npos);
}

/// An accepted trace makes a sound graph, or an InputError says why it cannot. With `leave_open`
/// what it does not say is left to a simulation.
inline void check_graph_of(Trace& trace, bool leave_open = false) {
  graph::BuildOptions options;
  options.skip_unsupported = true;
  options.threads = 1;
  options.leave_open = leave_open;
  try {
    graph::Graph graph = graph::build_graph(trace, options);
    if (leave_open) {
      const model::LogGPS network{.L = 3000, .o = 100, .G = 0.1, .S = 1000};
      const solve::Arrivals arrivals = solve::arrivals(graph, network, 1);
      graph = solve::matched(std::move(graph), arrivals);
    }
    graph::check_graph(graph);
  } catch (const InputError& error) {
    check_message(error.what());
  }
}

}  // namespace latitude::trace
