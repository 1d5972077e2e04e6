#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {

using MessageId = std::uint32_t;
inline constexpr MessageId kNoMessage = std::numeric_limits<MessageId>::max();

/// T(L) in which each stretch with latencies of a message is edge 1 of a node of its own: a *hop*.
/// θ is L of class 0, the other classes as far from it as in the network.
struct MessageGraph {
  AffineDag dag;
  /// Of each node: the message whose latencies its edge 1 has, or kNoMessage.
  std::vector<MessageId> message;
  /// Of each node: how many of them.
  std::vector<std::uint8_t> latencies;
  /// Receive vertex of each message. Messages are numbered by their first hops, in the order of
  /// the nodes: a path that has been through one message can only meet later ones, or (readings
  /// with a notice, where messages enter in turn) come back to one that it has been through.
  std::vector<graph::VertexId> receive;
};

/// Which joins besides hops are nodes: `needed` drops an instant that another one covers whichever
/// message is late, `all` keeps the paths that end there.
enum class Joins : std::uint8_t { needed, all };

/// InputError as compile().
MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins = Joins::needed);

/// ns by message; what follows is working memory.
class Slack {
 public:
  explicit Slack(std::size_t values) : values_(values) {}
  double* data() const noexcept { return values_.data(); }
  double operator[](std::size_t message) const noexcept { return values_.data()[message]; }

 private:
  Values values_;
};

/// A MessageGraph made ready to be asked for the slack of all messages at many θ.
class MessageDag {
 public:
  explicit MessageDag(MessageGraph messages);

  /// Receive vertex of each message.
  const std::vector<graph::VertexId>& receives() const noexcept { return receives_; }

  /// The largest δ (ns) that can be added to each latency of a message, of this one alone, before
  /// T grows (docs/model.md): the least of (T − T_k) / k over k ≥ 1, T_k the longest path with k of
  /// the message's latencies.
  Slack slack(double theta) const;

  /// A message of several hops.
  struct Several {
    static constexpr std::size_t kMost = 4;
    std::uint32_t hop[kMost] = {};
    NodeId node[kMost] = {};
    std::uint8_t latencies[kMost] = {};
    std::uint8_t hops = 0;
  };

 private:
  /// The hops of all messages, numbered: the first of each like the message, the others behind.
  struct Hops {
    explicit Hops(const MessageGraph& messages);

    std::vector<Several> several;
    std::vector<std::uint32_t> of_node;  ///< `count` where a node has none
    std::size_t count = 0;
  };

  MessageDag(MessageGraph&& messages, Hops hops);

  std::vector<graph::VertexId> receives_;
  std::vector<Several> several_;
  std::size_t hops_ = 0;
  SweepPlan plan_;  ///< steps are tagged with the number of their hop
  AffineDag dag_;   ///< kept where a path may come back to a message, else empty
};

}  // namespace latitude::solve
