#include "core/crew.hpp"

#include <system_error>
#include <utility>

namespace latitude {

Crew::Crew(unsigned helpers, std::size_t enough) : enough_(enough) {
  helpers_.reserve(helpers);
  try {
    for (unsigned i = 0; i < helpers; ++i) helpers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // the system gives no more threads: the existing ones do
                                        // the work
  }
}

void Crew::stop() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  woken_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
}

void Crew::give(Job job) {
  if (helpers_.empty()) return;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    wake = asleep_ > 0 && jobs_.size() >= enough_;
  }
  if (wake) woken_.notify_one();
}

void Crew::work() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (jobs_.empty()) {
      ++asleep_;
      woken_.wait(lock, [&] { return over_ || jobs_.size() >= enough_; });
      --asleep_;
      continue;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace latitude
