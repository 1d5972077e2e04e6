#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// The parts of the longest path, or of near-longest ones, that messages from one rank to another
/// have.
struct PairShare {
  double latencies = 0;  ///< λ_ij (Shen et al. 2024, §VI): dT / d latency of the pair
  double bytes = 0;      ///< λ_G,ij: dT / d (time per byte of the pair)
};

/// T of one program on many placements, if each message has the same protocol on all of them. The
/// graph is compiled once; the price of every message stays open until the nodes of its two ranks
/// are known. Only the network's LogGPS parameters, link classes and classes of node pairs count,
/// not its own placement.
class PlacementDag {
 public:
  /// CycleError if operations wait in a cycle. The eager limits of link classes do not count.
  PlacementDag(const graph::Graph& graph, const model::Network& network);

  /// T (ns) of each of the placements. `nodes_of_ranks` holds the node of every rank of the first
  /// placement, then of the second, and so on. InputError if a node is beyond the network's.
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
  /// Ordered pairs of ranks that exchange messages. If the cost at an end depends on the link,
  /// pairs of a rank with itself count too.
  const std::vector<Pair>& pairs() const noexcept { return pairs_; }
  std::uint32_t ranks() const noexcept { return ranks_; }
  std::size_t nodes() const noexcept { return nodes_.size(); }

  using PriceId = std::uint32_t;
  static constexpr PriceId kFree = 0;

  /// The cost of messages along an edge: the counts of this message, and those of `before`. Equal
  /// ways share a price, so prices are far fewer than edges. Overheads, copied bytes and gaps are
  /// in the edge's constant if they cost the same on all links.
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

/// T of one program on many placements, for link classes that may have eager limits of their own.
/// If messages are a rendezvous on some links and eager on others, placements differ in more than
/// prices. Then each requested combination of protocols is compiled, as a PlacementDag, and the
/// most recently used of these are stored.
class Placements {
 public:
  /// Keeps a reference to the graph, which must outlive this object. InputError if the network does
  /// not fit it.
  Placements(const graph::Graph& graph, const model::Network& network);

  /// As in PlacementDag; infinite if operations wait in a cycle.
  std::vector<double> runtimes(std::span<const std::uint32_t> nodes_of_ranks, unsigned threads = 0);

  struct Shares {
    std::vector<PlacementDag::Pair> pairs;
    std::vector<PairShare> of_pair;
  };
  /// As in PlacementDag. CycleError if operations wait in a cycle.
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
  using Protocols = std::vector<std::uint32_t>;  ///< for each of `varying_`

  struct Compiled {
    Protocols protocols;
    std::optional<PlacementDag> dag;  ///< none if operations wait in a cycle

    std::size_t joins() const { return dag ? dag->nodes() + 1 : 1; }
  };

  Protocols protocols_on(std::span<const std::uint32_t> node_of_rank) const;
  /// The DAG of a placement with these protocols.
  const std::optional<PlacementDag>& compiled(Protocols protocols,
                                              std::span<const std::uint32_t> node_of_rank);
  PlacementDag compile(std::span<const std::uint32_t> node_of_rank) const;

  const graph::Graph& graph_;
  model::Network network_;
  std::vector<Varying> varying_;
  std::list<Compiled> compiled_;  ///< the most recently used first
};

}  // namespace latitude::solve
