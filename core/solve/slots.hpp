#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// The place of each node's value during a sweep. A slot is used again after its value's last
/// reader, so that a sweep works in the cache for graphs of any size.
struct Slots {
  std::vector<std::uint32_t> of;  ///< by node id; 0 is the origin's, which is never reused
  std::vector<bool> read;         ///< by node id: whether anything reads the node
  std::size_t count = 1;
};

/// `nodes[i]` has the id i + 1 and reads the nodes from_of(nodes[i], 0) and from_of(nodes[i], 1).
template <class Nodes, class From>
Slots assign_slots(const Nodes& nodes, NodeId result, From from_of) {
  constexpr NodeId kUnread = 0;
  std::vector<NodeId> last_reader(nodes.size() + 1, kUnread);
  last_reader[result] = kNowhere;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (last_reader[i + 1] == kUnread) continue;
    for (int e = 0; e < 2; ++e) {
      NodeId& last = last_reader[from_of(nodes[i], e)];
      if (last == kUnread) last = static_cast<NodeId>(i + 1);
    }
  }

  Slots slots{std::vector<std::uint32_t>(nodes.size() + 1, 0), {}, 1};
  slots.read.resize(nodes.size() + 1);
  std::vector<std::uint32_t> free;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i + 1);
    if (last_reader[id] == kUnread) continue;
    slots.read[id] = true;
    for (int e = 0; e < 2; ++e) {
      const NodeId from = from_of(nodes[i], e);
      const bool twice = e == 1 && from == from_of(nodes[i], 0);
      if (last_reader[from] == id && from != kOrigin && !twice) free.push_back(slots.of[from]);
    }
    if (free.empty()) {
      slots.of[id] = static_cast<std::uint32_t>(slots.count++);
    } else {
      slots.of[id] = free.back();
      free.pop_back();
    }
  }
  return slots;
}

}  // namespace latitude::solve
