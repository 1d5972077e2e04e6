#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/solve/wait_tables.hpp"

namespace latitude::solve {

/// Waits for the activities of one line back to `from`, which have the same key.
struct Waiters {
  double from = 0;
  double count = 1;
  std::uint32_t kind = 0;      ///< their common properties: the number of their kind, which a Crowd
                               ///< cannot read
  std::uint32_t row = kNoRow;  ///< for a single wait, the row of that wait
  bool is_direct = false;
  double active_ns = 0;  ///< Crowd::active_ns() at their arrival
};

/// All waits for one line at an instant. The line is followed back once for all of them. The waits
/// are counted by kind, so that a piece of the line costs as many steps as there are kinds.
class Crowd {
 public:
  struct Count {
    std::uint32_t kind;
    double direct = 0;
    double indirect = 0;

    double all() const { return direct + indirect; }
  };

  bool empty() const { return waiters_.empty(); }
  const std::vector<Waiters>& waiters() const { return waiters_; }
  const std::vector<Count>& counts() const { return counts_; }

  /// The earliest `from`.
  double from() const { return from_; }

  /// The time for which the rank of the line was active, without waits of its own, since the crowd
  /// began.
  double active_ns() const { return active_ns_; }
  void was_active(double ns) { active_ns_ += ns; }

  void add(Waiters waiters) {
    waiters.active_ns = active_ns_;
    insert(waiters);
  }

  /// Adds all waits of another crowd.
  void join(Crowd&& other) {
    if (other.waiters_.size() > waiters_.size()) std::swap(*this, other);
    for (Waiters waiters : other.waiters_) {
      waiters.active_ns += active_ns_ - other.active_ns_;
      insert(waiters);
    }
  }

  /// Removes the waits that need nothing before `time`, the latest first.
  template <class Take>
  void leave(double time, Take take) {
    while (!waiters_.empty() && waiters_.front().from >= time) {
      std::ranges::pop_heap(waiters_, {}, &Waiters::from);
      const Waiters last = waiters_.back();
      waiters_.pop_back();
      Count& count = count_of(last.kind);
      (last.is_direct ? count.direct : count.indirect) -= last.count;
      if (count.all() <= 0) {
        count = counts_.back();
        counts_.pop_back();
      }
      take(last);
    }
  }

 private:
  void insert(const Waiters& waiters) {
    from_ = waiters_.empty() ? waiters.from : std::min(from_, waiters.from);
    waiters_.push_back(waiters);
    std::ranges::push_heap(waiters_, {}, &Waiters::from);
    Count& count = count_of(waiters.kind);
    (waiters.is_direct ? count.direct : count.indirect) += waiters.count;
  }

  Count& count_of(std::uint32_t kind) {
    const auto found = std::ranges::find(counts_, kind, &Count::kind);
    return found != counts_.end() ? *found : counts_.emplace_back(Count{kind});
  }

  std::vector<Waiters> waiters_;  ///< a heap, the latest `from` first
  std::vector<Count> counts_;
  double from_ = 0;
  double active_ns_ = 0;
};

}  // namespace latitude::solve
