#include "core/solve/random/compile.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

/// Largest number of wire messages of a rendezvous.
constexpr std::size_t kMostWires = 5;

class RandomPrices {
 public:
  RandomPrices(const graph::Graph& graph, const model::Network& network, const RandomModel& model)
      : graph_(graph),
        prices_(graph, network, direction(network, model::Theta::L)),
        L_(network.classes[0].L),
        model_(model) {
    constexpr std::uint32_t kMostRanks = 32768;  // a pair's number has 30 bits
    if (model.per == Per::pair && graph.ranks() > kMostRanks) {
      throw InputError("latency per pair of ranks needs at most 32768 ranks; draw per message");
    }
  }

  /// The part of a cost that is not random.
  double constant(const Cost& cost) const { return noisy(cost) ? 0 : prices_.of(cost).at(L_); }

  /// Calls body(draw) for each draw of a cost.
  template <class Body>
  void each_draw(const Cost& cost, Body body) const {
    if (noisy(cost)) {
      if (cost.ns > 0) body(noise(cost.calc, cost.ns));
      return;
    }
    if (cost.message == graph::kNoVertex) return;
    if (model_.where == Where::flow) {
      const auto begin = static_cast<std::uint32_t>(cost.wire);
      const auto end = begin + static_cast<std::uint32_t>(cost.latencies);
      for (std::uint32_t wire = begin; wire < end; ++wire) body(on(cost.message, wire));
    } else {
      for (std::uint32_t wire = 1; wire < kMostWires; ++wire) {  // 0 is paid before the send
        if ((cost.posted >> wire & 1U) != 0) body(on(cost.message, wire));
      }
    }
  }

  /// Calls body(draw) if a send draws on its CPU before any other cost. A send to the rank itself
  /// posts nothing.
  template <class Body>
  void each_draw_before(graph::VertexId send, Body body) const {
    if (model_.where == Where::flow || graph_.vertices[send].kind != graph::Kind::send) return;
    const graph::VertexId recv = graph_.vertices[send].partner;
    if (graph_.rank_of(send) != graph_.rank_of(recv)) body(on(recv, 0));
  }

 private:
  bool noisy(const Cost& cost) const {
    return cost.calc != graph::kNoVertex && model_.noise.has_value();
  }

  /// The draw of wire message `wire` of the message that `recv` receives.
  Draw on(graph::VertexId recv, std::uint32_t wire) const {
    if (model_.per == Per::message) return {1, recv, wire};
    const bool answer = wire % 2 == 1;
    const graph::VertexId send = graph_.vertices[recv].partner;
    const std::uint32_t from = graph_.rank_of(answer ? recv : send);
    if (model_.per == Per::rank) return {1, recv, Draw::kShared | from};
    const std::uint32_t to = graph_.rank_of(answer ? send : recv);
    return {1, recv, Draw::kShared | (from * graph_.ranks() + to)};
  }

  Draw noise(graph::VertexId calc, double ns) const {
    if (!model_.noise_per_rank) return {ns, calc, Draw::kNoise};
    return {ns, calc, Draw::kNoise | Draw::kShared | graph_.rank_of(calc)};
  }

  const graph::Graph& graph_;
  Prices prices_;
  double L_;
  RandomModel model_;
};

/// Algebra of Lowering: T with every draw at its largest; an instant is that time.
class Latest {
 public:
  using Instant = double;

  Latest(const RandomPrices& prices, const RandomModel& model) : prices_(prices), model_(model) {}

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const {
    double sum = prices_.constant(cost);
    prices_.each_draw(cost, [&](const Draw& draw) { sum += most(draw); });
    return at + sum;
  }
  static double join(double a, double b) { return std::max(a, b); }
  double started(graph::VertexId v, double at) const {
    prices_.each_draw_before(v, [&](const Draw& draw) { at += most(draw); });
    return at;
  }
  static double ended(graph::VertexId, double at) { return at; }
  void finished(double at) { last_ = std::max(last_, at); }

  double last() const { return last_; }

 private:
  double most(const Draw& draw) const {
    return draw.coefficient * (draw.noise() ? model_.noise->high : model_.latency.high);
  }

  const RandomPrices& prices_;
  const RandomModel& model_;
  double last_ = 0;
};

class Building {
 public:
  using Instant = RandomRef;

  Building(const graph::Graph& graph, const RandomPrices& prices, const RandomModel& model,
           double quantum)
      : graph_(graph), prices_(prices), quantum_(quantum), builder_(model) {}

  static RandomRef origin() { return RandomBuilder::origin(); }
  RandomRef add(RandomRef at, const Cost& cost) {
    at.constant += quantised(prices_.constant(cost), quantum_);
    prices_.each_draw(cost, [&](const Draw& draw) { at = builder_.add(at, draw); });
    return at;
  }
  RandomRef join(const RandomRef& a, const RandomRef& b) { return builder_.join(a, b); }
  /// The start of a send has two readers: the receiver, and the CPU's next operation.
  RandomRef started(graph::VertexId v, RandomRef at) {
    if (graph_.vertices[v].kind != graph::Kind::send) return at;
    prices_.each_draw_before(v, [&](const Draw& draw) { at = builder_.add(at, draw); });
    return builder_.settled(at);
  }
  static RandomRef ended(graph::VertexId, const RandomRef& at) { return at; }
  void finished(const RandomRef& at) { result_ = builder_.join(result_, at); }

  RandomDag finish() { return builder_.finish(result_); }

 private:
  const graph::Graph& graph_;
  const RandomPrices& prices_;
  double quantum_;
  RandomBuilder builder_;
  RandomRef result_;
};

/// The largest power of two, at most 1 ns, of which `most` has fewer than 2^52 multiples.
double quantum_for(double most) {
  constexpr int kExact = 52;
  const double quantum = std::exp2(std::ilogb(std::max(most, 1.0)) + 1 - kExact);
  if (quantum > 1) {
    throw InputError(
        "the runtime may reach 52 days when every draw is the largest; its sums would not be exact "
        "any more: is the table's unit right?");
  }
  return quantum;
}

/// Widens bounds to multiples of the quantum.
Bounds widened(Bounds bounds, double quantum) {
  return {std::floor(bounds.low / quantum) * quantum, std::ceil(bounds.high / quantum) * quantum};
}

}  // namespace

double quantised(double ns, double quantum) noexcept {
  return std::nearbyint(ns / quantum) * quantum;
}

CompiledRandom compile_random(const graph::Graph& graph, const model::Network& network,
                              const RandomModel& model) {
  network.check(graph.ranks());
  const RandomPrices prices(graph, network, model);
  Latest latest(prices, model);
  Lowering<Latest>(graph, network.base, latest).run();
  const double quantum = quantum_for(latest.last());
  RandomModel exact = model;
  exact.latency = widened(model.latency, quantum);
  if (model.noise.has_value()) exact.noise = widened(*model.noise, quantum);
  Building building(graph, prices, exact, quantum);
  Lowering<Building>(graph, network.base, building).run();
  return {building.finish(), quantum};
}

}  // namespace latitude::solve
