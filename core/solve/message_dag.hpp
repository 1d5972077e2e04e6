#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/values.hpp"

namespace latitude::solve {

/// T(L) with every message kept as a node of its own. θ is L of class 0, the other classes as far
/// from it as in the network.
struct MessageGraph {
  AffineDag dag;
  /// Of each node: the receive whose message comes in by its edge 1, or kNoVertex.
  std::vector<graph::VertexId> receive;
};

/// Which joins besides those of messages are nodes: `needed` drops an instant that another one
/// covers whichever message is late, `all` keeps the paths that end there.
enum class Joins : std::uint8_t { needed, all };

/// InputError as compile().
MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins = Joins::needed);

/// ns by message. One more than there are, for nodes without a message: cheaper than asking.
class Slack {
 public:
  explicit Slack(std::size_t messages) : values_(messages + 1) {}
  double* data() const noexcept { return values_.data(); }
  double operator[](std::size_t message) const noexcept { return values_.data()[message]; }

 private:
  Values values_;
};

/// A MessageGraph made ready to be asked for the slack of all messages at many θ.
class MessageDag {
 public:
  explicit MessageDag(const MessageGraph& messages);

  /// Receive vertex of each message.
  const std::vector<graph::VertexId>& receives() const noexcept { return receives_; }

  /// Extra latency (ns) that each message can take alone before T grows.
  Slack slack(double theta) const;

 private:
  std::vector<graph::VertexId> receives_;
  SweepPlan plan_;  ///< steps are tagged with the index of their message
};

}  // namespace latitude::solve
