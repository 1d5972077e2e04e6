#include "core/solve/message_dag.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/solve/hops.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/message_joins.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

/// Algebra of Lowering: messages as hops of a MessageGraph.
class BuildingMessages : public MessageJoins<BuildingMessages, Ref> {
 public:
  BuildingMessages(const graph::Graph& graph, const model::Network& network, Joins joins)
      : graph_(graph),
        network_(network.base),
        prices_(graph, network, direction(network, model::Theta::L)),
        joins_(joins) {
    const std::size_t messages = graph.messages();
    messages_.receive.reserve(messages);
    builder_.expect(3 * messages);  // a hop, and joins with other hops
  }

  void finished(const Instant& at) { result_ = join(result_, at); }

  MessageGraph finish() {
    messages_.result = result_.at.exists() ? result_.at : zero();
    messages_.nodes = builder_.take();
    return std::move(messages_);
  }

 private:
  friend MessageJoins;
  using Builder = JoinBuilder<MessageNode>;

  static Ref zero() { return Builder::origin(); }
  Affine weight(const Cost& cost) const { return prices_.of(cost); }
  Ref join_nodes(Ref a, Ref b) { return builder_.join(a, b); }
  Ref keep(Ref a, Ref b) { return builder_.keep(a, b); }
  /// Whether to keep both instants. At one node this is not needed: the covered instant ends only
  /// paths whose messages the other instant has too.
  bool keeps(Ref a, Ref b) const {
    return joins_ == Joins::all && a.exists() && b.exists() && a.node != b.node;
  }

  void hop(graph::VertexId receive, std::uint8_t latencies) {
    builder_.last().message = message_of(receive);
    builder_.last().latencies = latencies;
  }

  MessageId message_of(graph::VertexId receive) {
    const auto next = static_cast<MessageId>(messages_.receive.size());
    if (is_rendezvous(graph_.vertices[receive], network_)) {  // an eager message has one hop
      if (message_of_.empty()) message_of_.resize(graph_.vertices.size(), kNoMessage);
      MessageId& known = message_of_[receive];
      if (known != kNoMessage) return known;
      known = next;
    }
    messages_.receive.push_back(receive);
    return next;
  }

  const graph::Graph& graph_;
  const model::LogGPS& network_;
  Prices prices_;
  Joins joins_;
  Builder builder_;
  Instant result_;
  MessageGraph messages_;
  std::vector<MessageId> message_of_;  ///< by receive vertex; empty without rendezvous
};

/// The length of the longest path to each node and to each hop.
void fill_arrivals(std::span<const MessageNode> nodes, double theta, double* __restrict head,
                   double* __restrict arrival) {
  head[kOrigin] = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const MessageNode& node = nodes[i];
    const double first = head[node.from[0]] + node.edge(0).weight.at(theta);
    const double second = head[node.from[1]] + node.edge(1).weight.at(theta);
    head[i + 1] = first > second ? first : second;
    arrival[node.message] = second;
  }
}

/// Turns the arrivals at hops into the difference between T and the longest path through each hop.
/// `tail`: the length of the longest path from each node on, up to the next node.
void fill_left(std::span<const MessageNode> nodes, double theta, double runtime,
               double* __restrict tail, double* __restrict left) {
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const MessageNode& node = nodes[i];
    const double onward = tail[i + 1];
    const double first = onward + node.edge(0).weight.at(theta);
    const double second = onward + node.edge(1).weight.at(theta);
    const double before = tail[node.from[0]];
    tail[node.from[0]] = before > first ? before : first;
    const double other = tail[node.from[1]];
    tail[node.from[1]] = other > second ? other : second;
    const double over = runtime - (left[node.message] + onward);
    left[node.message] = over > 0 ? over : 0;
  }
}

/// Paths with the FIN and other hops of its message. They lead directly through the data, or from
/// the end of the send over messages that enter the receiver before the data, which then wait. The
/// way from the end of the send is searched for backwards, and only if it can matter.
class ComingBack {
 public:
  ComingBack(std::span<const MessageNode> nodes, double theta)
      : nodes_(nodes), theta_(theta), head_(nodes.size() + 1) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeId node = static_cast<NodeId>(i + 1);
      head_[node] = std::max(through(node, 0), through(node, 1));
    }
  }

  /// `slack` by all other paths, reduced to the slack that these paths allow.
  double lowered(double slack, const Hops& message, const double* left) const {
    const NodeId entry = message.node[kData];
    const double wait = early(message, left);
    const double notice = left[message.hop[kNotice]];
    const int both = message.latencies[kData] + message.latencies[kNotice];
    slack = least(slack, notice + (head_[entry] - through(entry, 1)), wait, both, message);
    const int around = message.latencies[kSender] + message.latencies[kNotice];
    const double at_least = std::max(notice, left[message.hop[kSender]]);
    if (least(slack, at_least, wait, around, message) == slack) return slack;

    const NodeId sent = message.node[kSender];
    const double room = slack * (message.latencies[kRequest] + around);
    const double way = longest(sent, entry, head_[entry] + notice - room);
    return least(slack, notice + (head_[entry] - head_[sent] - way), wait, around, message);
  }

 private:
  /// Returns the least of three slacks: `slack`; by a path that is `left` shorter than T, with
  /// `latencies`; and by a path that is also shorter by `wait`, and also has the latencies of the
  /// RTS.
  static double least(double slack, double left, double wait, int latencies, const Hops& message) {
    const int with_request = message.latencies[kRequest] + latencies;
    return std::min({slack, left / latencies, (left + wait) / with_request});
  }

  double weight(NodeId node, int edge) const {
    return nodes_[node - 1].edge(edge).weight.at(theta_);
  }
  double through(NodeId node, int edge) const {
    return head_[nodes_[node - 1].from[edge]] + weight(node, edge);
  }

  /// The longest way from `from` to edge 0 of `to`, if it is on a path to `to` that is longer than
  /// `above`; else kNoPath.
  double longest(NodeId from, NodeId to, double above) const {
    std::map<NodeId, double, std::greater<>> way;  // from the node to `to`, the latest node first
    const auto reach = [&](NodeId node, int edge, double onward) {
      const NodeId before = nodes_[node - 1].from[edge];
      const double length = onward + weight(node, edge);
      if (before < from || head_[before] + length <= above) return;
      const auto [known, fresh] = way.try_emplace(before, length);
      if (!fresh) known->second = std::max(known->second, length);
    };
    reach(to, 0, 0);
    while (!way.empty()) {
      const auto [node, onward] = *way.begin();
      if (node == from) return onward;
      way.erase(way.begin());
      for (int edge = 0; edge < 2; ++edge) reach(node, edge, onward);
    }
    return kNoPath;
  }

  std::span<const MessageNode> nodes_;
  double theta_;
  std::vector<double> head_;  ///< longest path from time zero to each node
};

}  // namespace

MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins) {
  network.check(graph.ranks());
  BuildingMessages algebra(graph, network, joins);
  Lowering<BuildingMessages>(graph, network.base, algebra).run();
  return algebra.finish();
}

MessageDag::MessageDag(MessageGraph messages)
    : receives_(std::move(messages.receive)),
      nodes_(std::move(messages.nodes)),
      result_(messages.result) {
  number_hops();
}

void MessageDag::number_hops() {
  constexpr std::uint32_t kNone = 0xffffffffU;
  const std::size_t known = receives_.size();
  std::vector<bool> met(known);
  std::vector<std::uint32_t> at(known, kNone);
  for (const MessageNode& node : nodes_) {
    const MessageId message = node.message;
    if (message == kNoMessage) continue;
    ++hops_;
    if (met[message] && at[message] == kNone) {
      at[message] = static_cast<std::uint32_t>(several_.size());
      several_.emplace_back();
    }
    met[message] = true;
  }
  auto next = static_cast<std::uint32_t>(known);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    MessageNode& node = nodes_[i];
    if (node.message == kNoMessage) {
      node.message = hops_;
    } else if (at[node.message] != kNone) {
      Hops& own = several_[at[node.message]];
      if (own.hops > 0) node.message = next++;
      own.hop[own.hops] = node.message;
      own.node[own.hops] = static_cast<NodeId>(i + 1);
      own.latencies[own.hops] = node.latencies;
      ++own.hops;
    }
  }
}

Slack MessageDag::slack(double theta) const {
  Slack slack(hops_ + 1);  // one more element, for nodes without a hop: cheaper than a check
  const std::size_t ids = nodes_.size() + 1;
  const Values values(ids);  // by node: first the longest path from time zero, later the longest
                             // path to the end
  fill_arrivals(nodes_, theta, values.data(), slack.data());
  const double onward = result_.weight.at(theta);
  const double runtime = values.data()[result_.node] + onward;

  std::fill_n(values.data(), ids, kNoPath);
  values.data()[result_.node] = onward;
  fill_left(nodes_, theta, runtime, values.data(), slack.data());

  std::optional<ComingBack> coming_back;
  if (std::ranges::any_of(several_, has_notice)) coming_back.emplace(nodes_, theta);
  for (const Hops& message : several_) {
    double own = without_coming_back(message, slack.data());
    if (has_notice(message)) own = coming_back->lowered(own, message, slack.data());
    slack.data()[message.hop[0]] = own;
  }
  return slack;
}

}  // namespace latitude::solve
