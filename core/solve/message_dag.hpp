#pragma once

#include <vector>

#include "core/graph/graph.hpp"
#include "core/model/network.hpp"
#include "core/solve/affine_dag.hpp"

namespace latitude::solve {

/// T(L) with a node kept for every message: node i + 1 is the receive `receive[i]`, whose edge 1 is
/// the message's arrival, or an ordinary join where that is kNoVertex.
struct MessageDag {
  AffineDag dag;
  std::vector<graph::VertexId> receive;
};

/// θ is L of class 0, the other classes as far from it as in `network`.
MessageDag compile_messages(const graph::Graph& graph, const model::Network& network);

/// Extra latency (ns) that each message can take alone before T grows, by node of the DAG; the
/// values of nodes that are no message mean nothing.
std::vector<double> slack(const MessageDag& messages, double theta);

}  // namespace latitude::solve
