#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"

namespace latitude::solve {

/// A parameter that the prices of a network follow: what one more unit of it adds to each.
struct Parameter {
  std::vector<double> latency;   ///< by link class: to each latency, ns
  std::vector<double> gap;       ///< by link class: to each byte, ns
  std::vector<double> overhead;  ///< by link class: to each overhead, ns
  std::vector<double> spacing;   ///< by link class: to each g, ns
  double compute = 0;            ///< to the factor on computation
};

inline constexpr std::size_t kMostParameters = 8;

/// T at one network, and how fast it grows with each parameter there: the plane of a longest path.
/// T is a maximum of such planes, so the plane lies nowhere above T.
struct Tangent {
  double T_ns = 0;
  std::vector<double> slope;  ///< by parameter: ns per unit; where paths tie, of one of them
};

/// One pass over the graph, without compiling anything. InputError when operations wait in a
/// circle, when there are over kMostParameters, or when one does not fit the link classes.
Tangent tangent(const graph::Graph& graph, const model::Network& network,
                std::span<const Parameter> parameters);

}  // namespace latitude::solve
