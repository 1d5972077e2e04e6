#include "core/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace latitude {
namespace {

TEST(Crew, DoesJobsInTheirOrder) {
  std::vector<int> done;
  std::mutex mutex;
  std::condition_variable all;
  Crew crew(1, 4);
  for (int i = 0; i < 100; ++i) {
    crew.give([&, i] {
      const std::lock_guard lock(mutex);
      done.push_back(i);
      all.notify_one();
    });
  }
  std::unique_lock lock(mutex);
  all.wait(lock, [&] { return done.size() >= 97; });  // the last three wake no thread
  lock.unlock();
  crew.stop();
  for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<int>(i));
}

TEST(Crew, SeveralDoEveryJobOnce) {
  constexpr int kJobs = 1000;
  std::vector<std::atomic<int>> done(kJobs);
  std::atomic<int> count{0};
  Crew crew(3, 1);
  for (int i = 0; i < kJobs; ++i) {
    crew.give([&, i] {
      ++done[static_cast<std::size_t>(i)];
      ++count;
    });
  }
  while (count < kJobs) std::this_thread::yield();
  crew.stop();
  for (const std::atomic<int>& each : done) EXPECT_EQ(each, 1);
}

TEST(Crew, NothingRunsAfterItStopped) {
  std::atomic<int> count{0};
  Crew crew(2, 1);
  for (int i = 0; i < 50; ++i) crew.give([&] { ++count; });
  crew.stop();
  const int then = count;
  EXPECT_TRUE(crew.empty());
  crew.give([&] { ++count; });
  EXPECT_EQ(count, then);
  EXPECT_LE(then, 50);
}

TEST(Crew, OneOfNobodyDoesNothing) {
  Crew crew(0, 1);
  EXPECT_TRUE(crew.empty());
  bool done = false;
  crew.give([&] { done = true; });
  crew.stop();
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace latitude
