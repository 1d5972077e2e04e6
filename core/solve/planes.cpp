#include "core/solve/planes.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

using graph::kNoVertex;
using graph::VertexId;

/// A cost on any network, without its message.
struct Amounts {
  explicit Amounts(const Cost& cost, model::ClassId link)
      : number{cost.ns, cost.latencies, cost.overheads, cost.bytes, cost.copied, cost.gaps},
        link(link),
        recorded(cost.recorded) {}

  std::array<double, 6> number;
  model::ClassId link;
  bool recorded;

  /// Whether the cost contains no price of the network.
  bool constant() const {
    return std::all_of(number.begin() + 1, number.end(), [](double n) { return n == 0; });
  }
  bool operator==(const Amounts&) const = default;
};

struct HashOfAmounts {
  std::size_t operator()(const Amounts& amounts) const {
    std::size_t hash = amounts.link * std::size_t{2} + (amounts.recorded ? 1 : 0);
    for (const double number : amounts.number) hash = hash * 31 + std::hash<double>()(number);
    return hash;
  }
};

void check_fits(std::span<const Parameter> parameters, std::size_t classes) {
  for (const Parameter& parameter : parameters) {
    const std::array sizes = {parameter.latency.size(), parameter.gap.size(),
                              parameter.overhead.size(), parameter.spacing.size()};
    if (std::ranges::all_of(sizes, [&](std::size_t n) { return n == classes; })) continue;
    throw InputError("a parameter needs each of its prices for each link class: " +
                     std::to_string(classes));
  }
}

}  // namespace

/// Algebra of Lowering: an instant is the number of its step.
class Planes::Recording {
 public:
  /// One number, because two that are written apart and copied together would delay the processor.
  class Instant {
   public:
    Instant(std::uint32_t step = 0, VertexId ended = kNoVertex)  // NOLINT(*-explicit-*): a number
        : bits_(std::uint64_t{ended} << 32 | step) {}
    std::uint32_t step() const { return static_cast<std::uint32_t>(bits_); }
    /// The vertex that ends with it, if any.
    VertexId ended() const { return static_cast<VertexId>(bits_ >> 32); }

   private:
    std::uint64_t bits_;
  };

  Recording(const model::Network& network, Planes& into)
      : links_(into.graph_, network), into_(into) {
    // Memory beyond the final size stays untouched, and costs nothing.
    into_.steps_.reserve(2 * into_.graph_.vertices.size() + into_.graph_.deps.size() + 1);
    into_.steps_.push_back({});
  }

  static Instant origin() { return {}; }

  Instant add(const Instant& at, const Cost& cost) {
    if (cost.calc != kNoVertex) {
      const bool takes_time = into_.graph_.vertices[cost.calc].value != 0;
      return takes_time ? step(at.step(), Step::compute, cost.calc) : at;
    }
    const Amounts amounts(cost, links_.of(cost));
    if (!amounts.constant()) return step(at.step(), Step::pay, number_of(amounts, cost));
    if (cost.ns == 0) return at;
    into_.durations_.push_back(cost.ns);
    return step(at.step(), Step::pass, static_cast<std::uint32_t>(into_.durations_.size() - 1));
  }
  Instant join(const Instant& a, const Instant& b) {
    return a.step() == b.step() ? a : step(a.step(), Step::join, b.step());
  }
  static Instant started(VertexId, const Instant& at) { return at; }
  static Instant ended(VertexId v, const Instant& at) { return {at.step(), v}; }
  void finished(const Instant& at) { into_.ends_.push_back({at.ended(), at.step()}); }

 private:
  Instant step(std::uint32_t after, Step::Kind kind, std::uint32_t with) {
    const auto number = static_cast<std::uint32_t>(into_.steps_.size());
    if (number >= Step::kMost || with >= Step::kMost) {
      throw InputError("there are too many operations for T at many prices");
    }
    into_.steps_.push_back({after, kind, with & (Step::kMost - 1)});
    return number;
  }

  std::uint32_t number_of(const Amounts& amounts, const Cost& cost) {
    const auto next = static_cast<std::uint32_t>(into_.costs_.size());
    const auto [found, is_new] = numbers_.try_emplace(amounts, next);
    if (is_new) into_.costs_.push_back({cost, amounts.link});
    return found->second;
  }

  Links links_;
  Planes& into_;
  std::unordered_map<Amounts, std::uint32_t, HashOfAmounts> numbers_;
};

Planes::Planes(const graph::Graph& graph, const model::Network& network)
    : graph_(graph), classes_(network.classes.size()) {
  network.check(graph.ranks());
  Recording recording(network, *this);
  Lowering<Recording>(graph, network.base, recording).run();
  std::ranges::sort(ends_, {}, &End::vertex);
}

Plane Planes::at(const model::Network& network, std::span<const Parameter> parameters) {
  network.check(graph_.ranks());
  check_fits(parameters, classes_);
  if (network.classes.size() != classes_) {
    throw InputError("a map needs the same link classes everywhere: " + std::to_string(classes_));
  }
  run(network);
  Plane plane{0, std::vector<double>(parameters.size())};
  const std::vector<std::uint32_t> path = longest_path();
  if (path.empty()) return plane;
  plane.T_ns = times_[path.back()];
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& by = parameters[k];
    for (const std::uint32_t i : path) {
      const Step& step = steps_[i];
      if (step.kind == Step::compute) {
        plane.slope[k] += computed(step) * by.compute;
      } else if (step.kind == Step::pay) {
        const auto& [cost, link] = costs_[step.with];
        plane.slope[k] += cost.latencies * by.latency[link] + cost.bytes * by.gap[link] +
                          cost.overheads * by.overhead[link] + cost.gaps * by.spacing[link];
      }
    }
  }
  return plane;
}

void Planes::run(const model::Network& network) {
  std::vector<double> price;
  price.reserve(costs_.size());
  for (const auto& [cost, link] : costs_) price.push_back(price_of(cost, network, link).ns);
  times_.resize(steps_.size());
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const double after = times_[step.after];
    switch (step.kind) {
      case Step::join:
        times_[i] = std::max(after, times_[step.with]);
        break;
      case Step::pay:
        times_[i] = after + price[step.with];
        break;
      case Step::compute:
        times_[i] = after + computed(step) * network.base.compute_scale;
        break;
      case Step::pass:
        times_[i] = after + durations_[step.with];
        break;
    }
  }
}

/// The steps that take time, in their order. Among equally late ends the first in program order
/// counts, as in a Schedule; among joined instants the first.
std::vector<std::uint32_t> Planes::longest_path() const {
  std::vector<std::uint32_t> path;
  const auto last =
      std::ranges::max_element(ends_, {}, [&](const End& end) { return times_[end.step]; });
  if (last == ends_.end()) return path;
  for (std::uint32_t i = last->step; i != 0;) {
    const Step& step = steps_[i];
    const bool joins = step.kind == Step::join;
    if (!joins) path.push_back(i);
    i = joins && times_[step.with] > times_[step.after] ? step.with : step.after;
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace latitude::solve
