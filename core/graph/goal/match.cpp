#include "core/graph/goal/match.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/graph/matching.hpp"
#include "core/trace/event.hpp"

namespace latitude::graph::goal {
namespace {

struct File {
  const std::string& name;
  const Graph& graph;
  const std::vector<std::int32_t>& peers;
};

std::string wildcard_or(std::int32_t value) {
  return value == -1 ? "-1" : std::to_string(static_cast<std::uint32_t>(value));
}

/// "file.goal: rank 3: send 8b to 1 tag 5"
std::string describe(const void* user, VertexId v) {
  const auto& [name, graph, peers] = *static_cast<const File*>(user);
  const Vertex& vertex = graph.vertices[v];
  return name + ": rank " + std::to_string(graph.rank_of(v)) +
         (vertex.kind == Kind::send ? ": send " : ": recv ") + std::to_string(vertex.value) +
         (vertex.kind == Kind::send ? "b to " : "b from ") + wildcard_or(peers[v]) + " tag " +
         wildcard_or(vertex.tag);
}

/// A vertex's place in the rank is its posting order: where the file's own order contradicts a
/// dependency, the dependency says which of two is posted first.
std::vector<trace::RankPostings> postings_of(const Graph& graph,
                                             const std::vector<std::int32_t>& peers) {
  std::vector<trace::RankPostings> postings(graph.ranks());
  for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
    const auto own =
        std::span(graph.vertices)
            .subspan(graph.rank_begin[rank], graph.rank_begin[rank + 1] - graph.rank_begin[rank]);
    const auto of_kind = [&](Kind kind) {
      return static_cast<std::size_t>(std::ranges::count(own, kind, &Vertex::kind));
    };
    postings[rank].sends.reserve(of_kind(Kind::send));
    postings[rank].receives.reserve(of_kind(Kind::recv));
    for (VertexId v = graph.rank_begin[rank]; v < graph.rank_begin[rank + 1]; ++v) {
      const Vertex& vertex = graph.vertices[v];
      if (vertex.kind == Kind::calc) continue;
      auto& list = vertex.kind == Kind::send ? postings[rank].sends : postings[rank].receives;
      list.push_back({.context = 0, .peer = peers[v], .tag = vertex.tag, .id = v});
    }
  }
  return postings;
}

Warning sizes_differ(const std::string& name, std::uint64_t receives) {
  return {"goal-receive-size",
          name + ": " + std::to_string(receives) +
              (receives == 1 ? " receive states" : " receives state") +
              " a size other than their message's; the message's size was used"};
}

}  // namespace

void match_file_messages(Graph& graph, const std::string& name) {
  std::vector<std::int32_t> peers(graph.vertices.size());
  std::vector<std::int64_t> stated;  // sizes of the receives, in vertex order
  for (VertexId v = 0; v < graph.vertices.size(); ++v) {
    peers[v] = static_cast<std::int32_t>(graph.vertices[v].partner);
    graph.vertices[v].partner = kNoVertex;
    if (graph.vertices[v].kind == Kind::recv) stated.push_back(graph.vertices[v].value);
  }
  {
    std::vector<trace::RankPostings> postings = postings_of(graph, peers);
    const File file{name, graph, peers};
    match_vertices(graph, postings, 1, describe, &file);
  }
  std::uint64_t different = 0;
  auto size = stated.begin();
  for (const Vertex& vertex : graph.vertices) {
    if (vertex.kind == Kind::recv && *size++ != vertex.value) ++different;
  }
  if (different > 0) graph.warnings.push_back(sizes_differ(name, different));
}

}  // namespace latitude::graph::goal
