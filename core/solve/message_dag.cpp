#include "core/solve/message_dag.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Algebra of Lowering: a reference into the DAG, and the latencies of a message on the way from
/// there that are not the edge of a node yet.
class BuildingMessages {
 public:
  struct Instant {
    Ref at;
    graph::VertexId receive = graph::kNoVertex;
    std::uint8_t latencies = 0;
  };

  BuildingMessages(const graph::Graph& graph, Prices prices, Joins joins)
      : prices_(std::move(prices)), joins_(joins), message_of_(graph.vertices.size(), kNoMessage) {
    const std::size_t messages = graph.messages();
    messages_.receive.reserve(messages);
    builder_.expect(3 * messages);  // a hop, and where others join it
    messages_.message.reserve(3 * messages);
    messages_.latencies.reserve(3 * messages);
  }

  static Instant origin() { return {DagBuilder::origin()}; }

  Instant add(Instant at, const Cost& cost) {
    const bool flies = cost.latencies > 0 && cost.message != graph::kNoVertex;
    if (flies) at = settled(at);
    at.at = DagBuilder::add(at.at, prices_.of(cost));
    if (flies) {
      at.receive = cost.message;
      at.latencies = static_cast<std::uint8_t>(cost.latencies);
    }
    return at;
  }

  Instant join(const Instant& a, const Instant& b) {
    if (b.latencies > 0) return hop(settled(a).at, b);
    if (a.latencies > 0) return hop(b.at, a);
    const bool keep = joins_ == Joins::all && a.at.exists() && b.at.exists();
    return {keep ? builder_.keep(a.at, b.at) : builder_.join(a.at, b.at)};
  }

  static Instant started(graph::VertexId, const Instant& at) { return at; }
  Instant entered(graph::VertexId, const Instant& at) { return settled(at); }
  Instant ended(graph::VertexId, const Instant& at) { return settled(at); }
  void finished(const Instant& at) { result_ = join(result_, at); }

  MessageGraph finish() {
    messages_.dag = builder_.finish(result_.at);
    grow(messages_.dag.nodes.size());
    return std::move(messages_);
  }

 private:
  /// The same with its latencies, if any, on the edge of a node.
  Instant settled(const Instant& at) {
    return at.latencies == 0 ? at : hop({kOrigin, {kNever, 0}}, at);
  }

  /// A node even where the message is never late: alone, it may become so.
  Instant hop(const Ref& other, const Instant& at) {
    const Ref node = builder_.keep(other, at.at);
    grow(node.node);
    MessageId& message = message_of_[at.receive];
    if (message == kNoMessage) {
      message = static_cast<MessageId>(messages_.receive.size());
      messages_.receive.push_back(at.receive);
    }
    messages_.message.back() = message;
    messages_.latencies.back() = at.latencies;
    return {node};
  }

  void grow(std::size_t nodes) {
    messages_.message.resize(nodes, kNoMessage);
    messages_.latencies.resize(nodes);
  }

  Prices prices_;
  Joins joins_;
  DagBuilder builder_;
  Instant result_;
  MessageGraph messages_;
  std::vector<MessageId> message_of_;  ///< by receive vertex
};

using Step = SweepPlan::Step;

/// How long the longest path to each hop is, by tag.
void fill_arrivals(std::span<const Step> steps, double theta, double* __restrict head,
                   double* __restrict arrival) {
  for (const Step& step : steps) {
    const double first = head[step.from[0]] + (step.constant[0] + step.slope[0] * theta);
    const double second = head[step.from[1]] + (step.constant[1] + step.slope[1] * theta);
    head[step.to] = first > second ? first : second;
    arrival[step.tag] = second;
  }
}

/// From there to how much shorter than T the longest path through each hop is.
void fill_left(std::span<const Step> steps, double theta, double runtime, double* __restrict tail,
               double* __restrict left) {
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Step& step = steps[i];
    const double onward = tail[step.to];
    tail[step.to] = kNever;
    const double first = onward + (step.constant[0] + step.slope[0] * theta);
    const double second = onward + (step.constant[1] + step.slope[1] * theta);
    const double before = tail[step.from[0]];
    tail[step.from[0]] = before > first ? before : first;
    const double other = tail[step.from[1]];
    tail[step.from[1]] = other > second ? other : second;
    const double over = runtime - (left[step.tag] + onward);
    left[step.tag] = over > 0 ? over : 0;
  }
}

using Several = MessageDag::Several;

/// What the hops of a message are, in the order of their nodes. A rendezvous has its request first:
/// that node is the match, from which only the next two hops go on, to the end of the send and to
/// the data. In `sync` there is but one hop on a path.
enum Hop : std::uint8_t { kRequest, kSender, kData, kNotice };

bool handshakes(const Several& message) { return message.hops > kData; }
bool has_notice(const Several& message) { return message.hops > kNotice; }

/// How much earlier than the match the request is there. Only the two hops go on from the match.
double early(const Several& message, const double* left) {
  const double after = std::min(left[message.hop[kSender]], left[message.hop[kData]]);
  return std::max(0.0, left[message.hop[kRequest]] - after);
}

/// The slack of a message by the paths that have its request, or not, and one hop more. A path that
/// reaches the match from the receiver's side, if it is the later one, has one latency fewer; if it
/// is not, counting the longer one with fewer latencies than it has changes nothing, for that one
/// with all of them allows less.
double without_coming_back(const Several& message, const double* left) {
  double slack = std::numeric_limits<double>::infinity();
  for (std::uint8_t i = 0; i < message.hops; ++i) {
    if (i == kRequest && handshakes(message)) continue;  // no path ends at the match
    slack = std::min(slack, left[message.hop[i]] / message.latencies[i]);
  }
  if (!handshakes(message)) return slack;
  const double wait = early(message, left);
  for (const Hop i : {kSender, kData}) {
    const int latencies = message.latencies[kRequest] + message.latencies[i];
    slack = std::min(slack, (left[message.hop[i]] + wait) / latencies);
  }
  return slack;
}

/// Paths with a notice and other hops of its message: straight through the data, or from the end of
/// the send over messages that enter the receiver before this one's data, which it then has waited
/// for. The way from there is searched for, backwards and only where it can matter.
class ComingBack {
 public:
  ComingBack(const AffineDag& dag, double theta)
      : dag_(dag), theta_(theta), head_(dag.nodes.size() + 1) {
    for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
      const NodeId node = static_cast<NodeId>(i + 1);
      head_[node] = std::max(through(node, 0), through(node, 1));
    }
  }

  /// `slack` by all other paths, lowered to what these allow.
  double lowered(double slack, const Several& message, const double* left) const {
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
  /// `slack`, or what a path leaves that is `left` shorter than T and has `latencies`, or that is
  /// shorter by the `wait` too and has the request's latencies besides.
  static double least(double slack, double left, double wait, int latencies,
                      const Several& message) {
    const int with_request = message.latencies[kRequest] + latencies;
    return std::min({slack, left / latencies, (left + wait) / with_request});
  }

  double weight(NodeId node, int edge) const {
    return dag_.nodes[node - 1].edge(edge).weight.at(theta_);
  }
  double through(NodeId node, int edge) const {
    return head_[dag_.nodes[node - 1].from[edge]] + weight(node, edge);
  }

  /// The longest way from `from` to edge 0 of `to`, if it is on a path to `to` that is longer than
  /// `above`; else kNever.
  double longest(NodeId from, NodeId to, double above) const {
    std::map<NodeId, double, std::greater<>> way;  // from the node to `to`, the latest node first
    const auto reach = [&](NodeId node, int edge, double onward) {
      const NodeId before = dag_.nodes[node - 1].from[edge];
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
    return kNever;
  }

  const AffineDag& dag_;
  double theta_;
  std::vector<double> head_;  ///< longest path from time zero to each node
};

}  // namespace

MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins) {
  network.check(graph.ranks());
  BuildingMessages algebra(graph, Prices(graph, network, direction(network, model::Theta::L)),
                           joins);
  Lowering<BuildingMessages>(graph, network.base, algebra).run();
  return algebra.finish();
}

MessageDag::Hops::Hops(const MessageGraph& messages) {
  constexpr std::uint32_t kNone = 0xffffffffU;
  const std::size_t known = messages.receive.size();
  std::vector<bool> met(known);
  std::vector<std::uint32_t> at(known, kNone);
  for (const MessageId message : messages.message) {
    if (message == kNoMessage) continue;
    ++count;
    if (met[message] && at[message] == kNone) {
      at[message] = static_cast<std::uint32_t>(several.size());
      several.emplace_back();
    }
    met[message] = true;
  }
  auto next = static_cast<std::uint32_t>(known);
  of_node.reserve(messages.message.size());
  for (std::size_t i = 0; i < messages.message.size(); ++i) {
    const MessageId message = messages.message[i];
    if (message == kNoMessage) {
      of_node.push_back(static_cast<std::uint32_t>(count));
    } else if (at[message] == kNone) {
      of_node.push_back(message);
    } else {
      Several& own = several[at[message]];
      of_node.push_back(own.hops == 0 ? message : next++);
      own.hop[own.hops] = of_node.back();
      own.node[own.hops] = static_cast<NodeId>(i + 1);
      own.latencies[own.hops] = messages.latencies[i];
      ++own.hops;
    }
  }
}

MessageDag::MessageDag(MessageGraph messages) : MessageDag(std::move(messages), Hops(messages)) {}

MessageDag::MessageDag(MessageGraph&& messages, Hops hops)
    : receives_(std::move(messages.receive)),
      several_(std::move(hops.several)),
      hops_(hops.count),
      plan_(messages.dag, hops.of_node) {
  if (std::ranges::any_of(several_, has_notice)) dag_ = std::move(messages.dag);
}

Slack MessageDag::slack(double theta) const {
  Slack slack(hops_ + 1);  // one more, for nodes without a hop: cheaper than asking
  std::vector<double> head(plan_.slots());  // longest path from time zero to the slot's node
  fill_arrivals(plan_.steps(), theta, head.data(), slack.data());
  const double onward = plan_.result_weight().at(theta);
  const double runtime = head[plan_.result_slot()] + onward;

  std::vector<double> tail(plan_.slots(), kNever);  // from the slot's node to the result
  tail[plan_.result_slot()] = onward;
  fill_left(plan_.steps(), theta, runtime, tail.data(), slack.data());

  std::optional<ComingBack> coming_back;
  if (!dag_.nodes.empty()) coming_back.emplace(dag_, theta);
  for (const Several& message : several_) {
    double own = without_coming_back(message, slack.data());
    if (has_notice(message)) own = coming_back->lowered(own, message, slack.data());
    slack.data()[message.hop[0]] = own;
  }
  return slack;
}

}  // namespace latitude::solve
