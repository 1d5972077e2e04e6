#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// `vertex` depends on `on`; both count within one rank.
struct LocalDep {
  std::uint32_t vertex;
  std::uint32_t on;
  DepKind kind;
};

struct TopologicalOrder {
  std::vector<std::uint32_t>
      order;  ///< the vertices, each after its dependencies; empty if a cycle exists
  std::vector<std::uint32_t> cycle;  ///< vertices of a cycle, if any: each depends on the next, the
                                     ///< last on the first
};

/// The order that always takes the earliest vertex whose dependencies are done. An operation is two
/// events, start and end. A dependency of either kind puts start(on) before start(vertex), and only
/// its own start precedes an end. So events form a cycle exactly if vertices form a cycle.
TopologicalOrder topological_order(std::uint32_t vertices, std::span<const LocalDep> deps);

}  // namespace latitude::graph::goal
