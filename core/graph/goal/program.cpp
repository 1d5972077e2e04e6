#include "core/graph/goal/program.hpp"

#include <stdexcept>

#include "core/graph/goal/message_tags.hpp"

namespace latitude::graph::goal {

Program::Program(const Graph& graph, std::uint64_t eager_limit, const std::string& name)
    : graph_(graph), eager_limit_(eager_limit) {
  check(name);
  tags_ = assign_tags(graph, eager_limit);
}

void Program::check(const std::string& name) const {
  if (!graph_.transfers.empty()) {
    throw InputError(name +
                     ": the job's collectives have recorded costs, which GOAL cannot express");
  }
  for (VertexId v = 0; v < graph_.vertices.size(); ++v) {
    const Vertex& vertex = graph_.vertices[v];
    if (vertex.kind != Kind::calc && vertex.partner >= graph_.vertices.size()) {
      throw std::logic_error("a graph must be matched before it is written");
    }
    if (vertex.value < 0) {
      throw InputError(name + ": rank " + std::to_string(graph_.rank_of(v)) +
                       " has a duration of " + std::to_string(vertex.value) +
                       " ns, which GOAL cannot express");
    }
  }
}

const RankProgram& Program::rank(std::uint32_t rank) {
  first_ = graph_.rank_begin[rank];
  writing_order(graph_, rank, eager_limit_, order_);
  const std::size_t vertices = graph_.rank_begin[rank + 1] - first_;
  place_.resize(vertices);
  posting_.resize(order_.size() > vertices ? vertices : 0);
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    auto& places = order_[i].role == Slot::Role::posting ? posting_ : place_;
    places[order_[i].vertex - first_] = i;
  }
  program_.operations.clear();
  program_.requirement_begin.assign(1, 0);
  program_.requirements.clear();
  for (const Slot& slot : order_) add(slot);
  return program_;
}

void Program::add(const Slot& slot) {
  const Vertex& vertex = graph_.vertices[slot.vertex];
  const bool completes = slot.role == Slot::Role::complete;
  const bool posts = slot.role == Slot::Role::posting;
  Operation operation{.unit = graph_.units[vertex.unit]};
  if (!completes) {
    operation.kind = vertex.kind;
    operation.value = vertex.value;
  }
  if (operation.kind != Kind::calc) {
    const VertexId send = vertex.kind == Kind::send ? slot.vertex : vertex.partner;
    operation.peer = static_cast<std::int32_t>(graph_.rank_of(vertex.partner));
    operation.tag = static_cast<std::int32_t>(tags_[send]);
  }
  program_.operations.push_back(operation);

  if (!posts && vertex.chained && slot.vertex > first_) {
    require(slot.vertex - 1, DepKind::released);
  }
  for (const Dep& dep : graph_.deps_of(slot.vertex)) {
    if ((dep.kind == DepKind::posted) == posts) require(dep.vertex, dep.kind);
  }
  if (completes) program_.requirements.push_back({posting_[slot.vertex - first_], false});
  program_.requirement_begin.push_back(program_.requirements.size());
}

void Program::require(VertexId on, DepKind kind) {
  const Vertex& vertex = graph_.vertices[on];
  const bool at_release = kind == DepKind::released || kind == DepKind::posted;
  const bool start_only =
      kind == DepKind::requires_start || (at_release && vertex.kind == Kind::send &&
                                          !vertex.blocking && is_rendezvous(vertex, eager_limit_));
  program_.requirements.push_back({place_[on - first_], start_only});
}

}  // namespace latitude::graph::goal
