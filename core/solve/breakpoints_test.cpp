// The parametric engine against the explicit upper envelope of all paths, on random DAGs.
#include "core/solve/breakpoints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/solve/sweep_plan.hpp"
#include "core/solve/tolerance.hpp"

namespace latitude::solve {
namespace {

AffineDag random_dag(std::mt19937_64& random, std::size_t nodes, bool prune) {
  DagBuilder builder;
  std::vector<Ref> refs{DagBuilder::origin()};
  const auto pick = [&] {
    // Near nodes are more likely, so that paths become long.
    const std::size_t back = random() % std::min<std::size_t>(refs.size(), 6);
    const Affine weight{static_cast<double>(random() % 100), static_cast<double>(random() % 3)};
    return refs[refs.size() - 1 - back].plus(weight);
  };
  for (std::size_t i = 0; i < nodes; ++i) {
    const Ref a = pick();
    const Ref b = pick();
    refs.push_back(prune ? builder.join(a, b) : builder.keep(a, b));
  }
  return builder.finish(refs.back());
}

/// All paths: for each slope the largest constant.
std::map<double, double> all_paths(const AffineDag& dag) {
  std::vector<std::map<double, double>> at(dag.nodes.size() + 1);
  at[kOrigin][0] = 0;
  const auto extend = [&](std::map<double, double>& into, Ref edge) {
    for (const auto& [slope, constant] : at[edge.node]) {
      auto [found, fresh] =
          into.try_emplace(slope + edge.weight.slope, constant + edge.weight.constant);
      if (!fresh) found->second = std::max(found->second, constant + edge.weight.constant);
    }
  };
  for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
    for (int e = 0; e < 2; ++e) extend(at[i + 1], dag.nodes[i].edge(e));
  }
  std::map<double, double> result;
  extend(result, dag.result);
  return result;
}

struct Slopes {
  double value;
  double left;
  double right;
};

Slopes envelope_at(const std::map<double, double>& paths, double theta) {
  Slopes best{-1, 0, 0};
  for (const auto& [slope, constant] : paths) {
    const double value = constant + slope * theta;
    if (value > best.value) best = {value, slope, slope};
    if (value == best.value) best.right = slope;
  }
  return best;
}

std::vector<Breakpoint> envelope_breakpoints(const std::map<double, double>& paths, double low,
                                             double high) {
  std::vector<Breakpoint> result;
  double theta = low;
  double slope = envelope_at(paths, low).right;
  for (;;) {
    double next = high;
    double next_slope = slope;
    for (const auto& [other, constant] : paths) {
      if (other <= slope) continue;
      const double crossing = (paths.at(slope) - constant) / (other - slope);
      if (crossing > theta && (crossing < next || (crossing == next && next < high))) {
        next = crossing;
        next_slope = other;
      }
    }
    if (next >= high) return result;
    result.push_back({next, paths.at(slope) + slope * next, slope, next_slope});
    theta = next;
    slope = next_slope;
  }
}

class RandomDags : public testing::TestWithParam<int> {};

TEST_P(RandomDags, CurveAndToleranceEqualTheEnvelope) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  for (int repeat = 0; repeat < 100; ++repeat) {
    const std::size_t size = 1 + random() % 200;
    const auto seed = random();
    std::mt19937_64 again(seed);
    const SweepPlan plan(random_dag(again, size, /*prune=*/true));
    again.seed(seed);
    const AffineDag full = random_dag(again, size, /*prune=*/false);
    const auto paths = all_paths(full);
    const double high = 150;
    const auto expected = envelope_breakpoints(paths, 0, high);
    const CurveFound all = curve_of(plan, 0, high, {.threads = 1U + repeat % 2});
    const std::vector<Breakpoint>& found = all.breakpoints;
    EXPECT_TRUE(all.beyond.empty());
    EXPECT_EQ(all.bound, 0);
    ASSERT_EQ(found.size(), expected.size()) << "size " << size;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].theta, expected[i].theta, 1e-9 * (1 + expected[i].theta));
      EXPECT_NEAR(found[i].value, expected[i].value, 1e-9 * expected[i].value);
      EXPECT_EQ(found[i].left, expected[i].left);
      EXPECT_EQ(found[i].right, expected[i].right);
    }
    std::vector<double> theta;
    for (int i = 0; i < 19; ++i) theta.push_back(static_cast<double>(random() % 1500) / 10);
    const auto one = plan.runtimes(theta, 1);
    for (const int lanes : {2, 3, 4, 7, 8, 13, 16}) EXPECT_EQ(plan.runtimes(theta, lanes), one);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      const Slopes wanted = envelope_at(paths, theta[i]);
      const Tangent left = plan.tangent(theta[i], Side::left);
      const Tangent right = plan.tangent(theta[i], Side::right);
      EXPECT_EQ(left.value, one[i]);
      EXPECT_NEAR(one[i], wanted.value, 1e-9 * wanted.value);
      if (left.slope == right.slope && wanted.left == wanted.right) {
        EXPECT_EQ(left.slope, wanted.left);
      }
      const double limit = wanted.value;
      const double tolerance = tolerances(plan, {&limit, 1}, 0)[0];
      if (wanted.right > 0 && theta[i] > 0) {
        EXPECT_NEAR(tolerance, theta[i], 1e-9 * theta[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDags, testing::Range(0, 100));

TEST(Breakpoints, RefuseAnEmptyInterval) {
  EXPECT_THROW(curve_of(SweepPlan({{}, DagBuilder::origin()}), 5, 5), InputError);
  EXPECT_THROW(curve_of(SweepPlan({{}, DagBuilder::origin()}), -1, 5), InputError);
  EXPECT_THROW(curve_of(SweepPlan({{}, DagBuilder::origin()}), 0, 5, {.most = 0}), InputError);
}

/// Rounds of two ranks that wait for each other, each with another amount of computation that hides
/// a message: about as many breakpoints as rounds.
AffineDag halo(std::mt19937_64& random, std::size_t rounds) {
  DagBuilder builder;
  Ref here = DagBuilder::origin();
  Ref there = DagBuilder::origin();
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto work = [&] { return Affine{static_cast<double>(random() % 150'000), 0}; };
    const Ref sent = here.plus({0, 1});
    const Ref came = there.plus({0, 1});
    here = builder.join(here.plus(work()), came);
    there = builder.join(there.plus(work()), sent);
  }
  return builder.finish(builder.join(here, there));
}

/// The bounds of T at θ: the value on the tangents, and the value on the line between the points.
std::pair<double, double> bounds_at(const SweepPlan& plan, const CurveFound& found, double low,
                                    double theta) {
  std::vector<Tangent> points{plan.tangent(low, Side::right)};
  for (const Breakpoint& b : found.breakpoints) points.push_back({b.theta, b.value, b.right});
  points.insert(points.end(), found.beyond.begin(), found.beyond.end());
  const auto after = std::ranges::upper_bound(points, theta, {}, &Tangent::theta);
  if (after == points.end()) return {points.back().at(theta), points.back().at(theta)};
  const Tangent& before = *(after - 1);
  const double share = (theta - before.theta) / (after->theta - before.theta);
  return {std::max(before.at(theta), after->at(theta)),
          before.value + share * (after->value - before.value)};
}

/// A short list against the complete one, and T itself at random points.
void expect_a_prefix_and_bounds(const SweepPlan& plan, double low, double high, std::size_t most,
                                std::mt19937_64& random) {
  const std::vector<Breakpoint> all = curve_of(plan, low, high).breakpoints;
  const CurveSearch search{.most = most};
  const CurveFound found = curve_of(plan, low, high, search);
  EXPECT_LE(found.sweeps, search.sweeps_at_most());
  ASSERT_EQ(found.breakpoints.size(), std::min(most, all.size()));
  for (std::size_t i = 0; i < found.breakpoints.size(); ++i) {
    EXPECT_EQ(found.breakpoints[i].theta, all[i].theta);
    EXPECT_EQ(found.breakpoints[i].value, all[i].value);
    EXPECT_EQ(found.breakpoints[i].left, all[i].left);
    EXPECT_EQ(found.breakpoints[i].right, all[i].right);
  }
  EXPECT_EQ(found.beyond.empty(), all.size() <= most);
  if (found.beyond.empty()) return;
  EXPECT_EQ(found.beyond.back().theta, high);
  EXPECT_LE(found.bound, search.within);
  for (int i = 0; i < 1000; ++i) {
    const double theta = low + (high - low) * std::uniform_real_distribution(0.0, 1.0)(random);
    const double runtime = plan.runtimes({&theta, 1}, 1).front();
    const auto [least, greatest] = bounds_at(plan, found, low, theta);
    EXPECT_LE(least, runtime * (1 + 1e-12)) << theta;
    EXPECT_GE(greatest, runtime * (1 - 1e-12)) << theta;
    const double apart = theta > found.breakpoints.back().theta ? found.bound : 0;
    EXPECT_LE(greatest - least, (apart + 1e-9) * runtime) << theta;
  }
}

TEST_P(RandomDags, AShortListIsTheBeginningAndTheRestIsBounded) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  for (const std::size_t most : {1, 2, 3, 7}) {
    for (const double high : {1.0, 20.0, 150.0}) {
      const SweepPlan plan(random_dag(random, 50 + random() % 150, /*prune=*/true));
      expect_a_prefix_and_bounds(plan, 0, high, most, random);
      const SweepPlan rounds(halo(random, 1 + random() % 300));
      expect_a_prefix_and_bounds(rounds, high, 1000 * high, most, random);
    }
  }
}

TEST(Breakpoints, TheFirstFewOfManyTakeAsManyPassesAsAskedFor) {
  std::mt19937_64 random(5);
  const SweepPlan plan(halo(random, 20'000));
  const CurveSearch search{.most = 100};
  const CurveFound found = curve_of(plan, 3000, 103'000, search);
  EXPECT_EQ(found.breakpoints.size(), 100);
  EXPECT_LE(found.sweeps, search.sweeps_at_most());
  EXPECT_LE(found.bound, 1e-4);
  EXPECT_GT(curve_of(plan, 3000, 103'000).sweeps, 2 * search.sweeps_at_most());
}

TEST(Breakpoints, WhatIsFoundDoesNotDependOnThreads) {
  std::mt19937_64 random(6);
  const SweepPlan plan(halo(random, 10'000));
  const CurveFound one = curve_of(plan, 0, 150'000, {.most = 50, .threads = 1});
  const CurveFound four = curve_of(plan, 0, 150'000, {.most = 50, .threads = 4});
  EXPECT_EQ(one.sweeps, four.sweeps);
  EXPECT_EQ(one.bound, four.bound);
  ASSERT_EQ(one.beyond.size(), four.beyond.size());
  for (std::size_t i = 0; i < one.beyond.size(); ++i) {
    EXPECT_EQ(one.beyond[i].theta, four.beyond[i].theta);
    EXPECT_EQ(one.beyond[i].value, four.beyond[i].value);
  }
}

TEST(Breakpoints, SaysHowFarItIs) {
  std::mt19937_64 random(7);
  const SweepPlan plan(halo(random, 500));
  std::vector<double> shares;
  curve_of(plan, 0, 150'000, {.progress = [&](double share) { shares.push_back(share); }});
  ASSERT_GT(shares.size(), 2);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GE(shares.front(), 0);
  EXPECT_NEAR(shares.back(), 1, 1e-9);
}

}  // namespace
}  // namespace latitude::solve
