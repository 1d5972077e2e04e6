#include <span>

#include "core/graph/collectives/openmpi_rules.hpp"
#include "core/graph/collectives/operations.hpp"
#include "core/graph/collectives/pieces.hpp"
#include "core/graph/collectives/presets.hpp"

namespace latitude::graph::collectives {
namespace {

using trace::Call;

std::string_view ruled(std::span<const openmpi::Rule> rules, const Collective& c,
                       std::uint64_t bytes) {
  const auto size = static_cast<std::uint64_t>(c.size);
  for (const openmpi::Rule& rule : rules)
    if (size < rule.size_below && bytes < rule.bytes_below) return rule.algorithm;
  return rules.back().algorithm;
}

// If an algorithm of Open MPI consists of other collectives, the same rules choose their
// algorithms.

/// Runs one collective as a part of another.
void run_part(Collective part, Call call, Steps& steps) {
  part.call = call;
  part.root = 0;
  openmpi_choice(part).run(part, steps);
}

void reduce_then_bcast(const Collective& c, Steps& steps) {
  run_part(c, Call::Reduce, steps);
  run_part(c, Call::Bcast, steps);
}

void reduce_then_scatter(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  Collective part = c;
  part.bytes = blocks.total();
  run_part(part, Call::Reduce, steps);
  part.bytes = blocks[c.rank];
  part.send_bytes = c.recv_bytes;
  run_part(part, c.call == Call::Reduce_scatter ? Call::Scatterv : Call::Scatter, steps);
}

void gather_then_bcast(const Collective& c, Steps& steps) {
  const Blocks blocks = member_blocks(c);
  Collective part = c;
  part.bytes = blocks[c.rank];
  run_part(part, Call::Gatherv, steps);
  part.bytes = blocks.total();
  part.element = part.bytes;  // one element of a type that describes all blocks
  run_part(part, Call::Bcast, steps);
}

NamedAlgorithm composed(const NamedAlgorithm& algorithm, Call call) {
  const std::string_view name = algorithm.name;
  if (name == "reduce-bcast") return {name, reduce_then_bcast};
  if (name == "reduce-scatter") return {name, reduce_then_scatter};
  if (name == "gather-bcast" && call == Call::Allgatherv) return {name, gather_then_bcast};
  return algorithm;
}

/// The fallback of coll/base if the chosen algorithm does not fit the case.
std::string_view or_instead(std::string_view name, const Collective& c) {
  const auto size = static_cast<std::uint64_t>(c.size);
  const auto folded = static_cast<std::uint64_t>(pow2_floor(c.size));
  switch (c.call) {
    case Call::Bcast:
      if (name.starts_with("scatter-") && elements(c) < size) return "linear";
      return name;
    case Call::Reduce:
      return name == "rabenseifner" && elements(c) < folded ? "linear" : name;
    case Call::Allreduce:
      if (name == "ring" && elements(c) < size) return "recursive-doubling";
      return name == "rabenseifner" && elements(c) < folded ? "linear" : name;
    case Call::Allgather:
      return name == "recursive-doubling" && !is_pow2(c.size) ? "bruck" : name;
    default:
      return name;
  }
}

std::string_view decided(const Collective& c) {
  using namespace openmpi;
  const auto by_op = [&](std::span<const Rule> commutative, std::span<const Rule> in_order,
                         std::uint64_t bytes) {
    return ruled(c.commutative ? commutative : in_order, c, bytes);
  };
  switch (c.call) {
    case Call::Barrier:
      return ruled(kBarrier, c, 0);
    case Call::Bcast:
      return ruled(kBcast, c, c.bytes);
    case Call::Reduce:
      return by_op(kReduce, kReduceInOrder, c.bytes);
    case Call::Allreduce:
      return by_op(kAllreduce, kAllreduceInOrder, c.bytes);
    case Call::Gather:
      return ruled(kGather, c, c.bytes);
    case Call::Scatter:
      return ruled(kScatter, c, c.bytes);
    case Call::Allgather:
      return ruled(kAllgather, c, c.bytes);
    case Call::Allgatherv:
      return ruled(kAllgatherv, c, member_blocks(c).total() / static_cast<std::uint64_t>(c.size));
    case Call::Alltoall:
      return ruled(kAlltoall, c, c.bytes);
    case Call::Alltoallv:
      return ruled(kAlltoallv, c, 0);
    case Call::Reduce_scatter:
      return by_op(kReduceScatter, kReduceScatterInOrder, member_blocks(c).total());
    case Call::Reduce_scatter_block:
      return by_op(kReduceScatterBlock, kReduceScatterBlockInOrder, c.bytes);
    // coll/tuned leaves the rest to coll/basic.
    case Call::Scatterv:
      return "linear-blocking";
    default:
      return "linear";  // Gatherv, Alltoallw, Scan, Exscan, Neighbor_*
  }
}

}  // namespace

NamedAlgorithm openmpi_choice(const Collective& c) {
  return composed(offered(c.call, or_instead(decided(c), c)), c.call);
}

}  // namespace latitude::graph::collectives
