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
using SmallStep = SweepPlan::SmallStep;

constexpr std::uint32_t kSlots = 40;

/// Steps that read and write the same slots repeatedly, with ties and missing edges.
std::vector<Step> random_steps(std::mt19937_64& random, std::size_t count) {
  std::vector<Step> steps(count);
  for (Step& step : steps) {
    step = {{static_cast<std::uint32_t>(random() % kSlots),
             static_cast<std::uint32_t>(random() % kSlots)},
            1 + static_cast<std::uint32_t>(random() % (kSlots - 1)),
            {static_cast<double>(random() % 3), static_cast<double>(random() % 3)},
            {static_cast<double>(random() % 8) / 3, static_cast<double>(random() % 8) / 3}};
    if (random() % 8 == 0) step.constant[0] = -std::numeric_limits<double>::infinity();
  }
  return steps;
}

/// The same steps in the other form.
std::vector<SmallStep> small(const std::vector<Step>& steps) {
  std::vector<SmallStep> result;
  for (const Step& step : steps) {
    const auto slot = [](std::uint32_t number) { return static_cast<std::uint16_t>(number); };
    const auto slope = [](double number) { return static_cast<std::uint8_t>(number); };
    result.push_back({{slot(step.from[0]), slot(step.from[1])},
                      slot(step.to),
                      {slope(step.slope[0]), slope(step.slope[1])},
                      {step.constant[0], step.constant[1]}});
  }
  return result;
}

/// The results of the steps for `width` numbers per lane and slot, ordered by lane.
template <class Each>
std::vector<double> result_of(SweepKernel<Each>* kernel, const std::vector<Each>& steps,
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

TEST(SweepKernels, EveryUnitFormAndNumberOfLanesGivesTheSameBits) {
  std::mt19937_64 random(7);
  std::vector<double> theta;
  for (int k = 0; k < kMaxLanes; ++k) theta.push_back(static_cast<double>(random() % 1000) / 7);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::vector<Step> steps = random_steps(random, 300);
    const auto runtimes = result_of(runtime_kernel(1, Unit::baseline), steps, theta, 1, 1);
    const auto of_side = [&](Side side) {
      return result_of(tangent_kernel(1, side, Unit::baseline), steps, theta, 1, 2);
    };
    const auto left = of_side(Side::left);
    const auto right = of_side(Side::right);
    const auto compare = [&]<class Each>(const std::vector<Each>& form, Unit unit, int lanes) {
      const auto k = static_cast<std::size_t>(lanes);
      expect_same_bits(result_of(runtime_kernel<Each>(lanes, unit), form, theta, k, 1), runtimes,
                       name_of(unit));
      expect_same_bits(result_of(tangent_kernel<Each>(lanes, Side::left, unit), form, theta, k, 2),
                       left, name_of(unit));
      expect_same_bits(result_of(tangent_kernel<Each>(lanes, Side::right, unit), form, theta, k, 2),
                       right, name_of(unit));
    };
    for (const Unit unit : units_here()) {
      for (const int lanes : {1, 2, 4, 8, 16}) {
        compare(steps, unit, lanes);
        compare(small(steps), unit, lanes);
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
  const SweepPlan plan(DagBuilder().finish(DagBuilder::origin()));
  const std::vector<double> theta{1, 2};
  for (const int lanes : {-1, 0, 17, 32}) {
    EXPECT_THROW(plan.runtimes(theta, lanes), InputError) << lanes;
    EXPECT_THROW(plan.runtimes({}, lanes), InputError) << lanes;
  }
}

}  // namespace
}  // namespace latitude::solve
