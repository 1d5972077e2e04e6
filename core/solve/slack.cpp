#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/solve/critical_path.hpp"
#include "core/solve/message_dag.hpp"

namespace latitude::solve {
MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                           const CriticalPath& path) {
  const MessageDag messages(compile_messages(graph, network));
  const std::vector<graph::VertexId>& receive = messages.receives();
  const Slack slack_of = messages.slack(network.classes[0].L);

  MessageSlack result;
  result.receive = receive;
  result.slack_ns.assign(slack_of.data(), slack_of.data() + receive.size());
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
                                    std::numeric_limits<double>::infinity(), 0, 0, 0})
        .first->second;
  };
  for (std::size_t i = 0; i < receive.size(); ++i) {
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
    if (step.latencies == 0 && step.bytes == 0) continue;
    const graph::Vertex& vertex = graph.vertices[step.vertex];
    const bool sends = vertex.kind == graph::Kind::send;
    const std::uint32_t own = graph.rank_of(step.vertex);
    const std::uint32_t other = graph.rank_of(vertex.partner);
    PairSlack& pair = pair_of(sends ? own : other, sends ? other : own);
    pair.path_latencies += step.latencies;
    pair.path_bytes += step.bytes;
  }
  result.pairs.reserve(pairs.size());
  for (const auto& [key, pair] : pairs) result.pairs.push_back(pair);
  std::ranges::sort(result.pairs, [](const PairSlack& a, const PairSlack& b) {
    return a.source != b.source ? a.source < b.source : a.destination < b.destination;
  });
  return result;
}

}  // namespace latitude::solve
