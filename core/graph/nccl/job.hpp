#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/graph/nccl/collective.hpp"

namespace latitude::graph::nccl {

/// Builds the graph of a job on GPUs, one rank each. The work on a stream of a rank runs in order;
/// streams wait for each other only where a call requests it.
///
/// Operations are added in an order in which the job can run. So a rank's operations, in the order
/// of the graph, never block those of another rank, even if some share a CPU or a NIC.
class Job {
 public:
  /// `nics`: number per rank; a channel's messages leave through the NIC with its number, modulo
  /// `nics`.
  Job(std::uint32_t ranks, std::uint32_t streams, std::uint32_t nics, double combine_ns_per_byte);

  void compute(std::uint32_t rank, std::uint32_t stream, std::int64_t ns);

  /// Adds an event: all work on the stream so far is done. Returns its number, from 0 on each rank.
  std::uint32_t record(std::uint32_t rank, std::uint32_t stream);

  /// Makes the following work on the stream wait for an event of the same rank.
  void wait(std::uint32_t rank, std::uint32_t stream, std::uint32_t event);

  /// Adds to `stream` of each member `launch_ns` of computation, and then the collective's lanes.
  /// `members` are ranks of the job; their number is `collective.ranks`. InputError: too many
  /// primitives.
  void collective(std::span<const std::uint32_t> members, std::uint32_t stream,
                  const Collective& collective, const NamedAlgorithm& algorithm,
                  std::int64_t launch_ns);

  std::uint64_t operations() const { return operations_; }

  /// The graph; the job is empty afterwards. InputError: too many operations for a graph.
  Graph finish();

 private:
  using Ends = std::vector<std::vector<std::uint32_t>>;
  /// The operations of a rank; numbers count from its first.
  struct Rank {
    std::vector<Vertex> vertices;
    std::vector<std::uint32_t> dep_end;
    std::vector<std::uint32_t> deps;
    Ends ends;    ///< for each stream: the requirements of its next operation
    Ends events;  ///< for each event: the operations that it awaits
  };
  struct Message {
    std::uint32_t from, send, to, recv;
  };
  class Player;

  std::uint32_t add(std::uint32_t rank, const Vertex& vertex, std::span<const std::uint32_t> deps);
  /// The stream's ends, joined to one operation of `ns`. If the stream has one end already and `ns`
  /// is 0, that operation.
  std::span<const std::uint32_t> joined(std::uint32_t rank, std::uint32_t stream, std::int64_t ns);
  std::uint32_t unit_of(std::uint32_t cpu, std::uint32_t nic);
  /// The CPU number of a group of threads: each stream has its own.
  std::uint32_t cpu_of(std::uint32_t stream, std::uint32_t channel, std::uint8_t group);

  std::vector<Rank> ranks_;
  std::uint32_t nics_;
  double combine_ns_per_byte_;
  std::uint32_t cpus_;  ///< number of CPUs so far; the first ones belong to the streams
  std::map<std::uint64_t, std::uint32_t> cpu_of_;
  std::map<std::uint64_t, std::uint32_t> unit_of_;
  std::vector<Unit> units_{Unit{.line = {.kind = Resource::Kind::stream}}};
  std::vector<Message> messages_;
  std::uint64_t operations_ = 0;
};

}  // namespace latitude::graph::nccl
