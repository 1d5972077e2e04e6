#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace latitude {

/// The number of threads: 0 requests one thread per core.
inline unsigned thread_count(unsigned asked) {
  return asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

/// Calls body(i) for i in [0, count), on up to `threads` threads. If there are several errors, the
/// error of the lowest i is thrown, so that messages do not depend on timing.
template <class Body>
void parallel_for(std::size_t count, unsigned threads, Body body) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> failed_at{count};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      if (i > failed_at) return;
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto wanted = std::min<std::size_t>(thread_count(threads), count);
    for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace latitude
