#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// The GOAL tag of every message, by its send's vertex (0 elsewhere). GOAL knows neither
/// communicators nor collectives, and matches receives in written order. So each (communicator,
/// point-to-point or collective, user's tag) gets a tag of its own, and so do messages that would
/// overtake others. Point-to-point messages in the world keep the user's tag.
std::vector<std::uint32_t> assign_tags(const Graph& graph, std::uint64_t eager_limit);

}  // namespace latitude::graph::goal
