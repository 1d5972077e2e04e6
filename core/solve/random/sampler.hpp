#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/solve/random/compile.hpp"
#include "core/solve/random/plan.hpp"

namespace latitude::solve {

/// How often the messages of each group are on the critical path.
struct GroupCriticality {
  std::vector<std::uint64_t> samples;    ///< in how many samples at least one was
  std::vector<std::uint64_t> latencies;  ///< how many latencies of them were, all samples together
};

/// A compiled graph with the tables it draws from.
class Sampler {
 public:
  /// `latency` (ns) and `noise` (factors) are kTableSize values within the model's bounds.
  Sampler(std::shared_ptr<const RandomPlan> plan, const RandomModel& model, double quantum,
          std::span<const double> latency, std::span<const double> noise);

  /// T, ns, of samples first … first + count − 1. The same numbers for any threads and lanes (1,
  /// 2, 4, 8 or 16), in memory that does not grow with `count` but for the result.
  std::vector<double> runtimes(std::uint64_t seed, std::uint64_t first, std::size_t count,
                               unsigned threads, int lanes) const;

  /// Over the same samples, by groups of messages: group_of[v] is the group of the message that
  /// vertex v receives, kNoGroup for none. One result for each grouping.
  std::vector<GroupCriticality> critical(
      std::uint64_t seed, std::uint64_t first, std::size_t count, unsigned threads,
      std::span<const std::span<const std::uint32_t>> group_of) const;
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;
  /// How long each grouping must be at least.
  std::size_t vertices_needed() const noexcept;

  /// T when every draw is its mean: E[T] is no less, by Jensen, as T is convex in all of them.
  double at_means() const;
  /// T when every draw is the largest: no sample exceeds it.
  double at_most() const;

  const RandomPlan& plan() const noexcept { return *plan_; }
  std::shared_ptr<const RandomPlan> shared_plan() const noexcept { return plan_; }

 private:
  double at(double latency, double noise) const;

  std::shared_ptr<const RandomPlan> plan_;
  std::vector<double> tables_;  ///< as RandomPlan has them: latencies, factors, zeros
};

}  // namespace latitude::solve
