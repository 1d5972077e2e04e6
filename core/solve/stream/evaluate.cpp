#include "core/solve/stream/evaluate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "core/crew.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/solve/stream/stepping.hpp"
#include "core/solve/stream/streaming.hpp"
#include "core/solve/sweep_kernels.hpp"

namespace latitude::solve {
namespace {

using trace::native::Pieces;

constexpr unsigned kMostHelpers = 2;  ///< threads that find work next to this one
constexpr std::size_t kEnough = 8;    ///< number of jobs for which a thread is woken

/// Evaluates the steps at all θ, up to kMaxLanes of them at a time.
class Lanes : public StepSink {
 public:
  Lanes(std::span<const double> theta, std::size_t left) : theta_(theta), left_(left) {
    add(theta, Side::right);
    add(theta.first(left), Side::left);
  }

  void take(std::span<const SweepPlan::Step> steps, std::size_t slots) override {
    for (Group& group : groups_) {
      group.values.resize(slots * 2 * group.width);
      group.run(steps.data(), steps.size(), group.lane.data(), group.values.data());
    }
    far_.resize(slots);
    for (const SweepPlan::Step& step : steps) {
      far_[step.to] = higher_far_away(far_[step.from[0]] + Affine{step.constant[0], step.slope[0]},
                                      far_[step.from[1]] + Affine{step.constant[1], step.slope[1]});
    }
  }

  void finish(std::uint32_t slot, Affine weight, StreamFound& found) const {
    std::size_t at = 0;
    for (const Group& group : groups_) {
      const double* const last = group.values.data() + std::size_t{slot} * 2 * group.width;
      for (std::size_t k = 0; k < group.used; ++k, ++at) {
        const double slope = last[group.width + k] + weight.slope;
        if (at >= theta_.size()) {
          found.left.push_back(slope);
        } else {
          found.right.push_back({theta_[at], last[k] + weight.at(theta_[at]), slope});
        }
      }
    }
    found.far = far_[slot] + weight;
  }

 private:
  struct Group {
    std::size_t width = 0;
    std::size_t used = 0;
    SweepKernel<SweepPlan::Step>* run = nullptr;
    std::array<double, kMaxLanes> lane{};
    std::vector<double> values;
  };

  void add(std::span<const double> theta, Side side) {
    for (std::size_t first = 0; first < theta.size(); first += kMaxLanes) {
      Group group;
      group.used = std::min<std::size_t>(kMaxLanes, theta.size() - first);
      group.width = std::bit_ceil(group.used);
      for (std::size_t k = 0; k < group.width; ++k) {
        group.lane[k] = theta[first + std::min(k, group.used - 1)];
      }
      group.run = tangent_kernel(static_cast<int>(group.width), side, unit_in_use());
      group.values.resize(2 * group.width);
      groups_.push_back(std::move(group));
    }
  }

  std::span<const double> theta_;
  std::size_t left_;
  std::vector<Group> groups_;
  std::vector<Affine> far_{1};
};

/// Passes steps on in their order, on the threads of the crew if it has any.
class StepQueue : public StepSink {
 public:
  StepQueue(StepSink& to, Crew& crew) : to_(to), crew_(crew) {}
  ~StepQueue() override { crew_.stop(); }
  StepQueue(const StepQueue&) = delete;
  StepQueue& operator=(const StepQueue&) = delete;

  void take(std::span<const SweepPlan::Step> steps, std::size_t slots) override {
    if (crew_.empty()) return to_.take(steps, slots);
    std::unique_lock lock(mutex_);
    while (waiting_.size() == kMost) hand_on(lock);
    Some some;
    if (!spare_.empty()) {
      some = std::move(spare_.back());
      spare_.pop_back();
    }
    some.steps.assign(steps.begin(), steps.end());
    some.slots = slots;
    waiting_.push_back(std::move(some));
    const bool ask = !std::exchange(asked_, true);
    lock.unlock();
    if (ask) crew_.give([this] { hand_on_all(); });
  }

  /// Returns when all steps have been passed on.
  void finish() {
    std::unique_lock lock(mutex_);
    while (busy_ || !waiting_.empty()) hand_on(lock);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  static constexpr std::size_t kMost = 8;

  struct Some {
    std::vector<SweepPlan::Step> steps;
    std::size_t slots = 0;
  };

  /// Passes on the first waiting steps, or waits for the thread that is passing some on.
  void hand_on(std::unique_lock<std::mutex>& lock) {
    if (busy_) {
      done_.wait(lock);
      return;
    }
    busy_ = true;
    Some some = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::exception_ptr error;
    try {
      to_.take(some.steps, some.slots);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (!error_) error_ = error;
    spare_.push_back(std::move(some));
    done_.notify_all();
  }

  void hand_on_all() {
    std::unique_lock lock(mutex_);
    while (!busy_ && !waiting_.empty()) hand_on(lock);
    asked_ = false;
  }

  StepSink& to_;
  Crew& crew_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<Some> waiting_;
  std::vector<Some> spare_;
  std::exception_ptr error_;
  bool busy_ = false;
  bool asked_ = false;
};

}  // namespace

void check_stream(std::uint32_t ranks, const model::Network& network) {
  network.check(ranks);
  if (network.base.gap != model::Gap::none) {
    throw NotInPiecesError(
        "Latitude cannot evaluate a gap between messages while it reads a trace");
  }
}

Crew crew_for(const StreamOptions& options, std::uint32_t ranks) {
  return {std::min(thread_count(options.threads) - 1, kMostHelpers),
          std::min<std::size_t>(kEnough, ranks)};
}

StreamFound evaluate_stream(const Pieces& pieces, const graph::BuildOptions& build,
                            const model::Network& network, const Direction& direction,
                            std::span<const double> theta, std::size_t left,
                            const StreamOptions& options) {
  const auto ranks = static_cast<std::uint32_t>(pieces.ranks());
  check_stream(ranks, network);
  const model::Network priced = network.with_one_limit();
  StreamFound found;
  Lanes lanes(theta, left);
  Crew crew = crew_for(options, ranks);
  StepQueue steps(lanes, crew);
  Stepping algebra(direction, steps);
  Streaming streaming(pieces, build, network, priced, algebra, options, crew);
  streaming.run(found);
  algebra.flush();
  found.nodes = algebra.steps();
  steps.finish();
  lanes.finish(algebra.result_slot(), algebra.result_weight(), found);
  return found;
}

}  // namespace latitude::solve
