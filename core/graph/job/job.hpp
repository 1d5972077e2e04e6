#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// How the algorithm of a collective sends, and with it what one more ns of latency or per byte
/// costs. Of n ranks and B bytes (of the whole buffer: what an all-gather gives, what a
/// reduce-scatter takes; of an all-to-all what one rank sends):
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
  /// one, which does not keep it waiting.
  bool one_way() const { return way == Way::eager; }
};

std::span<const CollectiveKind> collective_kinds();

/// A program as operations on resources (threads of a CPU, streams of a GPU) with dependencies and
/// collectives: what readers of AI jobs hand over.
struct Job {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Collective {
    std::uint32_t kind;   ///< of collective_kinds()
    std::uint32_t group;  ///< of group_begin
    std::int64_t ns;      ///< how long it took from the arrival of its last member; 0: not recorded
    double bytes;
    std::uint32_t trips = 1;  ///< latencies of a step around a ring; 2: the receiver says first
                              ///< that it is ready, as gloo's does
  };

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
  std::vector<Collective> collectives;
  /// Groups + 1 offsets into `group_ranks`, which are in the order of the ring.
  std::span<const std::uint32_t> group_begin;
  std::span<const std::uint32_t> group_ranks;
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
