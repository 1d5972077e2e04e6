#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {

/// Link class of each message, by one of its ends, and of each hop of a transfer.
class Links {
 public:
  Links(const graph::Graph& graph, const model::Network& network);

  /// Class of the message of a cost; 0 for computation.
  model::ClassId of(const Cost& cost) const {
    if (cost.hop != kNoHop) return of_hop_.empty() ? model::ClassId{0} : of_hop_[cost.hop];
    return cost.message == graph::kNoVertex ? model::ClassId{0} : of_end(cost.message);
  }
  model::ClassId of_end(graph::VertexId v) const {
    return of_end_.empty() ? model::ClassId{0} : of_end_[v];
  }

 private:
  std::vector<model::ClassId> of_end_;  ///< by vertex; empty with one class
  std::vector<model::ClassId> of_hop_;  ///< by hop; empty with one class
};

/// A cost on a network, ns: the total, and its parts: latencies, bytes, overheads, and the rest
/// (computation, copying, g).
struct Price {
  double ns;
  double latency_ns;
  double gap_ns;
  double overhead_ns;
  double rest_ns;
};

inline Price price_of(const Cost& cost, const model::Network& network, model::ClassId of) {
  const model::LinkClass& link = network.classes[of];
  const double latency = cost.latencies * link.L;
  if (cost.recorded) return {cost.ns, latency, cost.ns - latency, 0, 0};
  const double gap = cost.bytes * link.G;
  const double overhead = cost.overheads * network.o(of);
  const double rest = cost.ns + cost.copied * network.O(of) + cost.gaps * network.g(of);
  return {rest + overhead + latency + gap, latency, gap, overhead, rest};
}

/// The prices of each link class as functions of θ.
struct Direction {
  struct Link {
    Affine latency;         ///< ns
    Affine gap;             ///< ns/byte
    Affine overhead;        ///< ns
    Affine spacing;         ///< g, ns
    double copying = 0;     ///< ns/byte
    double recorded_L = 0;  ///< L of the network on which the transfers were recorded
    double recorded_G = 0;  ///< G of that network
  };
  std::vector<Link> links;  ///< by class

  /// The price of a cost on a link class.
  Affine of(const Cost& cost, model::ClassId of) const {
    const Link& link = links[of];
    const double known =
        cost.recorded ? cost.latencies * link.recorded_L + cost.bytes * link.recorded_G : 0;
    return {cost.ns + cost.copied * link.copying + cost.gaps * link.spacing.constant +
                cost.overheads * link.overhead.constant + cost.latencies * link.latency.constant +
                cost.bytes * link.gap.constant - known,
            cost.gaps * link.spacing.slope + cost.overheads * link.overhead.slope +
                cost.latencies * link.latency.slope + cost.bytes * link.gap.slope};
  }
};

/// θ is a parameter itself: that of class 0, from which the other classes keep their distance.
Direction direction(const model::Network& network, model::Theta theta);

/// The parameter of class c is along[c] at θ; all others are the network's.
Direction direction(const model::Network& network, model::Theta theta,
                    const std::vector<Affine>& along);

/// Cost → ns as a function of θ.
class Prices {
 public:
  Prices(const graph::Graph& graph, const model::Network& network, Direction direction)
      : links_(graph, network), direction_(std::move(direction)) {}

  Affine of(const Cost& cost) const { return direction_.of(cost, links_.of(cost)); }

 private:
  Links links_;
  Direction direction_;
};

}  // namespace latitude::solve
