#include "core/solve/breakpoints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/solve/lanes.hpp"
#include "core/solve/sweep.hpp"

namespace latitude::solve {
namespace {

constexpr auto K = static_cast<std::size_t>(kLanes);
constexpr std::size_t kGaps = K - 1;
/// Two paths whose lengths differ by less than this share of T are one: rounding cannot tell them.
constexpr double kSame = 1e-13;
/// λ counts messages, overheads or bytes: slopes of T are whole numbers, and between two slopes
/// that differ by one there is room for a single breakpoint.
constexpr double kSlopeStep = 1;
/// Below this many nodes a task finishes what it finds itself instead of handing it to others.
constexpr std::size_t kWorthSharing = 512;
/// Breakpoints nearer to each other than this share of θ are one.
constexpr double kMerge = 1e-10;

/// T and its right derivative at θ: a line that supports T from below.
struct Point {
  double theta;
  double value;
  double slope;

  double tangent(double at) const { return value + slope * (at - theta); }
};

/// Where the tangents at a and b meet, kept inside [a, b].
Point meet(const Point& a, const Point& b) {
  const double gap = b.value - a.tangent(b.theta);  // ≥ 0 by convexity
  const double theta =
      std::clamp(b.theta - gap / (b.slope - a.slope), a.theta, b.theta);
  return {theta, std::max(a.tangent(theta), b.tangent(theta)), b.slope};
}

double tolerance_at(double value) { return kSame * std::abs(value); }

struct Task {
  AffineDag dag;
  Point low;
  Point high;
};

/// Which of the gaps between neighbouring lanes an edge may be critical in.
class Pruner {
 public:
  Pruner(const std::array<Point, K>& points, const std::array<bool, kGaps>& open) {
    for (std::size_t gap = 0; gap < kGaps; ++gap) {
      if (!open[gap]) continue;
      const Point& a = points[gap];
      const Point& b = points[gap + 1];
      const Point at = meet(a, b);
      share_[gap] = (at.theta - a.theta) / (b.theta - a.theta);
      bound_[gap] = at.value - tolerance_at(at.value);
    }
  }

  /// Bit `gap` is set when the chord of `through` reaches T's lower bound in that gap.
  LATITUDE_INLINE unsigned gaps(const double* through) const {
    unsigned mask = 0;
    for (std::size_t gap = 0; gap < kGaps; ++gap) {
      const double chord = through[gap] + (through[gap + 1] - through[gap]) * share_[gap];
      mask |= static_cast<unsigned>(chord >= bound_[gap]) << gap;
    }
    return mask;
  }

 private:
  std::array<double, kGaps> share_{};
  std::array<double, kGaps> bound_ = [] {
    std::array<double, kGaps> never{};
    never.fill(std::numeric_limits<double>::infinity());
    return never;
  }();
};

/// A node that survives in some gap, with the gaps of each of its two edges.
struct Survivor {
  NodeId node;
  std::uint8_t gaps[2];
};

/// Backward pass: the longest path through every edge, tested as soon as it is known. Survivors
/// come out in descending node order.
LATITUDE_EVERY_VECTOR_UNIT
void survivors_of(const AffineDag& dag, const double* theta, const double* value, double* tail,
                  const Pruner& pruner, std::vector<Survivor>& survivors) {
  constexpr double kUnreached = -std::numeric_limits<double>::infinity();
  std::fill_n(tail, (dag.nodes.size() + 1) * K, kUnreached);
  for (std::size_t k = 0; k < K; ++k) {
    tail[std::size_t{dag.result.node} * K + k] = dag.result.weight.at(theta[k]);
  }
  for (std::size_t i = dag.nodes.size(); i-- > 0;) {
    const Node& node = dag.nodes[i];
    const double* own = tail + (i + 1) * K;
    if (own[0] == kUnreached) continue;
    Survivor survivor{static_cast<NodeId>(i + 1), {0, 0}};
    for (int e = 0; e < 2; ++e) {
      const double* before = value + std::size_t{node.from[e]} * K;
      double* before_tail = tail + std::size_t{node.from[e]} * K;
      double through[K];
      for (std::size_t k = 0; k < K; ++k) {
        const double behind = own[k] + (node.constant[e] + node.slope[e] * theta[k]);
        through[k] = before[k] + behind;
        before_tail[k] = behind > before_tail[k] ? behind : before_tail[k];
      }
      survivor.gaps[e] = static_cast<std::uint8_t>(pruner.gaps(through));
    }
    if ((survivor.gaps[0] | survivor.gaps[1]) != 0) survivors.push_back(survivor);
  }
}

/// The part of `dag` that may be critical in one gap.
AffineDag prune(const AffineDag& dag, const std::vector<Survivor>& survivors, unsigned gap,
                Interval valid, std::vector<Ref>& map) {
  DagBuilder builder(valid);
  map[kOrigin] = DagBuilder::origin();
  const auto kept = [&](const Survivor& s) { return ((s.gaps[0] | s.gaps[1]) >> gap & 1U) != 0; };
  for (auto s = survivors.rbegin(); s != survivors.rend(); ++s) {
    if (!kept(*s)) continue;
    Ref joined;
    for (int e = 0; e < 2; ++e) {
      if ((s->gaps[e] >> gap & 1U) == 0) continue;
      const Ref edge = dag.nodes[s->node - 1].edge(e);
      const Ref from = map[edge.node];
      if (from.exists()) joined = builder.join(joined, DagBuilder::add(from, edge.weight));
    }
    map[s->node] = joined;
  }
  const Ref last = map[dag.result.node];
  AffineDag pruned = builder.finish(
      last.exists() ? DagBuilder::add(last, dag.result.weight) : Ref{});
  pruned.nodes.shrink_to_fit();
  for (const Survivor& s : survivors) {
    if (kept(s)) map[s.node] = Ref{};
  }
  return pruned;
}

/// Tasks shared by the threads of one search, and the breakpoints they found.
class Search {
 public:
  void run(const AffineDag& dag, Point low, Point high, unsigned threads) {
    explore(dag, low, high);
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back([this] { work(); });
    work();
  }

  std::vector<Breakpoint> take() { return std::move(found_); }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !tasks_.empty() || busy_ == 0; });
      if (tasks_.empty()) return;
      const Task task = std::move(tasks_.back());
      tasks_.pop_back();
      ++busy_;
      lock.unlock();
      explore(task.dag, task.low, task.high);
      lock.lock();
      --busy_;
      changed_.notify_all();
    }
  }

  void give(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  void emit(const Point& at, double left) {
    const std::lock_guard lock(mutex_);
    found_.push_back({at.theta, at.value, left, at.slope});
  }

  /// True when the gap needs no graph: T is one line there, or two that meet at a known point.
  bool settled(const Point& a, const Point& b) {
    const double step = b.slope - a.slope;
    if (step <= 0 || !(b.theta > a.theta)) return true;
    const Point at = meet(a, b);
    // Where the tangents meet at an end, rounding chose the other side's slope there.
    const double nowhere = tolerance_at(b.theta);
    if (step <= kSlopeStep || at.theta - a.theta <= nowhere || b.theta - at.theta <= nowhere) {
      emit(at, a.slope);
      return true;
    }
    return false;
  }

  static std::array<Point, K> lanes_between(const Point& low, const Point& high) {
    std::array<Point, K> points;
    points.front() = low;
    points.back() = high;
    const double meeting = meet(low, high).theta;
    const double width = (high.theta - low.theta) / static_cast<double>(K - 2);
    points[1].theta = meeting;
    for (std::size_t k = 2; k < K - 1; ++k) {
      points[k].theta = low.theta + width * static_cast<double>(k - 1);
    }
    std::sort(points.begin() + 1, points.end() - 1,
              [](const Point& a, const Point& b) { return a.theta < b.theta; });
    return points;
  }

  void explore(const AffineDag& dag, const Point& low, const Point& high) {
    if (settled(low, high)) return;
    const std::size_t cells = (dag.nodes.size() + 1) * K;
    const Values value(cells);
    const Values scratch(cells);
    std::array<Point, K> points = lanes_between(low, high);
    std::array<double, K> theta;
    for (std::size_t k = 0; k < K; ++k) theta[k] = points[k].theta;
    forward_with_slopes(dag, theta.data(), value.data(), scratch.data());
    const std::size_t last = std::size_t{dag.result.node} * K;
    for (std::size_t k = 1; k < K - 1; ++k) {
      points[k].value = value.data()[last + k] + dag.result.weight.at(theta[k]);
      points[k].slope = scratch.data()[last + k] + dag.result.weight.slope;
    }
    std::array<bool, kGaps> open;
    for (std::size_t gap = 0; gap < kGaps; ++gap) {
      open[gap] = !settled(points[gap], points[gap + 1]);
    }
    if (std::ranges::none_of(open, std::identity{})) return;
    std::vector<Survivor> survivors;
    survivors_of(dag, theta.data(), value.data(), scratch.data(), Pruner(points, open),
                 survivors);
    std::vector<Ref> map(dag.nodes.size() + 1);
    for (unsigned gap = 0; gap < kGaps; ++gap) {
      if (!open[gap]) continue;
      const Point& a = points[gap];
      const Point& b = points[gap + 1];
      AffineDag smaller = prune(dag, survivors, gap, {a.theta, b.theta}, map);
      if (smaller.nodes.size() >= kWorthSharing) {
        give({std::move(smaller), a, b});
      } else {
        explore(smaller, a, b);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> tasks_;
  unsigned busy_ = 0;
  std::vector<Breakpoint> found_;
};

/// In order, and those that rounding split put together again.
std::vector<Breakpoint> tidy(std::vector<Breakpoint> found) {
  std::ranges::sort(found, {}, [](const Breakpoint& b) { return std::pair(b.theta, b.right); });
  std::vector<Breakpoint> result;
  for (const Breakpoint& b : found) {
    if (!result.empty() && b.theta - result.back().theta <= kMerge * b.theta) {
      result.back().right = std::max(result.back().right, b.right);
    } else if (result.empty() || b.right > result.back().right) {
      result.push_back(b);
      if (result.size() > 1) result.back().left = result[result.size() - 2].right;
    }
  }
  return result;
}

}  // namespace

std::vector<Breakpoint> breakpoints(const AffineDag& dag, double low, double high,
                                    unsigned threads) {
  if (!(low >= 0 && low < high && std::isfinite(high))) {
    throw InputError("the interval must be 0 ≤ low < high < ∞; got [" + std::to_string(low) +
                     ", " + std::to_string(high) + "]");
  }
  const Slopes at_low = slopes(dag, low);
  const Slopes at_high = slopes(dag, high);
  Search search;
  search.run(dag, {low, at_low.value, at_low.right}, {high, at_high.value, at_high.left},
             thread_count(threads));
  return tidy(search.take());
}

}  // namespace latitude::solve
