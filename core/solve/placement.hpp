#pragma once

#include <cstdint>
#include <list>
#include <optional>
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

/// T of one program on many placements, where each message has the same protocol on all of them:
/// the graph is compiled once, with the price of every message left open until the nodes of its two
/// ranks are known. The network's own placement is not looked at, only its LogGPS parameters, its
/// link classes and the classes of node pairs.
class PlacementDag {
 public:
  /// CycleError when operations wait in a cycle. The eager limits of link classes do not count.
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

  std::uint32_t ranks_ = 0;
  model::Network network_;
  std::vector<Pair> pairs_;
  std::vector<Price> prices_;
  std::vector<Node> nodes_;
  Edge result_{};
};

/// The same where link classes may have eager limits of their own. If messages are a rendezvous on
/// some links and eager on others, placements differ in more than prices: then each combination of
/// protocols that is asked for is compiled, as a PlacementDag, and the last few are kept.
class Placements {
 public:
  /// Keeps the graph, which has to outlive it. InputError when the network does not fit it.
  Placements(const graph::Graph& graph, const model::Network& network);

  /// As of PlacementDag; infinite where operations wait in a cycle.
  std::vector<double> runtimes(std::span<const std::uint32_t> nodes_of_ranks, unsigned threads = 0);

  struct Shares {
    std::vector<PlacementDag::Pair> pairs;
    std::vector<PairShare> of_pair;
  };
  /// As of PlacementDag. CycleError when operations wait in a cycle.
  Shares shares(std::span<const std::uint32_t> node_of_rank, double smoothing_ns);

  std::uint32_t ranks() const noexcept { return graph_.ranks(); }
  /// Whether each message has the same protocol on all placements.
  bool one_protocol() const noexcept { return varying_.empty(); }

 private:
  /// Messages from one rank to another whose protocols differ between links.
  struct Varying {
    PlacementDag::Pair pair;
    std::vector<std::uint32_t> protocols;  ///< by link class: equal numbers for equal protocols
  };
  using Protocols = std::vector<std::uint32_t>;  ///< of each of `varying_`

  struct Compiled {
    Protocols protocols;
    std::optional<PlacementDag> dag;  ///< none where operations wait in a cycle

    std::size_t joins() const { return dag ? dag->nodes() + 1 : 1; }
  };

  Protocols protocols_on(std::span<const std::uint32_t> node_of_rank) const;
  /// That of a placement with these protocols.
  const std::optional<PlacementDag>& compiled(Protocols protocols,
                                              std::span<const std::uint32_t> node_of_rank);
  PlacementDag compile(std::span<const std::uint32_t> node_of_rank) const;

  const graph::Graph& graph_;
  model::Network network_;
  std::vector<Varying> varying_;
  std::list<Compiled> compiled_;  ///< the one that was used last first
};

}  // namespace latitude::solve
