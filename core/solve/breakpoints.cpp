#include "core/solve/breakpoints.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"

namespace latitude::solve {
namespace {

/// Two paths whose lengths differ by less than this share of T count as one, because of rounding.
constexpr double kSame = 1e-12;
/// λ counts messages, overheads or bytes, so slopes of T are whole numbers, and between two slopes
/// that differ by one only a single breakpoint fits.
constexpr double kSlopeStep = 1;
/// Breakpoints nearer to each other than this share of θ count as one.
constexpr double kMerge = 1e-10;
/// Evenly spaced first points, so that the first passes have work for every lane.
constexpr std::size_t kSeeds = 2 * kMaxLanes;

/// Number of intervals that one round of a search for the first breakpoints splits: passes for a
/// few threads. More intervals would lead to breakpoints far beyond the first.
constexpr std::size_t kRound = 4 * kMaxLanes;
/// Passes for the higher end, with its slope to the left, and for the lower end and the seeds.
constexpr std::size_t kSweepsToBegin = 2 + kSeeds / kMaxLanes;
/// Passes that a short list may take in addition to four tangents per breakpoint, twice the usual
/// number.
constexpr std::size_t kSweepsToReach = 64;
/// Passes for the part beyond the list. A dozen is usual.
constexpr std::size_t kSweepsBeyond = 128;

struct Gap {
  Tangent low;
  Tangent high;
  /// The point at which the tangents at both ends meet: T is at least `floor` there.
  double theta = 0;
  double floor = 0;

  Gap(const Tangent& from, const Tangent& to) : low(from), high(to) {
    const double above = high.value - low.at(high.theta);
    theta = std::clamp(high.theta - above / step(), low.theta, high.theta);
    floor = std::max(low.at(theta), high.at(theta));
  }

  double step() const noexcept { return high.slope - low.slope; }

  /// The share of T by which the line between the ends may be above T: it is largest at the point
  /// where the tangents meet.
  double uncertainty() const noexcept {
    const double share = (theta - low.theta) / (high.theta - low.theta);
    const double above = low.value + share * (high.value - low.value) - floor;
    return above > 0 ? above / floor : 0;
  }
};

/// Whether T may bend between two points.
bool may_bend(const Tangent& low, const Tangent& high) {
  return high.slope > low.slope && high.theta > low.theta;
}

class CornerSearch {
 public:
  CornerSearch(const TangentsAt& tangents, const CurveSearch& asked)
      : tangents_(tangents), asked_(asked) {}

  CurveFound run(double low, double high) {
    std::vector<double> first{high, low};
    for (std::size_t i = 1; i <= kSeeds; ++i) {
      const double share = static_cast<double>(i) / (kSeeds + 1);
      first.push_back(low + share * (high - low));
    }
    const std::vector<Tangent> found = evaluate(first, 1);
    std::swap(points_[0], points_[1]);
    steps_ = points_[1].slope - points_[0].slope;
    Tangent after = points_[1];
    for (const Tangent& seed : std::views::reverse(std::span(found).subspan(2))) {
      consider(seed, after);
      after = seed;
    }
    consider(points_[0], after);
    std::vector<Breakpoint> listed = list();
    if (open_.empty() && listed.size() <= asked_.most) return {std::move(listed), {}, 0, sweeps_};
    if (listed.size() > asked_.most) {
      listed.resize(asked_.most);
    } else if (!listed.empty()) {
      listed.pop_back();  // The last breakpoint may still merge with the next one.
    }
    return bounded(std::move(listed));
  }

 private:
  /// Tangents at all θ, in order; the first `left` towards lower θ. The count is that of the passes
  /// over a graph in memory, so that the results do not depend on the way in which the tangents are
  /// computed.
  std::vector<Tangent> evaluate(const std::vector<double>& theta, std::size_t left = 0) {
    std::vector<Tangent> result = tangents_(theta, left);
    if (result.size() != theta.size()) {
      throw std::logic_error("as many tangents are wanted as values of θ");
    }
    sweeps_ += passes_for(left) + passes_for(theta.size() - left);
    points_.insert(points_.end(), result.begin(), result.end());
    return result;
  }

  /// Finds breakpoints, the lowest first, until the list is full, no others exist, or the passes
  /// are spent.
  std::vector<Breakpoint> list() {
    const bool all = asked_.most == CurveSearch::kAll;
    const std::size_t end = asked_.sweeps_at_most() - kSweepsBeyond;
    while (!open_.empty() && !enough() && sweeps_ < end) {
      split(all ? open_.size() : std::min(kRound, (end - sweeps_) * kMaxLanes));
      if (asked_.progress) {
        const double bends = steps_ > 0 ? bent_ / steps_ : 1;
        const double share = static_cast<double>(found_.size()) / static_cast<double>(asked_.most);
        asked_.progress(std::clamp(std::max(bends, share), 0.0, 1.0));
      }
    }
    if (asked_.progress) asked_.progress(1);
    return settled();
  }

  bool enough() const { return found_.size() > asked_.most && settled().size() > asked_.most; }

  /// The breakpoints below all open intervals.
  std::vector<Breakpoint> settled() const {
    if (open_.empty()) return tidy(found_);
    const double end = open_.back().low.theta;
    std::vector<Breakpoint> below;
    std::ranges::copy_if(found_, std::back_inserter(below),
                         [&](const Breakpoint& b) { return b.theta <= end; });
    return tidy(std::move(below));
  }

  /// Beyond the list, splits the intervals in which the bounds of T are too far apart.
  CurveFound bounded(std::vector<Breakpoint> listed) {
    within_ = asked_.within;
    std::erase_if(open_, [&](const Gap& gap) { return gap.uncertainty() <= within_; });
    const std::size_t end = sweeps_ + kSweepsBeyond;
    while (!open_.empty() && sweeps_ < end) {
      std::ranges::sort(open_, {}, &Gap::uncertainty);
      split((end - sweeps_) * kMaxLanes);
    }

    std::vector<Tangent> known = points_;
    for (const Breakpoint& b : found_) known.push_back({b.theta, b.value, b.right});
    std::ranges::sort(known, {}, &Tangent::theta);
    Tangent before = points_[0];
    if (!listed.empty()) {
      before = {listed.back().theta, listed.back().value, listed.back().right};
    }
    CurveFound result{std::move(listed), {}, 0, sweeps_};
    for (const Tangent& point : known) {
      if (point.theta - before.theta <= kMerge * point.theta) continue;
      if (may_bend(before, point)) {
        result.bound = std::max(result.bound, Gap(before, point).uncertainty());
      }
      result.beyond.push_back(point);
      before = point;
    }
    return result;
  }

  /// Splits up to this many open intervals, the last first. While breakpoints are listed, the last
  /// intervals are the lowest; beyond the list, they are the intervals with the widest bounds.
  void split(std::size_t most) {
    const auto first = open_.end() - static_cast<std::ptrdiff_t>(std::min(most, open_.size()));
    const std::vector<Gap> gaps(first, open_.end());
    open_.erase(first, open_.end());
    std::vector<double> theta;
    theta.reserve(gaps.size());
    for (const Gap& gap : gaps) theta.push_back(gap.theta);
    const std::vector<Tangent> middle = evaluate(theta);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (middle[i].value - gaps[i].floor <= kSame * middle[i].value) {
        emit(gaps[i]);
      } else {
        consider(middle[i], gaps[i].high);
        consider(gaps[i].low, middle[i]);
      }
    }
  }

  /// Opens the interval between two neighbours unless it is settled already. While breakpoints are
  /// listed, it must be below all open intervals.
  void consider(const Tangent& low, const Tangent& high) {
    if (!may_bend(low, high)) return;
    const Gap gap(low, high);
    // If the tangents meet at an end, rounding chose the slope of the other side there.
    const double nowhere = kSame * high.theta;
    const bool at_end = gap.theta - low.theta <= nowhere || high.theta - gap.theta <= nowhere;
    if (gap.step() <= kSlopeStep || at_end) {
      emit(gap);
    } else if (within_ == 0 || gap.uncertainty() > within_) {
      open_.push_back(gap);
    }
  }

  void emit(const Gap& gap) {
    found_.push_back({gap.theta, gap.floor, gap.low.slope, gap.high.slope});
    bent_ += gap.step();
  }

  /// Sorts breakpoints, and merges again those that rounding had split.
  static std::vector<Breakpoint> tidy(std::vector<Breakpoint> found) {
    std::ranges::sort(found, {}, [](const Breakpoint& b) { return std::pair(b.theta, b.right); });
    std::vector<Breakpoint> result;
    for (const Breakpoint& b : found) {
      if (!result.empty() && b.theta - result.back().theta <= kMerge * b.theta) {
        result.back().right = std::max(result.back().right, b.right);
      } else if (result.empty() || b.right > result.back().right) {
        const double left = result.empty() ? b.left : result.back().right;
        result.push_back({b.theta, b.value, left, b.right});
      }
    }
    return result;
  }

  const TangentsAt& tangents_;
  const CurveSearch& asked_;
  /// Open intervals; while breakpoints are listed, the lowest one is last.
  std::vector<Gap> open_;
  std::vector<Breakpoint> found_;
  /// All evaluated points; the interval's ends first, the lower one before the other.
  std::vector<Tangent> points_;
  std::size_t sweeps_ = 0;
  /// An interval is not split if the bounds of T in it are this close.
  double within_ = 0;
  /// The rise of the slope over the interval, and over the breakpoints found.
  double steps_ = 0;
  double bent_ = 0;
};

}  // namespace

std::size_t CurveSearch::sweeps_at_most() const noexcept {
  if (most == kAll) return kAll;
  return kSweepsToBegin + 4 * (most / kMaxLanes) + kSweepsToReach + kSweepsBeyond;
}

CurveFound curve_of(const TangentsAt& tangents, double low, double high,
                    const CurveSearch& search) {
  if (!(low >= 0 && low < high && std::isfinite(high))) {
    throw InputError("the interval must be 0 ≤ low < high < ∞; got [" + std::to_string(low) + ", " +
                     std::to_string(high) + "]");
  }
  if (search.most == 0) throw InputError("no critical values are asked for; ask for 1 or more");
  return CornerSearch(tangents, search).run(low, high);
}

CurveFound curve_of(const SweepPlan& plan, double low, double high, const CurveSearch& search) {
  const TangentsAt tangents = [&](std::span<const double> theta, std::size_t left) {
    return tangents_of(plan, theta, left, search.threads);
  };
  return curve_of(tangents, low, high, search);
}

}  // namespace latitude::solve
