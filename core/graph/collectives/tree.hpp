#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/collectives/collective.hpp"

namespace latitude::graph::collectives {

/// A member's place in a tree of ranks.
struct Tree {
  int parent = -1;            ///< -1 at the root
  std::vector<int> children;  ///< in the order in which a broadcast serves them
};

/// k-nomial tree, the largest subtree first; radix 2 is the binomial tree.
Tree knomial_tree(int rank, int root, int size, int radix = 2);
/// Complete binary tree, filled level by level.
Tree binary_tree(int rank, int root, int size);
/// Binary tree over ranks 0…size-1 in order, rooted at size-1: a rank's two subtrees are runs of
/// consecutive ranks that end just before it, so a reduction meets its operands in rank order.
Tree in_order_binary_tree(int rank, int size);

/// Receives from the parent, then sends to all children at once.
void send_down(const Tree& tree, std::uint64_t bytes, Steps& steps);
/// Combines the data of each child, the smallest subtree first, then sends to the parent.
void reduce_up(const Tree& tree, std::uint64_t bytes, Steps& steps);

/// Passes a message from `from` to `to` (-1: no such end) in segments, and receives each segment
/// while it sends the one before. `combine`: each received segment is a partial result.
void relay(int from, int to, std::uint64_t bytes, std::uint64_t segment, bool combine,
           Steps& steps);

/// The largest piece of a pipelined chain: Open MPI 4.0's fixed decisions use 64 KiB for pipelined
/// broadcasts and reductions of long vectors (coll_tuned_decision_fixed.c).
inline constexpr std::uint64_t kSegmentBytes = 65536;
/// kSegmentBytes, in whole elements if at least one fits.
std::uint64_t segment_for(std::uint64_t element);

}  // namespace latitude::graph::collectives
