#include "core/solve/efficiency.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "core/solve/lowering.hpp"

namespace latitude::solve {
namespace {

using graph::Graph;
using graph::Kind;
using graph::Vertex;
using graph::VertexId;

constexpr std::size_t kProcessors = std::numeric_limits<std::uint8_t>::max() + 1;

/// Algebra of Lowering: an instant is ns; messages take no time.
class Free {
 public:
  using Instant = double;

  static double origin() { return 0; }
  static double add(double at, const Cost& cost) { return at + cost.ns; }
  static double join(double a, double b) { return std::max(a, b); }
  static double started(VertexId, double at) { return at; }
  static double ended(VertexId, double at) { return at; }
  static double entered(VertexId, double at) { return at; }
  void finished(double at) { last_ = std::max(last_, at); }

  double last() const { return last_; }

 private:
  double last_ = 0;
};

}  // namespace

Work work(const Graph& graph) {
  Work result;
  std::array<double, kProcessors> useful{};
  std::array<bool, kProcessors> computes{};
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    useful.fill(0);
    computes.fill(false);
    computes[0] = true;
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const Vertex& vertex = graph.vertices[v];
      if (vertex.kind != Kind::calc || vertex.origin != graph::kNoOrigin) continue;
      useful[vertex.cpu] += static_cast<double>(vertex.value);
      computes[vertex.cpu] = computes[vertex.cpu] || vertex.value > 0;
    }
    for (std::size_t cpu = 0; cpu < kProcessors; ++cpu) {
      if (!computes[cpu]) continue;
      result.rank.push_back(rank);
      result.useful_ns.push_back(useful[cpu]);
    }
  }
  return result;
}

double ideal_runtime(const Graph& graph, const model::Network& network) {
  model::LogGPS free = network.base;
  free.L = free.o = free.g = free.G = free.O = 0;
  free.gap = model::Gap::none;
  free.compute_scale = 1;
  Free algebra;
  Lowering<Free>(graph, free, algebra).run();
  return algebra.last();
}

}  // namespace latitude::solve
