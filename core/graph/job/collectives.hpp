#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.hpp"

namespace latitude::graph {

/// The way in which a collective's own algorithm sends data among n ranks: the latencies and bytes
/// that it pays. B counts the bytes of the whole buffer: the result of an all-gather, the input of
/// a reduce-scatter, the data that one rank sends in an all-to-all.
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

  /// Whether a collective is a message from the first rank of its group to the last rank. The first
  /// rank does not wait for the end; the message does not wait for the last rank's arrival.
  bool one_way() const { return way == Way::eager; }
};

std::span<const CollectiveKind> collective_kinds();

/// The names of NCCL's algorithms for a job's collectives. The first stands for the own algorithm
/// of each kind.
std::span<const std::string_view> job_algorithms();

struct JobCollective {
  std::uint32_t kind;   ///< index into collective_kinds()
  std::uint32_t group;  ///< number of its group in Groups
  std::int64_t ns;      ///< duration from the arrival of its last member; 0: not recorded
  double bytes;
  std::uint32_t trips = 1;  ///< latencies per step around a ring; 2 if the receiver first reports
                            ///< that it is ready, as in gloo
  std::uint32_t algorithm = 0;  ///< index into job_algorithms()
};

struct Groups {
  /// Groups + 1 offsets into `ranks`, which are in the order of the ring.
  std::span<const std::uint32_t> begin;
  std::span<const std::uint32_t> ranks;
  std::span<const std::uint32_t> node{};  ///< by rank; empty if each rank has a node of its own

  std::span<const std::uint32_t> of(std::uint32_t group) const {
    return ranks.subspan(begin[group], begin[group + 1] - begin[group]);
  }
};

/// The links that collectives cross: Graph::hops and Graph::transfers.
struct Routes {
  std::vector<Hop> hops;
  std::vector<Transfer> transfers;  ///< by collective
};

Routes routes_of(std::span<const JobCollective> collectives, const Groups& groups);

/// For each collective, whether NCCL could use `algorithm` for it, as its kind and the nodes of its
/// group allow.
std::vector<std::uint8_t> fits_of(std::span<const JobCollective> collectives, const Groups& groups,
                                  std::uint32_t algorithm);

/// The graph with other routes and recorded times (ns; 0: not recorded) of its transfers; `vertex`
/// has the vertex of each transfer, or kNoVertex.
Graph rerouted(Graph graph, Routes routes, std::span<const VertexId> vertex,
               std::span<const std::int64_t> ns);

}  // namespace latitude::graph
