#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

/// The open choices of a graph, made by a simulation (docs/internals/arrivals.md). The order of
/// arrival decides the sender of a message. The requests that are done at the time of a call decide
/// which call completed a request.
namespace latitude::solve {

struct Arrivals {
  std::vector<graph::VertexId> sends;  ///< by open receive, as Graph::open: the send of its message
  std::vector<std::uint32_t> polls;    ///< by polled request: the call that completes it, in
                                       ///< Graph::polls
};

/// The choices on this network if all latencies are `factor` times as long.
///
/// An open receive takes the message that came first, and the lowest rank's message among those
/// that came at one instant. A message arrives with its first byte, o + L after it was sent (o for
/// a message to its own rank). Messages of one rank in one communicator keep their order; receives
/// match in posting order.
///
/// A poll completes those of its requests that are done when the program reaches it, in the order
/// of its list (one of them, or all or none, by the kind of call). A poll waits for the requests
/// that the same call had completed in the run. If it waits for at least one, it waits for the
/// first that is done, unless an earlier call has already completed a request of its list. Messages
/// enter a rank without a gap here, because their order is not known.
///
/// InputError, with the remedy, if a message or a receive is left over, or does not fit.
Arrivals arrivals(const graph::Graph& graph, const model::Network& network, double factor);

/// The graph with the partners that `arrivals` has, and with receives and waits at its calls.
graph::Graph matched(graph::Graph graph, const Arrivals& arrivals);

/// Numbers of choices that the graph leaves open: senders of receives from any source (`sources`),
/// and completing calls of requests that several calls may have completed (`requests`).
struct OpenChoices {
  std::uint64_t sources = 0;
  std::uint64_t requests = 0;
};
OpenChoices open_choices(const graph::Graph& graph);
/// Numbers of choices that differ between `arrivals` and at least one of `others`.
OpenChoices chosen_otherwise(const graph::Graph& graph, const Arrivals& arrivals,
                             const std::vector<Arrivals>& others);

}  // namespace latitude::solve
