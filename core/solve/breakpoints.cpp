#include "core/solve/breakpoints.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace latitude::solve {
namespace {

/// Two paths whose lengths differ by less than this share of T are one: rounding cannot tell them.
constexpr double kSame = 1e-12;
/// λ counts messages, overheads or bytes: slopes of T are whole numbers, and between two slopes
/// that differ by one there is room for a single breakpoint.
constexpr double kSlopeStep = 1;
/// Breakpoints nearer to each other than this share of θ are one.
constexpr double kMerge = 1e-10;
/// Steps of all passes together that are worth starting threads for: about a millisecond's.
constexpr std::size_t kWorthThreads = 250'000;
/// Evenly spaced points to begin with, so that the first passes have work for every lane.
constexpr std::size_t kSeeds = 2 * kMaxLanes;

struct Gap {
  Tangent low;
  Tangent high;
  /// Where the tangents at both ends meet: T is at least `floor` there.
  double theta = 0;
  double floor = 0;
};

/// Tangents at all θ, in order, the passes shared by the threads.
std::vector<Tangent> evaluate(const SweepPlan& plan, const std::vector<double>& theta,
                              unsigned threads) {
  std::vector<Tangent> result(theta.size());
  const std::size_t passes = (theta.size() + kMaxLanes - 1) / kMaxLanes;
  if (passes * plan.nodes() < kWorthThreads) threads = 1;
  parallel_for(passes, threads, [&](std::size_t pass) {
    const std::size_t first = pass * kMaxLanes;
    const std::size_t count = std::min<std::size_t>(kMaxLanes, theta.size() - first);
    const auto part = plan.tangents(std::span(theta).subspan(first, count));
    std::ranges::copy(part, result.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return result;
}

class Search {
 public:
  Search(const SweepPlan& plan, unsigned threads) : plan_(plan), threads_(threads) {}

  std::vector<Breakpoint> run(const Tangent& low, const Tangent& high) {
    std::vector<double> seeds;
    for (std::size_t i = 1; i <= kSeeds; ++i) {
      const double share = static_cast<double>(i) / (kSeeds + 1);
      seeds.push_back(low.theta + share * (high.theta - low.theta));
    }
    Tangent before = low;
    for (const Tangent& seed : evaluate(plan_, seeds, threads_)) {
      consider(before, seed);
      before = seed;
    }
    consider(before, high);
    while (!open_.empty()) split_all();
    return tidy();
  }

 private:
  void split_all() {
    const std::vector<Gap> gaps = std::exchange(open_, {});
    std::vector<double> theta;
    theta.reserve(gaps.size());
    for (const Gap& gap : gaps) theta.push_back(gap.theta);
    const std::vector<Tangent> middle = evaluate(plan_, theta, threads_);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (middle[i].value - gaps[i].floor <= kSame * middle[i].value) {
        emit(gaps[i]);
      } else {
        consider(gaps[i].low, middle[i]);
        consider(middle[i], gaps[i].high);
      }
    }
  }

  /// Opens the gap between two neighbours unless it is settled already.
  void consider(const Tangent& low, const Tangent& high) {
    const double step = high.slope - low.slope;
    if (step <= 0 || !(high.theta > low.theta)) return;
    Gap gap{low, high};
    const double above = high.value - low.at(high.theta);
    gap.theta = std::clamp(high.theta - above / step, low.theta, high.theta);
    gap.floor = std::max(low.at(gap.theta), high.at(gap.theta));
    // Where they meet at an end, rounding chose the other side's slope there.
    const double nowhere = kSame * high.theta;
    const bool at_end = gap.theta - low.theta <= nowhere || high.theta - gap.theta <= nowhere;
    if (step <= kSlopeStep || at_end) {
      emit(gap);
    } else {
      open_.push_back(gap);
    }
  }

  void emit(const Gap& gap) {
    found_.push_back({gap.theta, gap.floor, gap.low.slope, gap.high.slope});
  }

  /// In order, and those that rounding split put together again.
  std::vector<Breakpoint> tidy() {
    std::ranges::sort(found_, {}, [](const Breakpoint& b) { return std::pair(b.theta, b.right); });
    std::vector<Breakpoint> result;
    for (const Breakpoint& b : found_) {
      if (!result.empty() && b.theta - result.back().theta <= kMerge * b.theta) {
        result.back().right = std::max(result.back().right, b.right);
      } else if (result.empty() || b.right > result.back().right) {
        const double left = result.empty() ? b.left : result.back().right;
        result.push_back({b.theta, b.value, left, b.right});
      }
    }
    return result;
  }

  const SweepPlan& plan_;
  unsigned threads_;
  std::vector<Gap> open_;
  std::vector<Breakpoint> found_;
};

}  // namespace

std::vector<Breakpoint> breakpoints(const SweepPlan& plan, double low, double high,
                                    unsigned threads) {
  if (!(low >= 0 && low < high && std::isfinite(high))) {
    throw InputError("the interval must be 0 ≤ low < high < ∞; got [" + std::to_string(low) + ", " +
                     std::to_string(high) + "]");
  }
  return Search(plan, threads).run(plan.tangent(low, Side::right), plan.tangent(high, Side::left));
}

}  // namespace latitude::solve
