#include "core/graph/goal/topological_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace latitude::graph::goal {
namespace {

/// From a vertex that was never released, unreleased dependencies lead into a cycle.
std::vector<std::uint32_t> find_cycle(std::span<const std::uint32_t> waiting_for,
                                      std::span<const LocalDep> deps) {
  constexpr std::uint32_t kNone = kNoVertex;
  std::vector<std::uint32_t> next(waiting_for.size(), kNone);
  std::uint32_t at = kNone;
  for (const LocalDep& dep : deps) {
    if (waiting_for[dep.vertex] == 0 || waiting_for[dep.on] == 0) continue;
    if (next[dep.vertex] == kNone) next[dep.vertex] = dep.on;
    at = std::min(at, dep.vertex);
  }
  std::vector<bool> seen(waiting_for.size());
  for (; !seen[at]; at = next[at]) seen[at] = true;
  std::vector<std::uint32_t> cycle{at};
  for (std::uint32_t v = next[at]; v != at; v = next[v]) cycle.push_back(v);
  return cycle;
}

}  // namespace

TopologicalOrder topological_order(std::uint32_t vertices, std::span<const LocalDep> deps) {
  std::vector<std::uint32_t> waiting_for(vertices, 0);
  std::vector<std::size_t> begin(std::size_t{vertices} + 1, 0);
  for (const LocalDep& dep : deps) {
    ++waiting_for[dep.vertex];
    ++begin[dep.on + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> successors(deps.size());
  auto fill = begin;
  for (const LocalDep& dep : deps) successors[fill[dep.on]++] = dep.vertex;

  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (waiting_for[v] == 0) ready.push(v);
  }
  TopologicalOrder result;
  result.order.reserve(vertices);
  while (!ready.empty()) {
    const std::uint32_t v = ready.top();
    ready.pop();
    result.order.push_back(v);
    for (std::size_t i = begin[v]; i < begin[v + 1]; ++i) {
      if (--waiting_for[successors[i]] == 0) ready.push(successors[i]);
    }
  }
  if (result.order.size() < vertices) {
    result.order.clear();
    result.cycle = find_cycle(waiting_for, deps);
  }
  return result;
}

}  // namespace latitude::graph::goal
