#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace latitude {

/// Threads that do jobs beside their owner, begun in the order in which they are given. Waking a
/// thread takes longer than a job may: one that sleeps is woken when several jobs wait, so the
/// owner must be able to do itself what it needs now.
class Crew {
 public:
  using Job = std::function<void()>;  ///< throws nothing

  /// `helpers`: 0 does nothing that it is given. `enough`: a sleeper is woken for so many jobs.
  Crew(unsigned helpers, std::size_t enough);
  ~Crew() { stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  bool empty() const noexcept { return helpers_.empty(); }
  void give(Job job);
  /// What has not begun is not done any more, and what has is done when this returns. For who owns
  /// what jobs work on, before it goes.
  void stop();

 private:
  void work();

  std::size_t enough_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Job> jobs_;
  unsigned asleep_ = 0;
  bool over_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace latitude
