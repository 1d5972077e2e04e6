#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The way in which the algorithm of a collective sends. It sets the cost of one more ns of latency
/// or per byte. For n ranks and B bytes (of the whole buffer: the output of an all-gather, the
/// input of a reduce-scatter; for an all-to-all, the bytes that one rank sends):
struct CollectiveKind {
  enum class Way : std::uint8_t {
    ring,      ///< `rounds` · (n − 1) latencies around the ring, B / n bytes on each link each time
    pipeline,  ///< n − 1 latencies around the ring, B bytes in small chunks
    exchange,  ///< one latency; all but a rank's own part, B · (n − 1) / n
    message,   ///< one latency, B bytes
    eager,     ///< a message after LogGP: one latency, all but its first byte
  };

  std::string_view name;
  Way way;
  std::uint32_t rounds = 1;

  /// Whether it goes from the first rank of its group, which does not wait for its end, to the last
  /// one, which does not delay it.
  bool one_way() const { return way == Way::eager; }
};

std::span<const CollectiveKind> collective_kinds();

/// A program as operations on resources (threads of a CPU, streams of a GPU) with dependencies and
/// collectives. Readers of AI jobs deliver this form.
struct Job {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Collective {
    std::uint32_t kind;   ///< of collective_kinds()
    std::uint32_t group;  ///< of group_begin
    std::int64_t ns;      ///< duration from the arrival of its last member; 0: not recorded
    double bytes;
    std::uint32_t trips = 1;  ///< latencies of a step around a ring; 2: the receiver first
                              ///< announces that it is ready, as in gloo
  };

  std::uint32_t ranks = 0;
  /// By operation. A resource belongs to one rank, and runs its operations in their order here;
  /// kNone is a resource that delays no operation.
  std::span<const std::uint32_t> rank;
  std::span<const std::uint32_t> resource;
  std::vector<Resource::Kind> resource_kind;  ///< by resource, for at least one
  std::span<const std::int64_t> ns;
  std::span<const std::uint32_t> collective;  ///< or kNone; then `ns` is ignored
  /// Dependencies: `after[i]` starts when `before[i]` of the same rank has ended.
  std::span<const std::uint32_t> after;
  std::span<const std::uint32_t> before;
  std::vector<Collective> collectives;
  /// Groups + 1 offsets into `group_ranks`, which are in ring order.
  std::span<const std::uint32_t> group_begin;
  std::span<const std::uint32_t> group_ranks;
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
