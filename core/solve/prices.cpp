#include "core/solve/prices.hpp"

#include <string>

#include "core/error.hpp"

namespace latitude::solve {

Links::Links(const graph::Graph& graph, const model::Network& network) {
  if (network.one_class()) return;
  of_receive_.assign(graph.vertices.size(), 0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const graph::Vertex& vertex = graph.vertices[v];
      if (vertex.kind != graph::Kind::send) continue;
      of_receive_[vertex.partner] = network.link(rank, graph.rank_of(vertex.partner));
    }
  }
  for (const graph::Hop& hop : graph.hops) {
    of_hop_.push_back(network.link(hop.source, hop.destination));
  }
}

Direction direction(const model::Network& network, model::Theta theta) {
  const bool gap = theta == model::Theta::G;
  std::vector<Affine> along;
  for (const model::LinkClass& link : network.classes) {
    along.push_back(gap ? Affine{link.G - network.classes[0].G, 1}
                        : Affine{link.L - network.classes[0].L, 1});
  }
  return direction(network, theta, std::move(along));
}

Direction direction(const model::Network& network, model::Theta theta, std::vector<Affine> along) {
  Direction result;
  result.recorded = network.classes;
  for (const model::LinkClass& link : network.classes) {
    result.latency.push_back({link.L, 0});
    result.gap.push_back({link.G, 0});
  }
  result.overhead = {network.base.o, 0};
  if (theta == model::Theta::o) {
    result.overhead = {0, 1};
    return result;
  }
  if (along.size() != network.classes.size()) {
    throw InputError(
        "θ needs one function a link class: " + std::to_string(network.classes.size()) + ", not " +
        std::to_string(along.size()));
  }
  (theta == model::Theta::L ? result.latency : result.gap) = std::move(along);
  return result;
}

}  // namespace latitude::solve
