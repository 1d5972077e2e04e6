#include "core/solve/one_limit.hpp"

#include <cstdint>

namespace latitude::solve {

std::optional<OneLimit> with_one_limit(const graph::Graph& graph, const model::Network& network) {
  if (network.one_limit()) return std::nullopt;
  network.check(graph.ranks());
  OneLimit result{graph, network.with_one_limit()};
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      graph::Vertex& send = result.graph.vertices[v];
      if (send.kind != graph::Kind::send || send.partner == graph::kNoVertex) continue;
      const model::ClassId link = network.link(rank, graph.rank_of(send.partner));
      const std::uint64_t limit = network.eager_limit(link, send.immediate);
      if (static_cast<std::uint64_t>(send.value) <= limit) continue;
      send.synchronous = true;
      result.graph.vertices[send.partner].synchronous = true;
    }
  }
  return result;
}

}  // namespace latitude::solve
