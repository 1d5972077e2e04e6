#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// What the messages from one rank to another have on the longest path, or on near-longest ones.
struct PairShare {
  double latencies = 0;  ///< λ_ij ([S] §VI): dT / d latency of the pair
  double bytes = 0;      ///< λ_G,ij: dT / d (time per byte of the pair)
};

/// T of one program on many placements: the graph is compiled once, with the price of every
/// message left open until the nodes of its two ranks are known. The network's own placement is
/// not looked at, only its LogGPS parameters, its link classes and the classes of node pairs.
class PlacementDag {
 public:
  /// InputError when operations wait in a circle.
  PlacementDag(const graph::Graph& graph, const model::Network& network);

  /// T (ns) of each of the placements: `nodes_of_ranks` holds the node of every rank of the first
  /// one, then of the second, … InputError when a node is beyond the network's.
  std::vector<double> runtimes(std::span<const std::uint32_t> nodes_of_ranks,
                               unsigned threads = 0) const;

  /// By pair(), on one placement. With `smoothing_ns` = s > 0 paths that are d shorter than the
  /// longest one count too, with a weight of exp(−d / s).
  std::vector<PairShare> shares(std::span<const std::uint32_t> node_of_rank,
                                double smoothing_ns) const;

  struct Pair {
    std::uint32_t source;
    std::uint32_t destination;
  };
  /// Ordered pairs of ranks that exchange messages: of different ones, and, where what an end costs
  /// depends on the link, also of a rank and itself.
  const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  std::uint32_t ranks() const noexcept { return ranks_; }
  std::size_t nodes() const noexcept { return nodes_.size(); }

  using PriceId = std::uint32_t;
  static constexpr PriceId kFree = 0;

  /// What messages cost on the way along an edge: this one's counts, and those of `before`. Equal
  /// ways share a price, so there are far fewer prices than edges. Overheads, copied bytes and gaps
  /// are in the edge's constant where they cost the same on all links.
  struct Price {
    PriceId before = kFree;
    std::uint32_t pair = 0;
    double latencies = 0;
    double bytes = 0;
    double overheads = 0;
    double copied = 0;
    double gaps = 0;
  };

  struct Edge {
    std::uint32_t from;
    PriceId price;
    double constant;
  };

  /// value = max over the two edges of value(from) + constant + price; nodes_[i] is number i + 1.
  struct Node {
    Edge edge[2];
  };

 private:
  friend class PlacementBuilding;

  /// ns of every price on one placement.
  void price(std::span<const std::uint32_t> node_of_rank, double* ns, std::size_t stride) const;
  void check(std::span<const std::uint32_t> nodes_of_ranks) const;

  std::uint32_t ranks_ = 0;
  model::Network network_;
  std::vector<Pair> pairs_;
  std::vector<Price> prices_;
  std::vector<Node> nodes_;
  Edge result_{};
};

}  // namespace latitude::solve
