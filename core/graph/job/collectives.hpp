#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// How the own algorithm of a collective sends, and with it what one more ns of latency or per byte
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

/// The names of NCCL's algorithms for a job's collectives. The first stands for the own algorithm
/// of each kind.
std::span<const std::string_view> job_algorithms();

struct JobCollective {
  std::uint32_t kind;   ///< of collective_kinds()
  std::uint32_t group;  ///< of Groups
  std::int64_t ns;      ///< how long it took from the arrival of its last member; 0: not recorded
  double bytes;
  std::uint32_t trips = 1;      ///< latencies of a step around a ring; 2: the receiver says first
                                ///< that it is ready, as gloo's does
  std::uint32_t algorithm = 0;  ///< of job_algorithms()
};

struct Groups {
  /// Groups + 1 offsets into `ranks`, which are in the order of the ring.
  std::span<const std::uint32_t> begin;
  std::span<const std::uint32_t> ranks;
  std::span<const std::uint32_t> node{};  ///< by rank; empty where each rank has a node of its own

  std::span<const std::uint32_t> of(std::uint32_t group) const {
    return ranks.subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

/// What collectives cross: Graph::hops and Graph::transfers.
struct Routes {
  std::vector<Hop> hops;
  std::vector<Transfer> transfers;  ///< by collective
};

Routes routes_of(std::span<const JobCollective> collectives, const Groups& groups);

/// Of each collective: whether NCCL could use `algorithm` for it, as its kind and the nodes of its
/// group allow.
std::vector<std::uint8_t> fits_of(std::span<const JobCollective> collectives, const Groups& groups,
                                  std::uint32_t algorithm);

/// The graph with other routes and recorded times (ns; 0: not recorded) of its transfers; `vertex`
/// is that of each, or kNoVertex.
Graph rerouted(Graph graph, Routes routes, std::span<const VertexId> vertex,
               std::span<const std::int64_t> ns);

}  // namespace latitude::graph
