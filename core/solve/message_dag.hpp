#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/hops.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {

using MessageId = std::uint32_t;
inline constexpr MessageId kNoMessage = std::numeric_limits<MessageId>::max();

/// As Node, but slopes are numbers of latencies: a *hop* has the latencies of a message on edge 1.
/// 32 bytes.
struct MessageNode {
  MessageNode(Ref a, Ref b)
      : from{a.node, b.node},
        constant{a.weight.constant, b.weight.constant},
        slope{static_cast<std::uint8_t>(a.weight.slope),
              static_cast<std::uint8_t>(b.weight.slope)} {}

  NodeId from[2];
  double constant[2];
  MessageId message = kNoMessage;  ///< the message of a hop
  std::uint8_t slope[2];
  std::uint8_t latencies =
      0;  ///< number of the message's latencies on edge 1, if the node is a hop

  Ref edge(int i) const noexcept { return {from[i], {constant[i], static_cast<double>(slope[i])}}; }
};
static_assert(sizeof(MessageNode) == 32);

/// T(L) as the longest path of a DAG, as in AffineDag, but each stretch with latencies of a message
/// has a hop of its own. θ is L of class 0; the other classes keep their distance from θ.
struct MessageGraph {
  std::vector<MessageNode> nodes;
  Ref result;
  /// Receive vertex of each message. Messages are numbered by their first hops, in the order of the
  /// nodes. So a path that has passed one message can only meet later messages, or return to a
  /// message that it has passed. (It returns in rendezvous protocols with a FIN, if messages enter
  /// in turn.)
  std::vector<graph::VertexId> receive;
};

/// The joins, other than hops, that are nodes: `needed` drops an instant that another one covers
/// whichever message is late; `all` keeps the paths that end there.
enum class Joins : std::uint8_t { needed, all };

/// InputError as compile().
MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins = Joins::needed);

/// Slack by message, ns; the other elements are working memory.
class Slack {
 public:
  explicit Slack(std::size_t values) : values_(values) {}
  double* data() const noexcept { return values_.data(); }
  double operator[](std::size_t message) const noexcept { return values_.data()[message]; }

 private:
  Values values_;
};

/// A MessageGraph prepared for the slack of all messages.
class MessageDag {
 public:
  explicit MessageDag(MessageGraph messages);

  /// Receive vertex of each message.
  const std::vector<graph::VertexId>& receives() const noexcept { return receives_; }

  /// The largest δ (ns) that can be added to each latency of this message alone before T grows
  /// (docs/internals/model-details.md). It is the minimum of (T − T_k) / k, in which T_k is the
  /// longest path with k of the message's latencies.
  Slack slack(double theta) const;

 private:
  /// Numbers the hops of all messages: the first hop of each message has the message's number, and
  /// the numbers of the other hops follow.
  void number_hops();

  std::vector<graph::VertexId> receives_;
  /// Replaces messages by the numbers of their hops; `hops_` if a node is not a hop.
  std::vector<MessageNode> nodes_;
  Ref result_;
  std::vector<Hops> several_;  ///< messages of several hops
  std::uint32_t hops_ = 0;
};

}  // namespace latitude::solve
