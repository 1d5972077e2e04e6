#include <bit>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/graph/nccl/pieces.hpp"

/// Parallel aggregated trees ([PAT]): Bruck's all-gather with the farthest step first, so that
/// large pieces go to near ranks; a reduce-scatter is the reverse. This is the part of the
/// published algorithm in which all pieces of a step fit into one slot; data are cut accordingly.
namespace latitude::graph::nccl {
namespace {

/// One step: each rank sends `blocks` blocks to the rank `distance` places after it.
struct Step {
  std::uint32_t distance;
  std::uint32_t blocks;
};

/// The steps of an all-gather. Before a step a rank has the blocks of the ranks before it at all
/// sums of the earlier distances. A block that would go once around the ring is left out.
std::vector<Step> steps_of(std::uint32_t ranks) {
  std::vector<Step> steps;
  for (std::uint32_t distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2) {
    steps.push_back({distance, (ranks + distance - 1) / (2 * distance)});
  }
  return steps;
}

/// The lane of one rank: data of one step arrive before the next step sends. `forward`: from a rank
/// to those after it, beginning with the farthest.
void gather(const Collective& c, std::uint32_t rank, std::uint32_t channel, bool forward,
            std::vector<Lane>& lanes) {
  if (c.protocol != Protocol::simple) throw InputError("NCCL's pat sends by Simple alone");
  if (c.ranks_per_node > 1) {
    throw InputError("NCCL's pat is for one GPU on each node; write --ranks-per-node 1");
  }
  std::vector<Step> steps = steps_of(c.ranks);
  const std::uint32_t most = std::ranges::max(steps, {}, &Step::blocks).blocks;
  if (!forward) std::ranges::reverse(steps);
  const Cut cut = cut_of(c.protocol);
  const std::uint64_t piece = std::max(kGrain, cut.slice / most / kGrain * kGrain);
  const auto after = [&](std::uint32_t distance) {
    return static_cast<std::int32_t>((rank + distance) % c.ranks);
  };
  const auto before = [&](std::uint32_t distance) { return after(c.ranks - distance); };
  Lane lane{.rank = rank, .channel = channel};
  const std::uint64_t block = share_of(divided_up(c.bytes, c.ranks), channel, c.channels);
  for_each_chunk(block, piece, [&](std::uint64_t bytes) {
    std::int32_t from = kNoPeer;
    for (const Step& step : steps) {
      const std::int32_t to = forward ? after(step.distance) : before(step.distance);
      lane.add({.from = {from, kNoPeer, kNoPeer},
                .to = {to, kNoPeer, kNoPeer},
                .bytes = step.blocks * bytes,
                .combines = !forward && from != kNoPeer},
               cut);
      from = forward ? before(step.distance) : after(step.distance);
    }
    lane.add({.from = {from, kNoPeer, kNoPeer},
              .bytes = steps.back().blocks * bytes,
              .combines = !forward},
             cut);
  });
  lanes.push_back(std::move(lane));
}

void pat_all_gather(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                    std::vector<Lane>& lanes) {
  gather(c, rank, channel, true, lanes);
}

void pat_reduce_scatter(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                        std::vector<Lane>& lanes) {
  gather(c, rank, channel, false, lanes);
}

}  // namespace

constinit const NamedAlgorithm kPatAllGather{"pat", pat_all_gather};
constinit const NamedAlgorithm kPatReduceScatter{"pat", pat_reduce_scatter};

}  // namespace latitude::graph::nccl
