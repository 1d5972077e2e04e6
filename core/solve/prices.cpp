#include "core/solve/prices.hpp"

#include <string>

#include "core/error.hpp"

namespace latitude::solve {

Links::Links(const graph::Graph& graph, const model::Network& network) {
  if (network.one_class()) return;
  of_end_.assign(graph.vertices.size(), 0);
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const graph::Vertex& vertex = graph.vertices[v];
      if (vertex.kind != graph::Kind::send) continue;
      of_end_[v] = of_end_[vertex.partner] = network.link(rank, graph.rank_of(vertex.partner));
    }
  }
  for (const graph::Hop& hop : graph.hops) {
    of_hop_.push_back(network.link(hop.source, hop.destination));
  }
}

Direction direction(const model::Network& network, model::Theta theta) {
  const auto value = [&](std::size_t c) {
    const auto link = static_cast<model::ClassId>(c);
    switch (theta) {
      case model::Theta::L:
        return network.classes[c].L;
      case model::Theta::G:
        return network.classes[c].G;
      case model::Theta::o:
        return network.o(link);
      case model::Theta::g:
        return network.g(link);
    }
    return 0.0;
  };
  std::vector<Affine> along;
  for (std::size_t c = 0; c < network.classes.size(); ++c) {
    along.push_back({value(c) - value(0), 1});
  }
  return direction(network, theta, along);
}

Direction direction(const model::Network& network, model::Theta theta,
                    const std::vector<Affine>& along) {
  if (along.size() != network.classes.size()) {
    throw InputError(
        "θ needs one function per link class: " + std::to_string(network.classes.size()) +
        ", not " + std::to_string(along.size()));
  }
  Direction result;
  for (std::size_t c = 0; c < network.classes.size(); ++c) {
    const model::LinkClass& own = network.classes[c];
    const auto number = static_cast<model::ClassId>(c);
    Direction::Link link{.latency = {own.L, 0},
                         .gap = {own.G, 0},
                         .overhead = {network.o(number), 0},
                         .spacing = {network.g(number), 0},
                         .copying = network.O(number),
                         .recorded_L = own.L,
                         .recorded_G = own.G};
    Affine& varied = theta == model::Theta::L   ? link.latency
                     : theta == model::Theta::G ? link.gap
                     : theta == model::Theta::o ? link.overhead
                                                : link.spacing;
    varied = along[c];
    result.links.push_back(link);
  }
  return result;
}

}  // namespace latitude::solve
