// The parametric engine against the explicit upper envelope of all paths, on random DAGs.
#include "core/solve/breakpoints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
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
    // Near ones are more likely, so that paths get long.
    const std::size_t back = random() % std::min<std::size_t>(refs.size(), 6);
    const Affine weight{static_cast<double>(random() % 100), static_cast<double>(random() % 3)};
    return DagBuilder::add(refs[refs.size() - 1 - back], weight);
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
    const auto found = breakpoints(plan, 0, high, 1 + repeat % 2);
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
  EXPECT_THROW(breakpoints(SweepPlan({{}, DagBuilder::origin()}), 5, 5, 1), InputError);
  EXPECT_THROW(breakpoints(SweepPlan({{}, DagBuilder::origin()}), -1, 5, 1), InputError);
}

}  // namespace
}  // namespace latitude::solve
