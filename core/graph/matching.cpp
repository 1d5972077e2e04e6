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

  bool leaves_open() const { return options_.leave_open; }
  void open(std::uint32_t rank, const trace::matching::End& end, bool sent) const {
    OpenMatch& match = graph_.open[rank];
    match.rank = rank;
    (sent ? match.sends : match.receives).push_back({end.id, end.context, end.source, end.tag});
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
};

}  // namespace

void match_vertices(Graph& graph, std::vector<trace::RankPostings>& postings, unsigned threads,
                    Describe describe, const void* user, MatchingOptions options) {
  trace::match_messages(postings, threads, Partners(graph, describe, user, options));
  std::erase_if(graph.open, [](const OpenMatch& match) { return match.receives.empty(); });
}

}  // namespace latitude::graph
