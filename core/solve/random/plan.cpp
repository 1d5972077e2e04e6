#include "core/solve/random/plan.hpp"

#include <algorithm>

#include "core/solve/slots.hpp"

namespace latitude::solve {

RandomPlan::RandomPlan(const RandomDag& dag) {
  const Slots slot_of = assign_slots(
      dag.nodes, dag.result, [](const RandomNode& node, int edge) { return node.edge[edge].node; });
  steps.reserve(dag.nodes.size());
  weights.reserve(dag.nodes.size());
  keys.reserve(dag.nodes.size() + kChunk);
  messages.reserve(dag.nodes.size());
  bool noisy = false;
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    if (!slot_of.read[i + 1]) continue;
    const RandomRef& first = dag.nodes[i].edge[0];
    const RandomRef& second = dag.nodes[i].edge[1];
    const bool noise = second.random && second.draw.noise();
    const std::uint32_t drawn = noise ? kNoise : kLatency;
    noisy = noisy || noise;
    steps.push_back({{slot_of.of[first.node], slot_of.of[second.node]},
                     slot_of.of[i + 1],
                     second.random ? drawn : kNothing,
                     {first.constant, second.constant}});
    weights.push_back(second.draw.coefficient);
    keys.push_back(mix(second.draw.key()));
    messages.push_back(second.random && !noise ? second.draw.vertex : graph::kNoVertex);
  }
  if (!noisy) weights = {};
  keys.resize((keys.size() + kChunk - 1) / kChunk * kChunk);
  slots = slot_of.count;
  result_slot = slot_of.of[dag.result];
}

std::size_t RandomPlan::draws() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const Step& step) { return step.table != kNothing; }));
}

std::size_t RandomPlan::memory_bytes() const noexcept {
  return steps.size() * sizeof(Step) + weights.size() * sizeof(double) +
         keys.size() * sizeof(std::uint64_t) + messages.size() * sizeof(graph::VertexId);
}

}  // namespace latitude::solve
