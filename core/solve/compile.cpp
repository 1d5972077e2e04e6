#include "core/solve/compile.hpp"

#include <utility>

#include "core/solve/lowering.hpp"

namespace latitude::solve {
namespace {

/// An instant is a reference into the DAG being built.
class Building {
 public:
  using Instant = Ref;

  Building(const model::LogGPS& network, model::Theta theta, Keep keep = Keep::needed)
      : network_(network), theta_(theta), builder_(keep) {}

  static Ref origin() { return DagBuilder::origin(); }

  Ref add(Ref at, const Cost& cost) const {
    const double latency = cost.latencies * network_.L;
    const double overhead = cost.overheads * network_.o;
    const double gap = cost.bytes * network_.G;
    switch (theta_) {
      case model::Theta::L:
        return DagBuilder::add(at, {cost.ns + overhead + gap, cost.latencies});
      case model::Theta::G:
        return DagBuilder::add(at, {cost.ns + overhead + latency, cost.bytes});
      case model::Theta::o:
        return DagBuilder::add(at, {cost.ns + latency + gap, cost.overheads});
    }
    return at;
  }

  Ref join(Ref a, Ref b) { return builder_.join(a, b); }
  Ref join_message(Ref cpu, Ref arrival, graph::VertexId) { return builder_.join(cpu, arrival); }
  static Ref started(graph::VertexId, Ref at) { return at; }
  static Ref ended(graph::VertexId, Ref at) { return at; }
  void finished(Ref at) { result_ = builder_.join(result_, at); }

  AffineDag finish() { return builder_.finish(result_); }

 protected:
  const model::LogGPS& network_;
  model::Theta theta_;
  DagBuilder builder_;
  Ref result_;
};

class BuildingMessages : public Building {
 public:
  explicit BuildingMessages(const model::LogGPS& network)
      : Building(network, model::Theta::L, Keep::everything) {}

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

AffineDag compile(const graph::Graph& graph, const model::LogGPS& network, model::Theta theta) {
  network.check();
  Building algebra(network, theta);
  Lowering<Building>(graph, network, algebra).run();
  return algebra.finish();
}

MessageDag compile_messages(const graph::Graph& graph, const model::LogGPS& network) {
  network.check();
  BuildingMessages algebra(network);
  Lowering<BuildingMessages>(graph, network, algebra).run();
  return algebra.finish_messages();
}

}  // namespace latitude::solve
