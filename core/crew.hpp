#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace latitude {

/// Threads that run jobs next to their owner, started in the order in which the jobs are given.
/// Waking a thread may take longer than a job, so a sleeping thread is woken only when several jobs
/// wait. The owner must be able to do any job itself whose result it needs now.
class Crew {
 public:
  using Job = std::function<void()>;  ///< throws nothing

  /// `helpers`: with 0, no job that is given runs. `enough`: number of waiting jobs for which a
  /// sleeper is woken.
  Crew(unsigned helpers, std::size_t enough);
  ~Crew() { stop(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  bool empty() const noexcept { return helpers_.empty(); }
  void give(Job job);
  /// Drops the jobs that have not begun, and waits for the others. The owner of the jobs' data
  /// calls this before the data go.
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
