#include "core/solve/message_dag.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

#include "core/solve/building.hpp"

namespace latitude::solve {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

class BuildingMessages : public Building {
 public:
  BuildingMessages(Prices prices, Joins joins) : Building(std::move(prices)), joins_(joins) {}

  Ref join(Ref a, Ref b) {
    return joins_ == Joins::all && a.exists() && b.exists() ? builder_.keep(a, b)
                                                            : builder_.join(a, b);
  }

  /// A node even where the message is never late: alone, it may become so.
  Ref join_message(Ref cpu, Ref arrival, graph::VertexId recv) {
    const Ref node = builder_.keep(cpu, arrival);
    receive_.resize(node.node - 1, graph::kNoVertex);
    receive_.push_back(recv);
    return node;
  }

  void finished(Ref at) { result_ = join(result_, at); }

  MessageGraph finish_messages() {
    AffineDag dag = finish();
    receive_.resize(dag.nodes.size(), graph::kNoVertex);
    return {std::move(dag), std::move(receive_)};
  }

 private:
  Joins joins_;
  std::vector<graph::VertexId> receive_;
};

std::vector<graph::VertexId> receives_of(const MessageGraph& messages) {
  std::vector<graph::VertexId> receives;
  std::ranges::copy_if(messages.receive, std::back_inserter(receives),
                       [](graph::VertexId v) { return v != graph::kNoVertex; });
  return receives;
}

/// Index of the message of each node, in the order of the nodes; one too many where it has none.
std::vector<std::uint32_t> message_of_node(const MessageGraph& messages, std::size_t count) {
  std::vector<std::uint32_t> index;
  index.reserve(messages.receive.size());
  std::uint32_t next = 0;
  for (const graph::VertexId recv : messages.receive) {
    index.push_back(recv != graph::kNoVertex ? next++ : static_cast<std::uint32_t>(count));
  }
  return index;
}

}  // namespace

MessageGraph compile_messages(const graph::Graph& graph, const model::Network& network,
                              Joins joins) {
  network.check(graph.ranks());
  BuildingMessages algebra(Prices(graph, network, direction(network, model::Theta::L)), joins);
  Lowering<BuildingMessages>(graph, network.base, algebra).run();
  return algebra.finish_messages();
}

MessageDag::MessageDag(const MessageGraph& messages)
    : receives_(receives_of(messages)),
      plan_(messages.dag, message_of_node(messages, receives_.size())) {}

std::vector<double> MessageDag::slack(double theta) const {
  const auto weight = [theta](const SweepPlan::Step& step, int i) {
    return step.constant[i] + step.slope[i] * theta;
  };
  // First when each message arrives; then its slack. The last one is for nodes without a message,
  // which costs less than asking.
  std::vector<double> slack(receives_.size() + 1);
  std::vector<double> head(plan_.slots());  // longest path from time zero to the slot's node
  for (const SweepPlan::Step& step : plan_.steps()) {
    const double arrival = head[step.from[1]] + weight(step, 1);
    head[step.to] = std::max(head[step.from[0]] + weight(step, 0), arrival);
    slack[step.tag] = arrival;
  }
  const double onward = plan_.result_weight().at(theta);
  const double runtime = head[plan_.result_slot()] + onward;

  std::vector<double> tail(plan_.slots(), kNever);  // from the slot's node to the result
  tail[plan_.result_slot()] = onward;
  for (const SweepPlan::Step& step : std::views::reverse(plan_.steps())) {
    const double after = std::exchange(tail[step.to], kNever);
    double& first = tail[step.from[0]];
    first = std::max(first, after + weight(step, 0));
    double& second = tail[step.from[1]];
    second = std::max(second, after + weight(step, 1));
    slack[step.tag] = std::max(0.0, runtime - (slack[step.tag] + after));
  }
  slack.pop_back();
  return slack;
}

}  // namespace latitude::solve
