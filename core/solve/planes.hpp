#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {

/// A parameter on which the prices of a network depend: the amount that one unit of it adds to each
/// price.
struct Parameter {
  std::vector<double> latency;   ///< by link class: to each latency, ns
  std::vector<double> gap;       ///< by link class: to each byte, ns
  std::vector<double> overhead;  ///< by link class: to each overhead, ns
  std::vector<double> spacing;   ///< by link class: to each g, ns
  double compute = 0;            ///< to the factor on computation
};

/// T at one network, and its growth with each parameter there: the plane of a longest path. T is
/// the maximum of such planes, so no plane is above T anywhere.
struct Plane {
  double T_ns = 0;
  std::vector<double> slope;  ///< by parameter: ns per unit; if paths tie, for one of them
};

/// The planes of one program at many prices. Lowering the graph takes most of the time and does not
/// depend on prices, so its steps are recorded once, and each plane is one pass over these steps.
class Planes {
 public:
  /// InputError if operations wait in a cycle, or if there are too many steps. The graph must
  /// outlive this object.
  Planes(const graph::Graph& graph, const model::Network& network);

  /// The plane on a network that differs from the recorded one only in its prices and in the factor
  /// on computation. InputError if a parameter does not fit the link classes.
  Plane at(const model::Network& network, std::span<const Parameter> parameters);

 private:
  class Recording;

  /// The way in which an instant is computed: always from earlier steps. Step 0 is time zero.
  struct Step {
    enum Kind : std::uint8_t {
      join,     ///< the later of this and another step
      compute,  ///< the computation of a vertex
      pay,      ///< one of `costs_`
      pass,     ///< one of `durations_`
    };
    static constexpr std::uint32_t kMost = std::uint32_t{1} << 30;

    std::uint32_t after;
    Kind kind : 2;
    std::uint32_t with : 30;  ///< meaning depends on the kind
  };
  static_assert(sizeof(Step) == 8);

  struct OfLink {
    Cost cost;
    model::ClassId link;
  };

  struct End {
    graph::VertexId vertex;
    std::uint32_t step;
  };

  double computed(const Step& step) const {
    return static_cast<double>(graph_.vertices[step.with].value);
  }
  void run(const model::Network& network);
  std::vector<std::uint32_t> longest_path() const;

  const graph::Graph& graph_;
  std::size_t classes_;
  std::vector<Step> steps_;
  std::vector<OfLink> costs_;      ///< costs of messages and transfers, equal costs once
  std::vector<double> durations_;  ///< ns that do not depend on the network
  std::vector<End> ends_;          ///< ends for which nothing waits, by vertex
  std::vector<double> times_;      ///< time of each step in the latest pass, ns
};

}  // namespace latitude::solve
