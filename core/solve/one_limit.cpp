#include "core/solve/one_limit.hpp"

#include <cstdint>
#include <limits>

namespace latitude::solve {

std::optional<OneLimit> with_one_limit(const graph::Graph& graph, const model::Network& network) {
  if (network.one_limit()) return std::nullopt;
  network.check(graph.ranks());
  OneLimit result{graph, network};
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    for (auto v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      graph::Vertex& send = result.graph.vertices[v];
      if (send.kind != graph::Kind::send || send.partner == graph::kNoVertex) continue;
      const model::ClassId link = network.link(rank, graph.rank_of(send.partner));
      const std::uint64_t limit =
          network.classes[link].S.value_or(network.base.eager_limit(send.immediate));
      if (static_cast<std::uint64_t>(send.value) <= limit) continue;
      send.synchronous = true;
      result.graph.vertices[send.partner].synchronous = true;
    }
  }
  result.network.base.S = std::numeric_limits<std::uint64_t>::max();
  result.network.base.S_isend.reset();
  for (model::LinkClass& link : result.network.classes) link.S.reset();
  return result;
}

}  // namespace latitude::solve
