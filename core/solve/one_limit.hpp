#pragma once

#include <optional>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// A graph that says of each message whether it is a rendezvous, and a network that sends all
/// others eagerly.
struct OneLimit {
  graph::Graph graph;
  model::Network network;
};

/// What a graph is on a network whose link classes have eager limits of their own; none where they
/// have not. Messages that are not matched yet are left as they are. InputError as of
/// Network::check.
std::optional<OneLimit> with_one_limit(const graph::Graph& graph, const model::Network& network);

}  // namespace latitude::solve
