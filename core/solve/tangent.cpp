#include "core/solve/tangent.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.hpp"
#include "core/solve/lowering.hpp"
#include "core/solve/prices.hpp"

namespace latitude::solve {
namespace {

/// Algebra of Lowering: an instant is ns, with its slope along each of K parameters.
template <std::size_t K>
class Slopes {
 public:
  using Row = std::array<double, K>;

  struct Instant {
    double ns = 0;
    Row slope{};
  };

  Slopes(const graph::Graph& graph, const model::Network& network,
         std::span<const Parameter> parameters)
      : graph_(graph),
        network_(network),
        links_(graph, network),
        latency_(network.classes.size()),
        gap_(network.classes.size()) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Parameter& parameter = parameters[k];
      for (std::size_t c = 0; c < network.classes.size(); ++c) {
        latency_[c][k] = parameter.latency[c];
        gap_[c][k] = parameter.gap[c];
      }
      overhead_[k] = parameter.overhead;
      compute_[k] = parameter.compute;
    }
  }

  static Instant origin() { return {}; }

  Instant add(Instant at, const Cost& cost) const {
    const model::ClassId link = links_.of(cost);
    at.ns += price_of(cost, network_, link).ns;
    const double computed =
        cost.calc == graph::kNoVertex ? 0.0 : static_cast<double>(graph_.vertices[cost.calc].value);
    const Row& latency = latency_[link];
    const Row& gap = gap_[link];
    for (std::size_t k = 0; k < K; ++k) {
      at.slope[k] += cost.latencies * latency[k] + cost.bytes * gap[k] +
                     cost.overheads * overhead_[k] + computed * compute_[k];
    }
    return at;
  }

  static Instant join(const Instant& a, const Instant& b) { return b.ns > a.ns ? b : a; }
  static Instant started(graph::VertexId, const Instant& at) { return at; }
  static Instant ended(graph::VertexId, const Instant& at) { return at; }
  void finished(const Instant& at) { last_ = join(last_, at); }

  const Instant& last() const { return last_; }

 private:
  const graph::Graph& graph_;
  const model::Network& network_;
  Links links_;
  std::vector<Row> latency_;  ///< by link class
  std::vector<Row> gap_;      ///< by link class
  Row overhead_{};
  Row compute_{};
  Instant last_;
};

template <std::size_t K>
Tangent tangent_of(const graph::Graph& graph, const model::Network& network,
                   std::span<const Parameter> parameters) {
  Slopes<K> slopes(graph, network, parameters);
  Lowering<Slopes<K>>(graph, network.base, slopes).run();
  const auto& last = slopes.last();
  return {last.ns, {last.slope.begin(), last.slope.begin() + std::ssize(parameters)}};
}

}  // namespace

Tangent tangent(const graph::Graph& graph, const model::Network& network,
                std::span<const Parameter> parameters) {
  network.check(graph.ranks());
  if (parameters.size() > kMostParameters) {
    throw InputError("at most " + std::to_string(kMostParameters) + " parameters, not " +
                     std::to_string(parameters.size()));
  }
  const std::size_t classes = network.classes.size();
  for (const Parameter& parameter : parameters) {
    if (parameter.latency.size() == classes && parameter.gap.size() == classes) continue;
    throw InputError("a parameter needs one latency and one gap a link class: " +
                     std::to_string(classes));
  }
  constexpr std::size_t few = kMostParameters / 4;  // instants of the usual two stay small
  return parameters.size() <= few ? tangent_of<few>(graph, network, parameters)
                                  : tangent_of<kMostParameters>(graph, network, parameters);
}

}  // namespace latitude::solve
