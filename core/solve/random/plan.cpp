#include "core/solve/random/plan.hpp"

#include <algorithm>

#include "core/solve/random/numbers.hpp"
#include "core/solve/slots.hpp"

namespace latitude::solve {

RandomPlan::RandomPlan(const RandomDag& dag) {
  // The result's own weight is a last step.
  std::vector<RandomNode> nodes = dag.nodes;
  nodes.push_back({{dag.result, kAbsent}});
  const auto result = static_cast<NodeId>(nodes.size());
  const Slots slot_of = assign_slots(
      nodes, result, [](const RandomNode& node, int edge) { return node.edge[edge].node; });

  std::uint16_t rows = 0;
  bool weighted = false;
  const auto begin_chunk = [&] {
    chunks.push_back({steps.size(), 0, keys.size(), 0});
    rows = 0;
  };
  const auto row_for = [&](const RandomRef& edge) {
    if (edge.count == 0) return kNoRow;
    for (const Draw& draw : edge.draws()) {
      constexpr std::uint64_t kFlags = kLast | kNoise;
      const bool last = &draw == &edge.draws().back();
      keys.push_back((mix(draw.key()) & ~kFlags) | (last ? kLast : 0) |
                     (draw.noise() ? kNoise : 0));
      coefficients.push_back(draw.coefficient);
      vertices.push_back(draw.vertex);
      weighted = weighted || draw.noise();
    }
    return ++rows;
  };
  begin_chunk();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!slot_of.read[i + 1]) continue;
    const RandomNode& node = nodes[i];
    if (rows + 2U >= kRows) begin_chunk();
    Chunk& chunk = chunks.back();
    const std::uint16_t first = row_for(node.edge[0]);
    const std::uint16_t second = row_for(node.edge[1]);
    steps.push_back({{slot_of.of[node.edge[0].node], slot_of.of[node.edge[1].node]},
                     slot_of.of[i + 1],
                     {first, second},
                     {node.edge[0].constant, node.edge[1].constant}});
    ++chunk.steps;
    chunk.draws = keys.size() - chunk.first_draw;
  }
  if (!weighted) coefficients = {};
  slots = slot_of.count;
  result_slot = slot_of.of[result];
}

std::size_t RandomPlan::memory_bytes() const noexcept {
  return chunks.size() * sizeof(Chunk) + steps.size() * sizeof(Step) +
         keys.size() * sizeof(std::uint64_t) + coefficients.size() * sizeof(double) +
         vertices.size() * sizeof(graph::VertexId);
}

}  // namespace latitude::solve
