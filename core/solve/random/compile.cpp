#include "core/solve/random/compile.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

/// Largest number of wire messages of a rendezvous.
constexpr std::size_t kMostWires = 5;

/// A cost as a constant and draws.
struct RandomCost {
  double constant = 0;
  std::uint32_t count = 0;
  std::array<Draw, kMostWires> draw{};

  void push(const Draw& d) { draw[count++] = d; }
  std::span<const Draw> draws() const { return {draw.data(), count}; }
};

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

  RandomCost of(const Cost& cost) const {
    RandomCost result;
    if (cost.calc != graph::kNoVertex && model_.noise.has_value()) {
      if (cost.ns > 0) result.push(noise(cost.calc, cost.ns));
      return result;
    }
    result.constant = prices_.of(cost).at(L_);
    if (cost.message == graph::kNoVertex) return result;
    if (model_.where == Where::flow) {
      const auto begin = static_cast<std::uint32_t>(cost.wire);
      const auto end = begin + static_cast<std::uint32_t>(cost.latencies);
      for (std::uint32_t wire = begin; wire < end; ++wire) result.push(on(cost.message, wire));
    } else {
      for (std::uint32_t wire = 1; wire < kMostWires; ++wire) {  // 0 is paid before the send
        if ((cost.posted >> wire & 1U) != 0) result.push(on(cost.message, wire));
      }
    }
    return result;
  }

  /// The cost of a send on its CPU before any other cost: none for a send to the rank itself, which
  /// posts nothing.
  RandomCost before_send(graph::VertexId send) const {
    RandomCost result;
    if (model_.where == Where::flow) return result;
    const graph::VertexId recv = graph_.vertices[send].partner;
    if (graph_.rank_of(send) != graph_.rank_of(recv)) result.push(on(recv, 0));
    return result;
  }

 private:
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

bool is_send(const graph::Graph& graph, graph::VertexId v) {
  return graph.vertices[v].kind == graph::Kind::send;
}

/// Algebra of Lowering: T with every draw at its largest; an instant is that time.
class Latest {
 public:
  using Instant = double;

  Latest(const graph::Graph& graph, const RandomPrices& prices, const RandomModel& model)
      : graph_(graph), prices_(prices), model_(model) {}

  static double origin() { return 0; }
  double add(double at, const Cost& cost) const { return at + most(prices_.of(cost)); }
  static double join(double a, double b) { return std::max(a, b); }
  double started(graph::VertexId v, double at) const {
    return is_send(graph_, v) ? at + most(prices_.before_send(v)) : at;
  }
  static double ended(graph::VertexId, double at) { return at; }
  void finished(double at) { last_ = std::max(last_, at); }

  double last() const { return last_; }

 private:
  double most(const RandomCost& cost) const {
    double sum = cost.constant;
    for (const Draw& draw : cost.draws()) {
      sum += draw.coefficient * (draw.noise() ? model_.noise->high : model_.latency.high);
    }
    return sum;
  }

  const graph::Graph& graph_;
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
  RandomRef add(const RandomRef& at, const Cost& cost) { return later(at, prices_.of(cost)); }
  RandomRef join(const RandomRef& a, const RandomRef& b) { return builder_.join(a, b); }
  /// The start of a send has two readers: the receiver, and the CPU's next operation.
  RandomRef started(graph::VertexId v, const RandomRef& at) {
    if (!is_send(graph_, v)) return at;
    return builder_.settled(later(at, prices_.before_send(v)));
  }
  static RandomRef ended(graph::VertexId, const RandomRef& at) { return at; }
  void finished(const RandomRef& at) { result_ = builder_.join(result_, at); }

  RandomDag finish() { return builder_.finish(result_); }

 private:
  RandomRef later(const RandomRef& at, const RandomCost& cost) {
    return builder_.add(at, quantised(cost.constant, quantum_), cost.draws());
  }

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
  Latest latest(graph, prices, model);
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
