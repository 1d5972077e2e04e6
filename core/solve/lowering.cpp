#include "core/solve/lowering.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace latitude::solve {

std::string describe(const graph::Graph& graph, graph::VertexId v) {
  const graph::Vertex& vertex = graph.vertices[v];
  std::string text = "rank " + std::to_string(graph.rank_of(v)) + ": ";
  switch (vertex.kind) {
    case graph::Kind::calc:
      text += "calc " + std::to_string(vertex.value) + " ns";
      break;
    case graph::Kind::transfer:
      text += "transfer of " + std::to_string(vertex.value) + " ns";
      break;
    case graph::Kind::send:
    case graph::Kind::recv:
      text += vertex.kind == graph::Kind::send ? "send " : "recv ";
      text += std::to_string(vertex.value) + " B ";
      text += vertex.kind == graph::Kind::send ? "to rank " : "from rank ";
      text += std::to_string(graph.rank_of(vertex.partner));
      break;
  }
  if (vertex.origin != graph::kNoOrigin) {
    const graph::CallRecord call = graph.calls[vertex.origin];
    text += " (" + std::string(trace::name_of(call.call)) + ", line " +
            std::to_string(call.position) + ")";
  }
  return text;
}

void throw_cycle(const graph::Graph& graph, graph::VertexId from,
                 const std::vector<graph::VertexId>& waits_for, model::Gap gap) {
  constexpr std::size_t kShown = 6;
  std::vector<bool> seen(waits_for.size());
  graph::VertexId v = from;
  while (v != graph::kNoVertex && !seen[v]) {
    seen[v] = true;
    v = waits_for[v];
  }
  std::string message = "operations wait for each other in a cycle, so none can finish";
  std::size_t length = 0;
  for (graph::VertexId w = v; w != graph::kNoVertex && (length == 0 || w != v); w = waits_for[w]) {
    if (length++ < kShown) {
      message += (length == 1 ? ": [" : " ← [") + describe(graph, w) + "]";
    }
  }
  if (length > kShown) message += " … and " + std::to_string(length - kShown) + " more";
  message +=
      "; the program deadlocks under this model (a smaller --S makes sends wait, a larger one lets "
      "them go)";
  if (gap != model::Gap::none) {
    message += "; the gap keeps the messages of each rank in program order: try without it";
  }
  throw CycleError(message);
}

}  // namespace latitude::solve
