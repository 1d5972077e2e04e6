#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/lowering.hpp"

namespace latitude::solve {

/// Link class of each message, asked by its receive, and of each hop of a transfer.
class Links {
 public:
  Links(const graph::Graph& graph, const model::Network& network);

  /// Class of the message a cost belongs to; 0 for computation.
  model::ClassId of(const Cost& cost) const {
    if (of_receive_.empty()) return 0;
    if (cost.hop != kNoHop) return of_hop_[cost.hop];
    return cost.message == graph::kNoVertex ? model::ClassId{0} : of_receive_[cost.message];
  }

 private:
  std::vector<model::ClassId> of_receive_;  ///< by vertex; empty with one class
  std::vector<model::ClassId> of_hop_;      ///< the same, by hop
};

/// What a cost comes to on a network, ns: all of it, and of that the latencies and the bytes.
struct Price {
  double ns;
  double latency_ns;
  double gap_ns;
};

inline Price price_of(const Cost& cost, const model::Network& network, model::ClassId of) {
  const model::LinkClass& link = network.classes[of];
  const double latency = cost.latencies * link.L;
  if (cost.recorded) return {cost.ns, latency, cost.ns - latency};
  const double gap = cost.bytes * link.G;
  return {cost.ns + cost.overheads * network.base.o + latency + gap, latency, gap};
}

/// What a latency and a byte of each link class, and an overhead, cost as functions of θ.
struct Direction {
  std::vector<Affine> latency;               ///< by class, ns
  std::vector<Affine> gap;                   ///< by class, ns/byte
  Affine overhead;                           ///< ns
  std::vector<model::LinkClass> recorded{};  ///< by class: on which transfers were recorded

  /// What a cost of a link class comes to.
  Affine of(const Cost& cost, model::ClassId link) const {
    const double known =
        cost.recorded ? cost.latencies * recorded[link].L + cost.bytes * recorded[link].G : 0;
    return {cost.ns + cost.overheads * overhead.constant + cost.latencies * latency[link].constant +
                cost.bytes * gap[link].constant - known,
            cost.overheads * overhead.slope + cost.latencies * latency[link].slope +
                cost.bytes * gap[link].slope};
  }
};

/// θ is L, G or o itself: L (or G) of class 0, from which the other classes keep their distance.
Direction direction(const model::Network& network, model::Theta theta);

/// L (or G) of class c is along[c] at θ; everything else as in the network.
Direction direction(const model::Network& network, model::Theta theta, std::vector<Affine> along);

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
