#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/solve/critical_path.hpp"
#include "core/solve/message_dag.hpp"

namespace latitude::solve {
namespace {

/// Longest path from every node to the result, at one θ.
std::vector<double> tails(const AffineDag& dag, double theta) {
  std::vector<double> tail(dag.nodes.size() + 1, -std::numeric_limits<double>::infinity());
  tail[dag.result.node] = dag.result.weight.at(theta);
  for (std::size_t i = dag.nodes.size(); i-- > 0;) {
    for (int e = 0; e < 2; ++e) {
      const Ref edge = dag.nodes[i].edge(e);
      tail[edge.node] = std::max(tail[edge.node], tail[i + 1] + edge.weight.at(theta));
    }
  }
  return tail;
}

std::vector<double> heads(const AffineDag& dag, double theta) {
  std::vector<double> head(dag.nodes.size() + 1, 0);
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    const Ref a = dag.nodes[i].edge(0);
    const Ref b = dag.nodes[i].edge(1);
    head[i + 1] = std::max(head[a.node] + a.weight.at(theta), head[b.node] + b.weight.at(theta));
  }
  return head;
}

}  // namespace

std::vector<double> slack(const MessageDag& messages, double theta) {
  const AffineDag& dag = messages.dag;
  const std::vector<double> head = heads(dag, theta);
  const std::vector<double> tail = tails(dag, theta);
  const double runtime = head[dag.result.node] + dag.result.weight.at(theta);
  std::vector<double> result(dag.nodes.size());
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    const Ref arrival = dag.nodes[i].edge(1);
    const double through = head[arrival.node] + arrival.weight.at(theta) + tail[i + 1];
    result[i] = std::max(0.0, runtime - through);
  }
  return result;
}

MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                           const CriticalPath& path) {
  const MessageDag messages = compile_messages(graph, network);
  const std::vector<graph::VertexId>& receive = messages.receive;
  const std::vector<double> slack_of = slack(messages, network.classes[0].L);

  MessageSlack result;
  result.site_least_ns.assign(graph.sites.size(), std::numeric_limits<double>::infinity());
  const auto lower_site = [&](graph::VertexId v, double slack) {
    const std::uint32_t origin = graph.vertices[v].origin;
    if (origin == graph::kNoOrigin || graph.calls[origin].site == trace::kNoSite) return;
    double& least = result.site_least_ns[graph.calls[origin].site];
    least = std::min(least, slack);
  };
  std::unordered_map<std::uint64_t, PairSlack> pairs;
  const auto pair_of = [&](std::uint32_t source, std::uint32_t destination) -> PairSlack& {
    const std::uint64_t key = std::uint64_t{source} << 32 | destination;
    return pairs
        .try_emplace(key, PairSlack{source, destination, 0, 0,
                                    std::numeric_limits<double>::infinity(), 0, 0})
        .first->second;
  };
  for (std::size_t i = 0; i < receive.size(); ++i) {
    if (receive[i] == graph::kNoVertex) continue;
    const graph::Vertex& recv = graph.vertices[receive[i]];
    const double slack = slack_of[i];
    lower_site(receive[i], slack);
    lower_site(recv.partner, slack);
    PairSlack& pair = pair_of(graph.rank_of(recv.partner), graph.rank_of(receive[i]));
    ++pair.messages;
    pair.bytes += static_cast<std::uint64_t>(recv.value);
    pair.least_ns = std::min(pair.least_ns, slack);
    pair.mean_ns += (slack - pair.mean_ns) / static_cast<double>(pair.messages);
  }
  for (const PathStep& step : path.steps) {
    if (step.latencies == 0) continue;
    const graph::Vertex& vertex = graph.vertices[step.vertex];
    const bool sends = vertex.kind == graph::Kind::send;
    const std::uint32_t own = graph.rank_of(step.vertex);
    const std::uint32_t other = graph.rank_of(vertex.partner);
    pair_of(sends ? own : other, sends ? other : own).path_latencies += step.latencies;
  }
  result.pairs.reserve(pairs.size());
  for (const auto& [key, pair] : pairs) result.pairs.push_back(pair);
  std::ranges::sort(result.pairs, [](const PairSlack& a, const PairSlack& b) {
    return a.source != b.source ? a.source < b.source : a.destination < b.destination;
  });
  return result;
}

}  // namespace latitude::solve
