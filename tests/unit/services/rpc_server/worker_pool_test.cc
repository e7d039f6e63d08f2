#include "services/rpc/worker_pool.h"

#include <pthread.h>

#include <atomic>
#include <thread>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace toolgate::services::rpc {
namespace {

void WaitUntil(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

TEST(WorkerPoolTest, StartsNoThreadBeforeTheFirstTask) {
  WorkerPool pool({});
  EXPECT_EQ(pool.threads(), 0);
}

TEST(WorkerPoolTest, RunsEveryTaskThatItAccepted) {
  std::atomic<int> ran{0};
  {
    WorkerPool pool({.max_threads = 4, .max_queued = 10'000});
    for (int i = 0; i < 5000; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }));
    EXPECT_LE(pool.threads(), 4);
  }
  EXPECT_EQ(ran.load(), 5000);
}

TEST(WorkerPoolTest, AnIdleThreadIsUsedAgain) {
  WorkerPool pool({.max_threads = 8, .idle_timeout = absl::Hours(1)});
  for (int i = 0; i < 100; ++i) {
    absl::Notification done;
    const int before = pool.threads();
    ASSERT_TRUE(pool.Submit([&] { done.Notify(); }));
    done.WaitForNotification();
    // At most one more than needed: the thread that just notified may not have gone idle yet.
    EXPECT_LE(pool.threads(), before + 1);
  }
  EXPECT_LE(pool.threads(), 8);
}

TEST(WorkerPoolTest, BlockedTasksDoNotHoldUpOthersWhileThereAreThreads) {
  WorkerPool pool({.max_threads = 3});
  absl::Notification release;
  absl::BlockingCounter blocked(2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pool.Submit([&] {
      blocked.DecrementCount();
      release.WaitForNotification();
    }));
  }
  blocked.Wait();
  absl::Notification ran;
  ASSERT_TRUE(pool.Submit([&] { ran.Notify(); }));
  ran.WaitForNotification();
  release.Notify();
}

TEST(WorkerPoolTest, RefusesWhenThreadsAndQueueAreFull) {
  std::atomic<int> ran{0};
  absl::Notification release;
  {
    WorkerPool pool({.max_threads = 2, .max_queued = 3});
    const auto task = [&] {
      release.WaitForNotification();
      ++ran;
    };
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.Submit(task)) << i;
    EXPECT_EQ(pool.threads(), 2);
    EXPECT_FALSE(pool.Submit(task));
    WaitUntil([&] { return pool.queued() == 3; });
    EXPECT_FALSE(pool.Submit(task));
    release.Notify();
  }
  EXPECT_EQ(ran.load(), 5);
}

TEST(WorkerPoolTest, IdleThreadsEnd) {
  WorkerPool pool({.max_threads = 4, .idle_timeout = absl::Milliseconds(1)});
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }));
    WaitUntil([&] { return pool.threads() == 0; });
  }
  EXPECT_EQ(ran.load(), 80);
}

TEST(WorkerPoolTest, AStoppedPoolRefuses) {
  WorkerPool pool({});
  ASSERT_TRUE(pool.Submit([] {}));
  EXPECT_TRUE(pool.Stop(absl::InfiniteDuration()));
  EXPECT_EQ(pool.threads(), 0);
  EXPECT_FALSE(pool.Submit([] {}));
}

TEST(WorkerPoolTest, StopReportsATaskThatDoesNotEnd) {
  WorkerPool pool({});
  absl::Notification release;
  ASSERT_TRUE(pool.Submit([&] { release.WaitForNotification(); }));
  EXPECT_FALSE(pool.Stop(absl::ZeroDuration()));
  release.Notify();
  EXPECT_TRUE(pool.Stop(absl::InfiniteDuration()));
}

TEST(WorkerPoolTest, ManySubmittersLoseNothing) {
  std::atomic<int> ran{0};
  std::atomic<int> accepted{0};
  {
    WorkerPool pool({.max_threads = 6, .max_queued = 64, .idle_timeout = absl::Microseconds(50)});
    std::vector<std::thread> submitters;
    for (int t = 0; t < 4; ++t) {
      submitters.emplace_back([&] {
        for (int i = 0; i < 3000; ++i) accepted += pool.Submit([&] { ++ran; }) ? 1 : 0;
      });
    }
    for (std::thread& submitter : submitters) submitter.join();
  }
  EXPECT_EQ(ran.load(), accepted.load());
  EXPECT_GT(accepted.load(), 0);
}

TEST(WorkerPoolTest, ThreadsHaveTheConfiguredStack) {
  WorkerPool pool({.stack_bytes = size_t{1} << 20});
  absl::Notification done;
  size_t size = 0;
  ASSERT_TRUE(pool.Submit([&] {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    done.Notify();
  }));
  done.WaitForNotification();
  EXPECT_GE(size, size_t{1} << 20);
}

}  // namespace
}  // namespace toolgate::services::rpc
