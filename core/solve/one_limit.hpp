#pragma once

#include <optional>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// A graph with a mark on each message that is a rendezvous, and a network that sends all others
/// eagerly.
struct OneLimit {
  graph::Graph graph;
  model::Network network;
};

/// A graph on a network whose link classes have eager limits of their own; none if no class has
/// one.
/// Unmatched messages stay unchanged. InputError as in Network::check.
std::optional<OneLimit> with_one_limit(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
