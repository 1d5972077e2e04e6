#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace latitude::model {

/// A cable, as the numbers of its two ends: nodes are 0 … nodes − 1, and the switches follow.
using Cable = std::pair<std::uint32_t, std::uint32_t>;

/// The switches that a message passes between two nodes on a minimal route, and the cables of the
/// whole network.
class Topology {
 public:
  virtual ~Topology() = default;

  /// "fat tree, k = 16, 3 tiers, 1024 nodes".
  virtual std::string describe() const = 0;
  virtual std::uint32_t nodes() const = 0;

  /// Switches on a minimal route between two nodes; 0 from a node to itself.
  virtual std::uint16_t hops(std::uint32_t a, std::uint32_t b) const = 0;

  /// The explicit graph, for independent checks: each cable once. InputError if unknown.
  virtual std::vector<Cable> cables() const = 0;

  /// hops() of all pairs of `chosen`, row by row. InputError if a node is beyond nodes().
  std::vector<std::uint16_t> hops_between(std::span<const std::uint32_t> chosen) const;
};

/// The topology of a text such as "fat-tree:k=16,tiers=3" (docs/reference/networks.md). InputError
/// with the known kinds for any other text.
std::unique_ptr<Topology> topology_of(std::string_view spec);

}  // namespace latitude::model
