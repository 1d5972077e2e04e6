#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/solve/random/compile.hpp"
#include "core/solve/random/plan.hpp"

namespace latitude::solve {

/// The share of each group of messages on the critical path.
struct GroupCriticality {
  std::vector<std::uint64_t> samples;    ///< number of samples with a message of the group
  std::vector<std::uint64_t> latencies;  ///< number of the group's latencies, over all samples
};

struct CriticalSamples {
  std::vector<double> runtimes;             ///< T of the samples, ns
  std::vector<GroupCriticality> groupings;  ///< one for each grouping
};

/// A compiled graph with its tables.
class Sampler {
 public:
  /// `latency` (ns) and `noise` (factors) are kTableSize values within the model's bounds.
  Sampler(std::shared_ptr<const RandomPlan> plan, const RandomModel& model, double quantum,
          std::span<const double> latency, std::span<const double> noise);

  /// T, ns, of samples first … first + count − 1. The numbers do not depend on threads and lanes
  /// (1, 2, 4, 8 or 16). Apart from the result, the memory does not grow with `count`.
  std::vector<double> runtimes(std::uint64_t seed, std::uint64_t first, std::size_t count,
                               unsigned threads, int lanes) const;

  /// As runtimes(), with the critical messages of the samples, by groups: group_of[v] is the group
  /// of the message that vertex v receives, kNoGroup for none.
  CriticalSamples critical(std::uint64_t seed, std::uint64_t first, std::size_t count,
                           unsigned threads,
                           std::span<const std::span<const std::uint32_t>> group_of) const;
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;
  /// The least length of each grouping.
  std::size_t vertices_needed() const noexcept;

  /// T if every draw is its mean. E[T] is no less, by Jensen's inequality, because T is convex in
  /// all draws.
  double at_means() const;
  /// T if every draw is the largest: no sample exceeds it.
  double at_most() const;

  const RandomPlan& plan() const noexcept { return *plan_; }
  std::shared_ptr<const RandomPlan> shared_plan() const noexcept { return plan_; }

 private:
  double at(double latency, double noise) const;

  std::shared_ptr<const RandomPlan> plan_;
  std::vector<double> tables_;  ///< in the order of RandomPlan: latencies, factors, zeros
};

}  // namespace latitude::solve
