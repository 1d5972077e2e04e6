#include "core/graph/goal/match.hpp"

#include "core/graph/matching.hpp"

namespace latitude::graph::goal {
namespace {

struct File {
  const std::string& name;
  const Graph& graph;
};

std::string wildcard_or(std::int32_t value) {
  return value == -1 ? "-1" : std::to_string(static_cast<std::uint32_t>(value));
}

/// "file.goal: rank 3: send 8b to 1 tag 5", for an unmatched vertex.
std::string describe(const void* user, VertexId v) {
  const auto& [name, graph] = *static_cast<const File*>(user);
  const Vertex& vertex = graph.vertices[v];
  return name + ": rank " + std::to_string(graph.rank_of(v)) +
         (vertex.kind == Kind::send ? ": send " : ": recv ") + std::to_string(vertex.value) +
         (vertex.kind == Kind::send ? "b to " : "b from ") +
         wildcard_or(static_cast<std::int32_t>(vertex.partner)) + " tag " + wildcard_or(vertex.tag);
}

Warning sizes_differ(const std::string& name, std::uint64_t receives) {
  return {"goal-receive-size",
          name + ": " + std::to_string(receives) +
              (receives == 1 ? " receive states" : " receives state") +
              " a size other than their message's; the message's size was used"};
}

}  // namespace

/// A vertex's place in the rank is its posting order: if the file's own order contradicts a
/// dependency, the dependency decides which of two is posted first.
void match_file_messages(Graph& graph, const std::string& name) {
  const File file{name, graph};
  const std::uint64_t resized = match_vertices(graph, describe, &file);
  if (resized > 0) graph.warnings.push_back(sizes_differ(name, resized));
}

}  // namespace latitude::graph::goal
