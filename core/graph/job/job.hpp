#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/job/collectives.hpp"

namespace latitude::graph {

/// A program as operations on resources (threads of a CPU, streams of a GPU) with dependencies and
/// collectives: what readers of AI jobs hand over.
struct Job {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t ranks = 0;
  /// By operation. A resource is one rank's own, and takes its operations in their order here;
  /// kNone is a resource that keeps none waiting.
  std::span<const std::uint32_t> rank;
  std::span<const std::uint32_t> resource;
  std::vector<Resource::Kind> resource_kind;  ///< by resource, and of one at least
  std::span<const std::int64_t> ns;
  std::span<const std::uint32_t> collective;  ///< or kNone; then `ns` is not looked at
  /// Dependencies: `after[i]` starts when `before[i]` of the same rank has ended.
  std::span<const std::uint32_t> after;
  std::span<const std::uint32_t> before;
  std::vector<JobCollective> collectives;
  Groups groups;
};

struct JobGraph {
  Graph graph;
  /// Of each operation; of a collective's the arrival of its member. Transfers of the graph are the
  /// job's collectives, in order.
  std::vector<VertexId> vertex;
  std::vector<VertexId> transfer;  ///< of each collective; kNoVertex of one without members
};

/// InputError: operations wait for each other in a cycle, or the graph is too large.
JobGraph graph_of(const Job& job);

}  // namespace latitude::graph
