#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/job/collectives.hpp"

namespace latitude::graph {

/// A program as operations on resources (threads of a CPU, streams of a GPU) with dependencies and
/// collectives. Readers of AI jobs deliver this form.
struct Job {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t ranks = 0;
  /// By operation. A resource belongs to one rank, and runs its operations in their order here;
  /// kNone is a resource that delays no operation.
  std::span<const std::uint32_t> rank;
  std::span<const std::uint32_t> resource;
  std::vector<Resource::Kind> resource_kind;  ///< by resource, for at least one
  std::span<const std::int64_t> ns;
  std::span<const std::uint32_t>
      collective;  ///< the operation's collective, or kNone; `ns` of a collective is ignored
  /// Dependencies: `after[i]` starts when `before[i]` of the same rank has ended.
  std::span<const std::uint32_t> after;
  std::span<const std::uint32_t> before;
  std::vector<JobCollective> collectives;
  Groups groups;
};

struct JobGraph {
  Graph graph;
  /// The vertex of each operation; for a collective, the arrival of its member. The graph's
  /// transfers are the job's collectives, in order.
  std::vector<VertexId> vertex;
  std::vector<VertexId> transfer;  ///< for each collective; kNoVertex for one without members
};

/// InputError: operations wait for each other in a cycle, or the graph is too large.
JobGraph graph_of(const Job& job);

}  // namespace latitude::graph
