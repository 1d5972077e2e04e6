#include "core/graph/nccl/tree.hpp"

#include <bit>
#include <utility>

#include "core/graph/nccl/pieces.hpp"

/// The double binary tree over nodes ([TwoTrees]), as NCCL builds it (trees.cc, 2.30.7): the first
/// rank of a node is in the tree, the others form a chain below it.
namespace latitude::graph::nccl {
namespace {

/// In the tree with the odd nodes as leaves: a node's lowest set bit is its height.
Place place_in_tree(std::int32_t nodes, std::int32_t node) {
  Place place;
  if (node == 0) {
    if (nodes > 1) {
      place.down[1] =
          static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(nodes - 1)));
    }
    return place;
  }
  const std::int32_t bit = node & -node;
  const std::int32_t above = (node ^ bit) | bit << 1;
  place.up = above < nodes ? above : node ^ bit;
  std::int32_t reach = bit >> 1;
  if (reach == 0) return place;
  place.down[0] = node - reach;
  while (reach > 0 && node + reach >= nodes) reach >>= 1;
  if (reach > 0) place.down[1] = node + reach;
  return place;
}

}  // namespace

Place place_in(std::int32_t nodes, std::int32_t node, bool second) {
  if (!second) return place_in_tree(nodes, node);
  const bool shifts = nodes % 2 == 1;
  const std::int32_t as = shifts ? (node + nodes - 1) % nodes : nodes - 1 - node;
  Place place = place_in_tree(nodes, as);
  const auto back = [&](std::int32_t& other) {
    if (other != kNoPeer) other = shifts ? (other + 1) % nodes : nodes - 1 - other;
  };
  back(place.up);
  for (std::int32_t& child : place.down) back(child);
  return place;
}

namespace {

constexpr std::uint8_t kUp = 0, kDown = 1;  // flows

/// Reduction up and broadcast down, by two groups of threads that do not wait for each other. The
/// root has only one group, which turns around.
void tree_all_reduce(const Collective& c, std::uint32_t rank, std::uint32_t channel,
                     std::vector<Lane>& lanes) {
  const Cut cut = tree_cut(c);
  const std::uint64_t share = share_of(c.bytes, channel, c.channels);
  const std::uint32_t per_node = c.ranks_per_node;
  const auto nodes = static_cast<std::int32_t>(divided_up(c.ranks, per_node));
  const bool second = channel % 2 == 1;
  std::int32_t up = kNoPeer;
  std::array<std::int32_t, kMostPeers> down{kNoPeer, kNoPeer, kNoPeer};
  std::size_t children = 0;
  if (rank % per_node == 0) {
    const auto node = static_cast<std::int32_t>(rank / per_node);
    const Place place = place_in(nodes, node, second);
    const auto first_of = [&](std::int32_t of) {
      return of == kNoPeer ? kNoPeer : of * static_cast<std::int32_t>(per_node);
    };
    up = first_of(place.up);
    for (const std::int32_t child : place.down) {
      if (child != kNoPeer) down[children++] = first_of(child);
    }
  } else {
    up = static_cast<std::int32_t>(rank) - 1;
  }
  if ((rank + 1) % per_node != 0 && rank + 1 < c.ranks) {
    down[children++] = static_cast<std::int32_t>(rank) + 1;
  }
  const bool combines = children > 0;
  if (up == kNoPeer) {
    Lane turn{.rank = rank, .channel = channel, .from_flow = kUp, .to_flow = kDown};
    for_each_chunk(share, cut.chunk, [&](std::uint64_t bytes) {
      turn.add({.from = down, .to = down, .bytes = bytes, .combines = combines}, cut);
    });
    lanes.push_back(std::move(turn));
    return;
  }
  const std::array<std::int32_t, kMostPeers> parent{up, kNoPeer, kNoPeer};
  Lane rising{.rank = rank, .channel = channel, .from_flow = kUp, .to_flow = kUp};
  Lane falling{.rank = rank, .channel = channel, .from_flow = kDown, .to_flow = kDown};
  for_each_chunk(share, cut.chunk, [&](std::uint64_t bytes) {
    rising.add({.from = down, .to = parent, .bytes = bytes, .combines = combines}, cut);
    falling.add({.from = parent, .to = down, .bytes = bytes}, cut);
  });
  lanes.push_back(std::move(rising));
  lanes.push_back(std::move(falling));
}

}  // namespace

const NamedAlgorithm kTreeAllReduce{"tree", tree_all_reduce};

}  // namespace latitude::graph::nccl
