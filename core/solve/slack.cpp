#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "core/graph/rank_table.hpp"
#include "core/solve/critical_path.hpp"

namespace latitude::solve {
namespace {

using graph::VertexId;

/// Messages by sending rank, in the order of the messages.
struct BySource {
  BySource(const std::vector<std::uint32_t>& source, std::size_t ranks)
      : end(ranks), message(source.size()) {
    for (const std::uint32_t rank : source) ++end[rank];
    std::exclusive_scan(end.begin(), end.end(), end.begin(), std::size_t{0});
    for (std::uint32_t i = 0; i < source.size(); ++i) message[end[source[i]]++] = i;
  }

  std::span<const std::uint32_t> of(std::uint32_t rank) const {
    const std::size_t begin = rank == 0 ? 0 : end[rank - 1];
    return std::span(message).subspan(begin, end[rank] - begin);
  }

  std::vector<std::size_t> end;  ///< by rank, in `message`
  std::vector<std::uint32_t> message;
};

/// The messages of each pair of ranks, grouped in the order of the messages.
std::vector<PairSlack> pairs_of(const graph::Graph& graph, const MessageSlack& slack) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  constexpr std::size_t kAhead = 8;
  const BySource messages(slack.source, graph.ranks());
  std::vector<std::size_t> place(graph.ranks(), kNone);  // by destination: where its pair is
  std::size_t count = 0;
  for (std::uint32_t source = 0; source < graph.ranks(); ++source) {
    for (const std::uint32_t i : messages.of(source)) {
      count += std::exchange(place[slack.destination[i]], source) != source ? 1 : 0;
    }
  }
  std::vector<PairSlack> pairs;
  pairs.reserve(count);
  std::ranges::fill(place, kNone);
  for (std::uint32_t source = 0; source < graph.ranks(); ++source) {
    const std::size_t first = pairs.size();
    const std::span<const std::uint32_t> sent = messages.of(source);
    for (std::size_t k = 0; k < sent.size(); ++k) {
      if (k + kAhead < sent.size()) {
        __builtin_prefetch(&graph.vertices[slack.receive[sent[k + kAhead]]]);
      }
      const std::uint32_t i = sent[k];
      std::size_t& own = place[slack.destination[i]];
      if (own == kNone || own < first) {
        own = pairs.size();
        pairs.push_back(
            {source, slack.destination[i], 0, 0, std::numeric_limits<double>::infinity(), 0, 0, 0});
      }
      PairSlack& pair = pairs[own];
      ++pair.messages;
      pair.bytes += graph.vertices[slack.receive[i]].value;
      pair.least_ns = std::min(pair.least_ns, slack.slack_ns[i]);
      pair.mean_ns += (slack.slack_ns[i] - pair.mean_ns) / static_cast<double>(pair.messages);
    }
    std::ranges::sort(pairs.begin() + static_cast<std::ptrdiff_t>(first), pairs.end(), {},
                      &PairSlack::destination);
  }
  return pairs;
}

/// The ranks between which each message goes.
void find_ends(const graph::Graph& graph, MessageSlack& slack) {
  const graph::RankTable ranks(graph);
  slack.source.reserve(slack.receive.size());
  slack.destination.reserve(slack.receive.size());
  for (const VertexId receive : slack.receive) {
    slack.source.push_back(ranks.rank_of(graph.vertices[receive].partner));
    slack.destination.push_back(ranks.rank_of(receive));
  }
}

/// The least slack of the messages that are sent or received at each site.
std::vector<double> least_of_sites(const graph::Graph& graph, const MessageSlack& slack) {
  std::vector<double> least(graph.sites.size(), std::numeric_limits<double>::infinity());
  if (least.empty()) return least;
  const auto lower = [&](VertexId v, double ns) {
    const std::uint32_t origin = graph.vertices[v].origin;
    if (origin == graph::kNoOrigin) return;
    const std::uint32_t site = graph.calls[origin].site;
    if (site != trace::kNoSite) least[site] = std::min(least[site], ns);
  };
  for (std::size_t i = 0; i < slack.receive.size(); ++i) {
    lower(slack.receive[i], slack.slack_ns[i]);
    lower(graph.vertices[slack.receive[i]].partner, slack.slack_ns[i]);
  }
  return least;
}

}  // namespace

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
  find_ends(graph, result);
  result.site_least_ns = least_of_sites(graph, result);
  result.pairs = pairs_of(graph, result);
  return result;
}

void PairsOnPath::add(const PathStep& step) {
  if (step.latencies == 0 && step.bytes == 0) return;
  const graph::Vertex& vertex = graph_.vertices[step.vertex];
  if (vertex.kind == graph::Kind::transfer) return;  // a transfer belongs to no pair
  std::uint64_t source = graph_.rank_of(step.vertex);
  std::uint64_t destination = graph_.rank_of(vertex.partner);
  if (vertex.kind != graph::Kind::send) std::swap(source, destination);
  Pair& pair = pairs_[source << 32 | destination];
  pair.latencies += step.latencies;
  pair.bytes += step.bytes;
}

void add_path(MessageSlack& slack, const PairsOnPath& path) {
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
