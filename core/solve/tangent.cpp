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
    graph::VertexId ended = graph::kNoVertex;  ///< whose end it is, if it is one
  };

  Slopes(const graph::Graph& graph, const model::Network& network,
         std::span<const Parameter> parameters)
      : graph_(graph), network_(network), links_(graph, network), rows_(network.classes.size()) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Parameter& parameter = parameters[k];
      for (std::size_t c = 0; c < network.classes.size(); ++c) {
        rows_[c].latency[k] = parameter.latency[c];
        rows_[c].gap[k] = parameter.gap[c];
        rows_[c].overhead[k] = parameter.overhead[c];
        rows_[c].spacing[k] = parameter.spacing[c];
      }
      compute_[k] = parameter.compute;
    }
  }

  static Instant origin() { return {}; }

  Instant add(Instant at, const Cost& cost) const {
    const model::ClassId link = links_.of(cost);
    at.ns += price_of(cost, network_, link).ns;
    const double computed =
        cost.calc == graph::kNoVertex ? 0.0 : static_cast<double>(graph_.vertices[cost.calc].value);
    const Rows& of = rows_[link];
    for (std::size_t k = 0; k < K; ++k) {
      at.slope[k] += cost.latencies * of.latency[k] + cost.bytes * of.gap[k] +
                     cost.overheads * of.overhead[k] + cost.gaps * of.spacing[k] +
                     computed * compute_[k];
    }
    return at;
  }

  static Instant join(const Instant& a, const Instant& b) { return b.ns > a.ns ? b : a; }
  static Instant started(graph::VertexId, const Instant& at) { return at; }
  static Instant ended(graph::VertexId v, Instant at) {
    at.ended = v;
    return at;
  }
  /// As Schedule does, so that both find the same of paths that are equally long.
  void finished(const Instant& at) {
    const bool first = at.ns == last_.ns && at.ended < last_.ended;
    if (at.ns > last_.ns || first) last_ = at;
  }

  const Instant& last() const { return last_; }

 private:
  struct Rows {
    Row latency{};
    Row gap{};
    Row overhead{};
    Row spacing{};
  };

  const graph::Graph& graph_;
  const model::Network& network_;
  Links links_;
  std::vector<Rows> rows_;  ///< by link class
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
    const std::array sizes = {parameter.latency.size(), parameter.gap.size(),
                              parameter.overhead.size(), parameter.spacing.size()};
    const bool fits = std::ranges::all_of(sizes, [&](std::size_t n) { return n == classes; });
    if (fits) continue;
    throw InputError("a parameter needs each of its prices for each link class: " +
                     std::to_string(classes));
  }
  constexpr std::size_t few = kMostParameters / 4;  // instants of the usual two stay small
  return parameters.size() <= few ? tangent_of<few>(graph, network, parameters)
                                  : tangent_of<kMostParameters>(graph, network, parameters);
}

}  // namespace latitude::solve
