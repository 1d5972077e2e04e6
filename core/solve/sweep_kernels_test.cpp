// Every vector unit and every number of lanes gives the same bits.

#include "core/solve/sweep_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace latitude::solve {
namespace {

using Step = SweepPlan::Step;

constexpr std::uint32_t kSlots = 40;

/// Steps that read and write the same slots repeatedly, with ties and missing edges.
std::vector<Step> random_steps(std::mt19937_64& random, std::size_t count) {
  std::vector<Step> steps(count);
  for (Step& step : steps) {
    step = {{static_cast<std::uint32_t>(random() % kSlots),
             static_cast<std::uint32_t>(random() % kSlots)},
            1 + static_cast<std::uint32_t>(random() % (kSlots - 1)),
            {static_cast<double>(random() % 8) / 3, static_cast<double>(random() % 8) / 3},
            {static_cast<double>(random() % 3), static_cast<double>(random() % 3)}};
    if (random() % 8 == 0) step.constant[0] = -std::numeric_limits<double>::infinity();
  }
  return steps;
}

/// The results of the steps for `width` numbers per lane and slot, ordered by lane.
std::vector<double> result_of(SweepKernel* kernel, const std::vector<Step>& steps,
                              const std::vector<double>& theta, std::size_t lanes,
                              std::size_t width) {
  std::vector<double> result(theta.size() * kSlots * width);
  for (std::size_t first = 0; first < theta.size(); first += lanes) {
    std::vector<double> values(kSlots * lanes * width, 0.0);
    kernel(steps.data(), steps.size(), theta.data() + first, values.data());
    for (std::size_t k = 0; k < lanes; ++k) {
      for (std::size_t i = 0; i < kSlots * width; ++i) {
        result[(first + k) * kSlots * width + i] = values[i * lanes + k];
      }
    }
  }
  return result;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b,
                      std::string_view what) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << what;
}

TEST(SweepKernels, EveryUnitAndNumberOfLanesGivesTheSameBits) {
  std::mt19937_64 random(7);
  std::vector<double> theta;
  for (int k = 0; k < kMaxLanes; ++k) theta.push_back(static_cast<double>(random() % 1000) / 7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::vector<Step> steps = random_steps(random, 300);
    const auto runtimes = result_of(runtime_kernel(1, Unit::baseline), steps, theta, 1, 1);
    for (const Unit unit : units_here()) {
      for (const int lanes : {1, 2, 4, 8, 16}) {
        const auto k = static_cast<std::size_t>(lanes);
        expect_same_bits(result_of(runtime_kernel(lanes, unit), steps, theta, k, 1), runtimes,
                         name_of(unit));
        for (const Side side : {Side::left, Side::right}) {
          const auto one = result_of(tangent_kernel(1, side, Unit::baseline), steps, theta, 1, 2);
          expect_same_bits(result_of(tangent_kernel(lanes, side, unit), steps, theta, k, 2), one,
                           name_of(unit));
        }
      }
    }
  }
}

TEST(SweepKernels, TheWidestUnitIsInUseUnlessAnotherIsAskedFor) {
  const Unit widest = units_here().back();
  EXPECT_EQ(unit_in_use(), widest);
  use_unit("baseline");
  EXPECT_EQ(unit_in_use(), Unit::baseline);
  use_unit(name_of(widest));
  EXPECT_EQ(unit_in_use(), widest);
  EXPECT_THROW(use_unit("abacus"), InputError);
}

TEST(SweepKernels, OtherNumbersOfLanesAreRefused) {
  EXPECT_THROW(runtime_kernel(3, Unit::baseline), InputError);
  EXPECT_THROW(tangent_kernel(0, Side::left, Unit::baseline), InputError);
}

}  // namespace
}  // namespace latitude::solve
