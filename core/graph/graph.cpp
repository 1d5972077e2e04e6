#include "core/graph/graph.hpp"

#include <algorithm>

namespace latitude::graph {

std::uint32_t Graph::rank_of(VertexId v) const noexcept {
  const auto after = std::ranges::upper_bound(rank_begin, v);
  return static_cast<std::uint32_t>(after - rank_begin.begin() - 1);
}

std::uint64_t Graph::messages() const noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count(vertices, Kind::send, [](const Vertex& v) { return v.kind; }));
}

std::uint64_t Graph::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Vertex& v : vertices) {
    if (v.kind == Kind::send) sum += static_cast<std::uint64_t>(v.value);
  }
  return sum;
}

std::uint64_t Graph::edges() const noexcept {
  const auto chained = std::ranges::count_if(vertices, [](const Vertex& v) { return v.chained; });
  return static_cast<std::uint64_t>(chained) + deps.size() + messages();
}

}  // namespace latitude::graph
