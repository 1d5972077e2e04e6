#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/solve/critical_path.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// Sorts indices by `key_of(index)` < `keys`; equal ones keep their order.
template <class KeyOf>
void sort_by(std::vector<std::uint32_t>& indices, std::size_t keys, KeyOf key_of) {
  std::vector<std::size_t> place(keys + 1);
  for (const std::uint32_t i : indices) ++place[key_of(i) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<std::uint32_t> sorted(indices.size());
  for (const std::uint32_t i : indices) sorted[place[key_of(i)]++] = i;
  indices = std::move(sorted);
}

/// The messages of each pair of ranks, grouped in the order of the messages.
std::vector<PairSlack> pairs_of(const graph::Graph& graph, const MessageSlack& slack) {
  const std::vector<MessageEnds> ends = message_ends(graph, slack);
  std::vector<std::uint32_t> order(ends.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_by(order, graph.ranks(), [&](std::uint32_t i) { return ends[i].destination; });
  sort_by(order, graph.ranks(), [&](std::uint32_t i) { return ends[i].source; });

  const auto begins = [&](std::size_t k) { return k == 0 || ends[order[k]] != ends[order[k - 1]]; };
  std::size_t count = 0;
  for (std::size_t k = 0; k < order.size(); ++k) count += begins(k) ? 1 : 0;
  std::vector<PairSlack> pairs;
  pairs.reserve(count);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    if (begins(k)) {
      pairs.push_back({ends[i].source, ends[i].destination, 0, 0,
                       std::numeric_limits<double>::infinity(), 0, 0, 0});
    }
    PairSlack& pair = pairs.back();
    ++pair.messages;
    pair.bytes += graph.vertices[slack.receive[i]].value;
    pair.least_ns = std::min(pair.least_ns, slack.slack_ns[i]);
    pair.mean_ns += (slack.slack_ns[i] - pair.mean_ns) / static_cast<double>(pair.messages);
  }
  return pairs;
}

}  // namespace

std::vector<MessageEnds> message_ends(const graph::Graph& graph, const MessageSlack& slack) {
  std::vector<MessageEnds> ends;
  ends.reserve(slack.receive.size());
  for (const VertexId receive : slack.receive) {
    ends.push_back({graph.rank_of(graph.vertices[receive].partner), graph.rank_of(receive)});
  }
  return ends;
}

MessageSlack message_slack(const graph::Graph& graph, const model::Network& network) {
  return message_slack(graph, network, compile_messages(graph, network));
}

MessageSlack message_slack(const graph::Graph& graph, const model::Network& network,
                           MessageGraph messages) {
  MessageSlack result;
  {
    const MessageDag dag(std::move(messages));
    const Slack slack_of = dag.slack(network.classes[0].L);
    result.receive = dag.receives();
    result.slack_ns.assign(slack_of.data(), slack_of.data() + result.receive.size());
  }
  result.site_least_ns.assign(graph.sites.size(), std::numeric_limits<double>::infinity());
  const auto lower_site = [&](VertexId v, double slack) {
    const std::uint32_t origin = graph.vertices[v].origin;
    if (origin == graph::kNoOrigin || graph.calls[origin].site == trace::kNoSite) return;
    double& least = result.site_least_ns[graph.calls[origin].site];
    least = std::min(least, slack);
  };
  for (std::size_t i = 0; i < result.receive.size(); ++i) {
    lower_site(result.receive[i], result.slack_ns[i]);
    lower_site(graph.vertices[result.receive[i]].partner, result.slack_ns[i]);
  }
  return result;
}

void PairsOnPath::add(const PathStep& step) {
  if (step.latencies == 0 && step.bytes == 0) return;
  const graph::Vertex& vertex = graph_.vertices[step.vertex];
  if (vertex.kind == graph::Kind::transfer) return;  // of no pair
  std::uint64_t source = graph_.rank_of(step.vertex);
  std::uint64_t destination = graph_.rank_of(vertex.partner);
  if (vertex.kind != graph::Kind::send) std::swap(source, destination);
  Pair& pair = pairs_[source << 32 | destination];
  pair.latencies += step.latencies;
  pair.bytes += step.bytes;
}

void add_pairs(MessageSlack& slack, const graph::Graph& graph, const PairsOnPath& path) {
  slack.pairs = pairs_of(graph, slack);
  for (const auto& [key, on_path] : path.pairs_) {
    const std::pair<std::int64_t, std::int64_t> ends(key >> 32, key & 0xffffffffU);
    PairSlack& pair = *std::ranges::lower_bound(slack.pairs, ends, {}, [](const PairSlack& each) {
      return std::pair(each.source, each.destination);
    });
    pair.path_latencies = on_path.latencies;
    pair.path_bytes = on_path.bytes;
  }
}

}  // namespace latitude::solve
