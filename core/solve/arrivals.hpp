#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

/// What a graph leaves open, by a simulation (docs/internals/arrivals.md): messages by who comes
/// first, and which call completed a request by what is done then.
namespace latitude::solve {

struct Arrivals {
  std::vector<graph::VertexId>
      sends;                         ///< by open receive, in the order of Graph::open: its message
  std::vector<std::uint32_t> polls;  ///< by polled request: what completes it, in Graph::polls
};

/// What comes first, and what is done when, on this network when all latencies are `factor` times
/// as long.
///
/// An open receive takes the message that came first, of those that came at one instant that of the
/// lowest rank. A message comes with its first byte, o + L after it was sent (to its own rank, o).
/// Messages of one rank in one communicator keep their order, receives match in posting order.
///
/// A poll completes of its requests what is done when the program comes to it, in the order in
/// which it lists them (one of them, or all or none, where the call is such); it waits for those
/// that had been completed by then in the run, and where it waits for one at least, for the first
/// that is done, unless an earlier call has completed one of those that it lists already. Messages
/// enter a rank without a gap here, as their order is not known.
///
/// InputError, with the cure, when a message or a receive is left over, or does not fit.
Arrivals arrivals(const graph::Graph& graph, const model::Network& network, double factor);

/// The graph with these partners, and with receives and waits where these calls are.
graph::Graph matched(graph::Graph graph, const Arrivals& arrivals);

/// How often something is to be chosen: for receives from any source, a rank; for requests that
/// more than one call may have completed, the call.
struct OpenChoices {
  std::uint64_t sources = 0;
  std::uint64_t requests = 0;
};
OpenChoices open_choices(const graph::Graph& graph);
/// How many of them are chosen otherwise in `other`, or in one of them.
OpenChoices chosen_otherwise(const graph::Graph& graph, const Arrivals& arrivals,
                             const std::vector<Arrivals>& others);

}  // namespace latitude::solve
