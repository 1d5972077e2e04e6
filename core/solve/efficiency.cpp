#include "core/solve/efficiency.hpp"

#include <array>
#include <cstddef>
#include <limits>

namespace latitude::solve {
namespace {

using graph::Graph;
using graph::Kind;
using graph::Vertex;
using graph::VertexId;

constexpr std::size_t kProcessors = std::numeric_limits<std::uint8_t>::max() + 1;

}  // namespace

Work work(const Graph& graph, const model::Network& network) {
  Work result;
  std::array<double, kProcessors> useful{};
  std::array<bool, kProcessors> computes{};
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    useful.fill(0);
    computes.fill(false);
    computes[0] = true;
    double calc = 0;
    double overhead = 0;
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const Vertex& vertex = graph.vertices[v];
      if (vertex.kind != Kind::calc) {
        overhead += network.base.o + network.base.O * model::gap_bytes(vertex.value);
        continue;
      }
      calc += static_cast<double>(vertex.value) * network.base.compute_scale;
      if (vertex.origin != graph::kNoOrigin) continue;
      useful[vertex.cpu] += static_cast<double>(vertex.value);
      computes[vertex.cpu] = computes[vertex.cpu] || vertex.value > 0;
    }
    result.calc_ns.push_back(calc);
    result.overhead_ns.push_back(overhead);
    for (std::size_t cpu = 0; cpu < kProcessors; ++cpu) {
      if (!computes[cpu]) continue;
      result.rank.push_back(rank);
      result.useful_ns.push_back(useful[cpu]);
    }
  }
  return result;
}

}  // namespace latitude::solve
