#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/graph/goal/graph_builder.hpp"
#include "core/graph/goal/writing_order.hpp"
#include "core/graph/graph.hpp"

namespace latitude::graph::goal {

/// A dependency on an earlier operation of the rank: GOAL's `requires`, or `irequires`.
struct Requirement {
  std::uint32_t operation;
  bool start_only;
};

/// One rank in GOAL's terms, for a graph from any source. Program::rank() fills it.
struct RankProgram {
  std::vector<Operation> operations;
  std::vector<std::size_t> requirement_begin{0};  ///< operations + 1 offsets into `requirements`
  std::vector<Requirement> requirements;

  std::span<const Requirement> requirements_of(std::size_t operation) const {
    return {requirements.data() + requirement_begin[operation],
            requirements.data() + requirement_begin[operation + 1]};
  }
};

/// A graph as a GOAL program. The translation of each dependency:
///
///   released or chained, on a calc, a recv, an eager send     requires: these end at their release
///     or a blocking send
///   released or chained, on a non-blocking rendezvous send    irequires: the CPU goes on before it
///                                                             ends (GOAL cannot say "o later")
///   posted, eager message                                     dropped: the sender does not wait
///   posted, rendezvous message                                the recv requires the posting point;
///                                                             a calc 0 in its place completes it
///   requires_end, requires_start                              requires, irequires
class Program {
 public:
  /// InputError names the file to write, and the part that GOAL cannot express.
  Program(const Graph& graph, std::uint64_t eager_limit, const std::string& name);

  /// Valid until the next call.
  const RankProgram& rank(std::uint32_t rank);

 private:
  void check(const std::string& name) const;
  void add(const Slot& slot);
  void require(VertexId on, DepKind kind);

  const Graph& graph_;
  std::uint64_t eager_limit_;
  std::vector<std::uint32_t> tags_;  // by send vertex
  // For the current rank:
  VertexId first_ = 0;
  std::vector<Slot> order_;
  std::vector<std::uint32_t> place_;    // operation for which a vertex's dependents wait
  std::vector<std::uint32_t> posting_;  // operation that posts it, if that is another one
  RankProgram program_;
};

}  // namespace latitude::graph::goal
