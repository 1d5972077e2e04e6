#include "core/graph/matching.hpp"

#include <vector>

namespace latitude::graph {
namespace {

class Partners {
 public:
  Partners(Graph& graph, Describe describe, const void* user, MatchingOptions options)
      : graph_(graph), describe_(describe), user_(user), options_(options) {
    if (options_.leave_open) graph_.open.resize(graph_.ranks());
  }

  /// Counts in `of` the receives whose size differs from that of their message; used by one thread.
  void count_resized(std::uint64_t& of) { resized_ = &of; }

  bool leaves_open() const { return options_.leave_open; }
  void open(std::uint32_t rank, const trace::matching::End& end, bool sent) const {
    OpenMatch& match = graph_.open[rank];
    match.rank = rank;
    (sent ? match.sends : match.receives).push_back({end.id, end.context, end.source, end.tag});
  }

  void expect(std::size_t send, std::size_t receive) const {
    __builtin_prefetch(graph_.vertices.data() + send, 1);
    __builtin_prefetch(graph_.vertices.data() + receive, 1);
  }

  void match(std::uint32_t, VertexId send, std::uint32_t, VertexId receive) const {
    Vertex& from = graph_.vertices[send];
    Vertex& to = graph_.vertices[receive];
    from.partner = receive;
    to.partner = send;
    if (options_.check_sizes && from.value > to.value) {
      refuse(receive, "takes " + std::to_string(to.value) + " B at most, its message has " +
                          std::to_string(from.value) +
                          " B; the input does not belong to one run, or is damaged");
    }
    if (resized_ != nullptr && from.value != to.value) ++*resized_;
    to.receives(from);
  }

  [[noreturn]] void no_receive(std::uint32_t, VertexId send) const {
    refuse(send, "has no matching receive; the input is incomplete or does not belong to one run");
  }
  [[noreturn]] void no_send(std::uint32_t, VertexId receive) const {
    refuse(receive, "has no matching send; the input is incomplete or does not belong to one run");
  }
  [[noreturn]] void ambiguous(std::uint32_t, VertexId receive, std::size_t senders) const {
    refuse(receive, "takes a message from any source, and the input does not say which of " +
                        std::to_string(senders) + " senders it came from; " + options_.cure);
  }

 private:
  [[noreturn]] void refuse(VertexId vertex, const std::string& why) const {
    throw InputError(describe_(user_, vertex) + " " + why);
  }

  Graph& graph_;
  Describe describe_;
  const void* user_;
  MatchingOptions options_;
  std::uint64_t* resized_ = nullptr;
};

/// The postings of each rank, as its vertices hold them until they are matched.
class Vertices {
 public:
  explicit Vertices(const Graph& graph) : graph_(graph) {}

  std::size_t ranks() const { return graph_.ranks(); }
  template <class Tell>
  void each_send(std::size_t rank, Tell tell) const {
    each(rank, Kind::send, tell);
  }
  template <class Tell>
  void each_receive(std::size_t rank, Tell tell) const {
    each(rank, Kind::recv, tell);
  }
  static void forget_sends(std::size_t) {}
  static void forget_receives(std::size_t) {}

 private:
  template <class Tell>
  void each(std::size_t rank, Kind kind, Tell tell) const {
    for (VertexId v = graph_.rank_begin[rank]; v < graph_.rank_begin[rank + 1]; ++v) {
      const Vertex& vertex = graph_.vertices[v];
      if (vertex.kind != kind) continue;
      tell(trace::Posting{0, static_cast<std::int32_t>(vertex.partner), vertex.tag, v});
    }
  }

  const Graph& graph_;
};

}  // namespace

void match_vertices(Graph& graph, std::vector<trace::RankPostings>& postings, unsigned threads,
                    Describe describe, const void* user, MatchingOptions options) {
  trace::match_messages(postings, threads, Partners(graph, describe, user, options));
  std::erase_if(graph.open, [](const OpenMatch& match) { return match.receives.empty(); });
}

std::uint64_t match_vertices(Graph& graph, Describe describe, const void* user) {
  std::uint64_t resized = 0;
  Partners partners(graph, describe, user, {});
  partners.count_resized(resized);
  trace::match_posted(Vertices(graph), 1, partners);
  return resized;
}

}  // namespace latitude::graph
