#include "core/graph/goal/writing_order.hpp"

#include <algorithm>

namespace latitude::graph::goal {
namespace {

struct EarlyReceive {
  VertexId behind;
  VertexId receive;
};

/// Rendezvous receives with a `posted` dependency, by posting point.
std::vector<EarlyReceive> early_receives(const Graph& graph, std::uint32_t rank,
                                         std::uint64_t eager_limit) {
  std::vector<EarlyReceive> found;
  for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
    if (graph.vertices[v].kind != Kind::recv || !is_rendezvous(graph.vertices[v], eager_limit)) {
      continue;
    }
    VertexId behind = kNoVertex;
    for (const Dep& dep : graph.deps_of(v)) {
      if (dep.kind != DepKind::posted) continue;
      behind = behind == kNoVertex ? dep.vertex : std::max(behind, dep.vertex);
    }
    if (behind != kNoVertex) found.push_back({behind, v});
  }
  std::ranges::stable_sort(found, {}, &EarlyReceive::behind);
  return found;
}

}  // namespace

void writing_order(const Graph& graph, std::uint32_t rank, std::uint64_t eager_limit,
                   std::vector<Slot>& order) {
  const std::vector<EarlyReceive> early = early_receives(graph, rank, eager_limit);
  order.clear();
  auto next = early.begin();
  for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
    order.push_back({v, Slot::Role::whole});
    for (; next != early.end() && next->behind == v; ++next) {
      order.push_back({next->receive, Slot::Role::posting});
    }
  }
  if (early.empty()) return;
  const VertexId first = graph.rank_begin[rank];
  std::vector<bool> is_early(graph.rank_begin[rank + 1] - first);
  for (const EarlyReceive& e : early) is_early[e.receive - first] = true;
  for (Slot& slot : order) {
    if (slot.role == Slot::Role::whole && is_early[slot.vertex - first]) {
      slot.role = Slot::Role::complete;
    }
  }
}

}  // namespace latitude::graph::goal
