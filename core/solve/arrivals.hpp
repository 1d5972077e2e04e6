#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

/// Messages that a graph leaves open, matched by a simulation: first come, first matched
/// (docs/semantics.md).
namespace latitude::solve {

/// By open receive, in the order of Graph::open: the send that it takes.
struct Arrivals {
  std::vector<graph::VertexId> sends;
};

/// What each open receive takes on this network, when all latencies are `factor` times as long: the
/// message that came first, of those that came at one instant that of the lowest rank. A message
/// comes with its first byte, o + L after it was sent (to its own rank, o). Messages of one rank in
/// one communicator keep their order, receives match in posting order. InputError, with the cure,
/// when a message or a receive is left over, or does not fit.
Arrivals arrivals(const graph::Graph& graph, const model::Network& network, double factor);

/// The graph with these partners.
graph::Graph matched(graph::Graph graph, const Arrivals& arrivals);

/// How many receives from any source there are to choose for, and for how many of them another rank
/// is the one in `other`, or in one of them.
std::uint64_t open_sources(const graph::Graph& graph);
std::uint64_t taken_otherwise(const graph::Graph& graph, const Arrivals& arrivals,
                              const std::vector<Arrivals>& others);

}  // namespace latitude::solve
