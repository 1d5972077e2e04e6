#include "core/solve/message_dag.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "core/solve/building.hpp"
#include "core/solve/lanes.hpp"

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

using Step = SweepPlan::Step;

/// When each message arrives, by its tag.
LATITUDE_EVERY_VECTOR_UNIT
void fill_arrivals(std::span<const Step> steps, double theta, double* __restrict head,
                   double* __restrict arrival) {
  for (const Step& step : steps) {
    const double first = head[step.from[0]] + (step.constant[0] + step.slope[0] * theta);
    const double second = head[step.from[1]] + (step.constant[1] + step.slope[1] * theta);
    head[step.to] = first > second ? first : second;
    arrival[step.tag] = second;
  }
}

/// From when each message arrives to its slack.
LATITUDE_EVERY_VECTOR_UNIT
void fill_slack(std::span<const Step> steps, double theta, double runtime, double* __restrict tail,
                double* __restrict slack) {
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
    const double left = runtime - (slack[step.tag] + onward);
    slack[step.tag] = left > 0 ? left : 0;
  }
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

Slack MessageDag::slack(double theta) const {
  Slack slack(receives_.size());
  std::vector<double> head(plan_.slots());  // longest path from time zero to the slot's node
  fill_arrivals(plan_.steps(), theta, head.data(), slack.data());
  const double onward = plan_.result_weight().at(theta);
  const double runtime = head[plan_.result_slot()] + onward;

  std::vector<double> tail(plan_.slots(), kNever);  // from the slot's node to the result
  tail[plan_.result_slot()] = onward;
  fill_slack(plan_.steps(), theta, runtime, tail.data(), slack.data());
  return slack;
}

}  // namespace latitude::solve
