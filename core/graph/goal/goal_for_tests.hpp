#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.hpp"
#include "core/graph/goal/goal.hpp"
#include "core/temporary_folder_for_tests.hpp"

namespace latitude::graph::goal {

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline Graph parse(const std::string& text) { return parse_goal_text(text, "t.goal"); }

inline Graph parse_bytes(const std::string& bytes) {
  return parse_goal_binary(std::as_bytes(std::span(bytes)), "t.bin");
}

/// The message of the InputError that `action` throws.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

/// "l5". (GCC 12 reports an overlap in "l" + std::to_string(…) that does not exist.)
inline std::string label(int number) { return std::string("l").append(std::to_string(number)); }

/// Everything in a GOAL graph, in comparable form; the dependencies of a vertex are in index order.
struct Canonical {
  using Row = std::tuple<Kind, std::int64_t, VertexId, std::int32_t, std::uint32_t, std::uint32_t,
                         std::vector<std::pair<VertexId, DepKind>>>;
  std::vector<VertexId> rank_begin;
  std::vector<Row> rows;

  explicit Canonical(const Graph& graph) : rank_begin(graph.rank_begin) {
    for (VertexId v = 0; v < graph.vertices.size(); ++v) {
      const Vertex& vertex = graph.vertices[v];
      std::vector<std::pair<VertexId, DepKind>> deps;
      for (const Dep& dep : graph.deps_of(v)) deps.emplace_back(dep.vertex, dep.kind);
      std::ranges::sort(deps);
      rows.emplace_back(
          vertex.kind, vertex.value, vertex.partner, vertex.tag, graph.unit_of(v).line.number,
          vertex.kind == Kind::calc ? 0 : graph.unit_of(v).nic.number, std::move(deps));
    }
  }
  bool operator==(const Canonical&) const = default;
};

constexpr std::uint64_t kNoLimit = UINT64_MAX;  ///< every message is eager

inline std::string as_text(const Graph& graph, std::uint64_t eager_limit = kNoLimit) {
  const TemporaryFolder folder;
  write_goal_text(graph, folder / "g.goal", eager_limit);
  return contents(folder / "g.goal");
}

inline std::string as_bytes(const Graph& graph, std::uint64_t eager_limit = kNoLimit) {
  const TemporaryFolder folder;
  write_goal_binary(graph, folder / "g.bin", eager_limit);
  return contents(folder / "g.bin");
}

}  // namespace latitude::graph::goal
