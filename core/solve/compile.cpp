#include "core/solve/compile.hpp"

#include <utility>

#include "core/solve/lowering.hpp"
#include "core/solve/message_dag.hpp"

namespace latitude::solve {
namespace {

/// An instant is a reference into the DAG being built.
class Building {
 public:
  using Instant = Ref;

  explicit Building(Prices prices, Keep keep = Keep::needed)
      : prices_(std::move(prices)), builder_(keep) {}

  static Ref origin() { return DagBuilder::origin(); }
  Ref add(Ref at, const Cost& cost) const { return DagBuilder::add(at, prices_.of(cost)); }
  Ref join(Ref a, Ref b) { return builder_.join(a, b); }
  Ref join_message(Ref cpu, Ref arrival, graph::VertexId) { return builder_.join(cpu, arrival); }
  static Ref started(graph::VertexId, Ref at) { return at; }
  static Ref ended(graph::VertexId, Ref at) { return at; }
  void finished(Ref at) { result_ = builder_.join(result_, at); }

  AffineDag finish() { return builder_.finish(result_); }

 protected:
  Prices prices_;
  DagBuilder builder_;
  Ref result_;
};

class BuildingMessages : public Building {
 public:
  explicit BuildingMessages(Prices prices) : Building(std::move(prices), Keep::everything) {}

  Ref join_message(Ref cpu, Ref arrival, graph::VertexId recv) {
    const Ref node = builder_.join(cpu, arrival);
    receive_.resize(node.node - 1, graph::kNoVertex);
    receive_.push_back(recv);
    return node;
  }

  MessageDag finish_messages() {
    AffineDag dag = finish();
    receive_.resize(dag.nodes.size(), graph::kNoVertex);
    return {std::move(dag), std::move(receive_)};
  }

 private:
  std::vector<graph::VertexId> receive_;
};

}  // namespace

AffineDag compile(const graph::Graph& graph, const model::Network& network, Direction direction) {
  network.check(graph.ranks());
  Building algebra(Prices(graph, network, std::move(direction)));
  Lowering<Building>(graph, network.base, algebra).run();
  return algebra.finish();
}

MessageDag compile_messages(const graph::Graph& graph, const model::Network& network) {
  network.check(graph.ranks());
  BuildingMessages algebra(Prices(graph, network, direction(network, model::Theta::L)));
  Lowering<BuildingMessages>(graph, network.base, algebra).run();
  return algebra.finish_messages();
}

}  // namespace latitude::solve
