#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// The meaning of one GOAL operation.
struct Slot {
  enum class Role : std::uint8_t {
    whole,     ///< a vertex as it is
    posting,   ///< a rendezvous receive, from its posting on
    complete,  ///< the place at which that receive's call completes it
  };
  VertexId vertex;
  Role role;

  bool receives(const Graph& graph) const {
    return graph.vertices[vertex].kind == Kind::recv && role != Role::complete;
  }
};

/// A message above the eager limit: its sender waits for the receiver, so the time of the posting
/// matters.
inline bool is_rendezvous(const Vertex& vertex, std::uint64_t eager_limit) {
  return vertex.kind != Kind::calc && static_cast<std::uint64_t>(vertex.value) > eager_limit;
}

/// The operations of a rank in writing order, which is the graph's order. Only a rendezvous receive
/// with a posting point of its own becomes two operations: the receive immediately after that
/// point, and a `calc 0` at its completion.
void writing_order(const Graph& graph, std::uint32_t rank, std::uint64_t eager_limit,
                   std::vector<Slot>& order);

}  // namespace latitude::graph::goal
