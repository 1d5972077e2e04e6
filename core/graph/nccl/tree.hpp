#pragma once

#include <array>
#include <cstdint>

#include "core/graph/nccl/collective.hpp"

namespace latitude::graph::nccl {

/// Parent and children of one node in a binary tree; kNoPeer if it has none.
struct Place {
  std::int32_t up = kNoPeer;
  std::array<std::int32_t, 2> down{kNoPeer, kNoPeer};
};

/// The place of a node in the first or the second of the two trees. The second tree is the first
/// one mirrored if the number of nodes is even, and shifted by one if it is odd.
Place place_in(std::int32_t nodes, std::int32_t node, bool second);

}  // namespace latitude::graph::nccl
