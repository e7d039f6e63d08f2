#include "common/fibers/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "common/fibers/baton.h"
#include "gtest/gtest.h"

namespace toolgate::fibers {
namespace {

void WaitUntil(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

TEST(WorkerPoolTest, StartsNoThreadBeforeTheFirstTask) {
  WorkerPool pool({.max_running = 128, .max_queued = 1024});
  EXPECT_EQ(pool.threads(), 0);
}

TEST(WorkerPoolTest, RunsEveryTaskThatItAccepted) {
  std::atomic<int> ran{0};
  {
    WorkerPool pool({.max_running = 4, .max_queued = 10'000});
    for (int i = 0; i < 5000; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }));
    EXPECT_LE(pool.threads(), 4);
  }
  EXPECT_EQ(ran.load(), 5000);
}

TEST(WorkerPoolTest, AnIdleThreadIsUsedAgain) {
  WorkerPool pool({.max_running = 8, .max_queued = 1024, .idle_timeout = absl::Hours(1)});
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
  WorkerPool pool({.max_running = 3, .max_queued = 1024});
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
    WorkerPool pool({.max_running = 2, .max_queued = 3});
    const auto task = [&] {
      release.WaitForNotification();
      ++ran;
    };
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.Submit(task)) << i;
    EXPECT_FALSE(pool.Submit(task));
    WaitUntil([&] { return pool.queued() == 3; });
    EXPECT_EQ(pool.threads(), 2);
    EXPECT_FALSE(pool.Submit(task));
    release.Notify();
  }
  EXPECT_EQ(ran.load(), 5);
}

TEST(WorkerPoolTest, IdleThreadsEnd) {
  WorkerPool pool({.max_running = 4, .max_queued = 1024, .idle_timeout = absl::Milliseconds(1)});
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }));
    WaitUntil([&] { return pool.threads() == 0; });
  }
  EXPECT_EQ(ran.load(), 80);
}

TEST(WorkerPoolTest, AStoppedPoolRefuses) {
  WorkerPool pool({.max_running = 128, .max_queued = 1024});
  ASSERT_TRUE(pool.Submit([] {}));
  EXPECT_TRUE(pool.Stop(absl::InfiniteDuration()));
  EXPECT_EQ(pool.threads(), 0);
  EXPECT_FALSE(pool.Submit([] {}));
}

TEST(WorkerPoolTest, StopReportsATaskThatDoesNotEnd) {
  WorkerPool pool({.max_running = 128, .max_queued = 1024});
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
    WorkerPool pool({.max_running = 6, .max_queued = 64, .idle_timeout = absl::Microseconds(50)});
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

// Touches `bytes` of the stack.
[[gnu::noinline]] int UseStack(size_t bytes) {
  std::array<volatile char, 4096> frame;
  frame[0] = static_cast<char>(bytes);
  return bytes <= frame.size() ? frame[0] : UseStack(bytes - frame.size()) + frame[0];
}

TEST(WorkerPoolTest, TasksHaveTheConfiguredStack) {
  WorkerPool pool({.max_running = 128, .max_queued = 1024, .stack_bytes = size_t{4} << 20});
  absl::Notification done;
  ASSERT_TRUE(pool.Submit([&] {
    UseStack((size_t{4} << 20) - (size_t{64} << 10));
    done.Notify();
  }));
  done.WaitForNotification();
}

// The bytes of address space that this process may still use.
class AddressSpaceLeft {
 public:
  explicit AddressSpaceLeft(size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLeft() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

constexpr size_t kLargeStack = size_t{1} << 30;

TEST(WorkerPoolTest, WithoutAStackForMoreTasksTheyRunOneAfterAnother) {
  std::atomic<int> ran{0};
  absl::Notification release;
  {
    WorkerPool pool({.max_running = 4, .max_queued = 1024, .stack_bytes = kLargeStack});
    absl::Notification began;
    ASSERT_TRUE(pool.Submit([&] {
      began.Notify();
      release.WaitForNotification();
      ++ran;
    }));
    began.WaitForNotification();
    const AddressSpaceLeft limit(kLargeStack / 2);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }));
    WaitUntil([&] { return pool.threads() > 1; });
    EXPECT_EQ(pool.queued(), 3);
    release.Notify();
    WaitUntil([&] { return ran == 4; });
  }
  EXPECT_EQ(ran.load(), 4);
}

TEST(WorkerPoolTest, RefusesWithoutAStackForTheFirstTask) {
  WorkerPool pool({.max_running = 128, .max_queued = 1024, .stack_bytes = kLargeStack});
  const AddressSpaceLeft limit(kLargeStack / 2);
  EXPECT_FALSE(pool.Submit([] { FAIL() << "ran without a stack"; }));
}

TEST(WorkerPoolTest, TasksThatWaitLeaveTheirThreads) {
  constexpr int kTasks = 100;
  std::vector<Baton> batons(kTasks);
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  WorkerPool pool({.max_running = kTasks, .max_queued = 1024});
  for (Baton& baton : batons) {
    ASSERT_TRUE(pool.Submit([&] {
      ++begun;
      baton.Wait();
      ++ended;
    }));
  }
  WaitUntil([&] { return begun == kTasks; });
  EXPECT_EQ(ended.load(), 0);
  EXPECT_LT(pool.threads(), kTasks / 2);
  for (Baton& baton : batons) baton.Post();
  WaitUntil([&] { return ended == kTasks; });
}

TEST(WorkerPoolTest, TasksThatWaitCountAsRunning) {
  WorkerPool pool({.max_running = 2, .max_queued = 1});
  std::array<Baton, 3> batons;
  std::atomic<int> begun{0};
  for (Baton& baton : batons) {
    ASSERT_TRUE(pool.Submit([&] {
      ++begun;
      baton.Wait();
    }));
  }
  WaitUntil([&] { return begun == 2; });
  EXPECT_EQ(pool.queued(), 1);
  EXPECT_FALSE(pool.Submit([] {}));
  batons[0].Post();
  WaitUntil([&] { return begun == 3; });
  batons[1].Post();
  batons[2].Post();
}

TEST(WorkerPoolTest, TasksThatStepAsideLeaveTheirPlacesAndComeBackWhenThereIsOne) {
  constexpr int kAside = 20;
  WorkerPool pool({.max_running = 2, .max_queued = 100});
  std::array<Baton, kAside> batons;
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  for (Baton& baton : batons) {
    ASSERT_TRUE(pool.Submit([&] {
      ++begun;
      baton.WaitAside();
      ++ended;
    }));
  }
  WaitUntil([&] { return begun == kAside; });
  EXPECT_EQ(pool.queued(), 0);
  // Both places are free for others, and no more than these.
  absl::Notification release;
  absl::BlockingCounter blocked(2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pool.Submit([&] {
      blocked.DecrementCount();
      release.WaitForNotification();
    }));
  }
  blocked.Wait();
  for (Baton& baton : batons) baton.Post();
  EXPECT_LE(pool.threads(), 2);
  EXPECT_EQ(ended.load(), 0) << "they wait for a place again";
  release.Notify();
  WaitUntil([&] { return ended == kAside; });
}

TEST(WorkerPoolTest, StopWaitsForTasksThatStepAside) {
  Baton baton;
  std::atomic<bool> ended{false};
  WorkerPool pool({.max_running = 1, .max_queued = 1024, .idle_timeout = absl::Microseconds(50)});
  ASSERT_TRUE(pool.Submit([&] {
    baton.WaitAside();
    ended = true;
  }));
  EXPECT_FALSE(pool.Stop(absl::Milliseconds(5)));
  EXPECT_EQ(pool.threads(), 1) << "the last thread stays for the task that waits";
  baton.Post();
  EXPECT_TRUE(pool.Stop(absl::InfiniteDuration()));
  EXPECT_TRUE(ended.load());
}

TEST(WorkerPoolTest, ATaskThatStepsAsideForNothingGoesOn) {
  WorkerPool pool({.max_running = 3, .max_queued = 100'000});
  std::atomic<int> ended{0};
  std::vector<Baton> batons(10'000);
  for (Baton& baton : batons) {
    ASSERT_TRUE(pool.Submit([&] {
      baton.WaitAside();
      ++ended;
    }));
    ASSERT_TRUE(pool.Submit([&] { baton.Post(); }));  // Before, while or after the other steps aside.
  }
  WaitUntil([&] { return ended == 10'000; });
}

TEST(WorkerPoolTest, StopWaitsForTasksThatWait) {
  Baton baton;
  std::atomic<bool> ended{false};
  WorkerPool pool({.max_running = 128, .max_queued = 1024, .idle_timeout = absl::Microseconds(50)});
  ASSERT_TRUE(pool.Submit([&] {
    baton.Wait();
    ended = true;
  }));
  EXPECT_FALSE(pool.Stop(absl::Milliseconds(5)));
  EXPECT_EQ(pool.threads(), 1) << "the last thread stays for the task that waits";
  baton.Post();
  EXPECT_TRUE(pool.Stop(absl::InfiniteDuration()));
  EXPECT_TRUE(ended.load());
}

TEST(WorkerPoolTest, OneThreadStaysForTasksThatWaitWhenAllGoIdleAtOnce) {
  for (int round = 0; round < 50; ++round) {
    constexpr int kThreads = 8;
    WorkerPool pool({.max_running = 128, .max_queued = 1024, .idle_timeout = absl::Microseconds(200)});
    Baton baton;
    ASSERT_TRUE(pool.Submit([&] { baton.Wait(); }));
    absl::Notification release;
    absl::BlockingCounter blocked(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      ASSERT_TRUE(pool.Submit([&] {
        blocked.DecrementCount();
        release.WaitForNotification();
      }));
    }
    blocked.Wait();
    release.Notify();
    WaitUntil([&] { return pool.threads() <= 1; });
    absl::SleepFor(absl::Milliseconds(2));  // The last one has had time to leave as well.
    EXPECT_EQ(pool.threads(), 1);
    baton.Post();
  }
}

TEST(WorkerPoolTest, ATaskThatComesWhileTheOnlyThreadEndsIsRun) {
  WorkerPool pool({.max_running = 1, .max_queued = 1024, .idle_timeout = absl::ZeroDuration()});
  for (int i = 0; i < 20'000; ++i) {
    absl::Notification ran;
    ASSERT_TRUE(pool.Submit([&] { ran.Notify(); }));
    ran.WaitForNotification();
    for (int spin = 0; spin < i % 500; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

TEST(WorkerPoolTest, TasksThatBlockHoldUpNoneThatWaited) {
  WorkerPool pool({.max_running = 3, .max_queued = 1024});
  Baton baton;
  absl::Notification release;
  absl::Notification went_on;
  absl::BlockingCounter begun(3);
  ASSERT_TRUE(pool.Submit([&] {
    begun.DecrementCount();
    baton.Wait();
    went_on.Notify();
  }));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(pool.Submit([&] {
      begun.DecrementCount();
      release.WaitForNotification();
    }));
  }
  begun.Wait();
  baton.Post();
  went_on.WaitForNotification();
  release.Notify();
}

TEST(WorkerPoolTest, TasksHandOverToEachOther) {
  constexpr int kRounds = 200;
  constexpr int kTasks = 16;
  std::atomic<int> ended{0};
  {
    WorkerPool pool({.max_running = kTasks * 2, .max_queued = kTasks * 2, .idle_timeout = absl::Microseconds(100)});
    // Pairs that play ping-pong: each end reads what the other writes, on any threads.
    struct Pair {
      std::vector<Baton> to_first{kRounds};
      std::vector<Baton> to_second{kRounds};
      int value = 0;
    };
    std::vector<Pair> pairs(kTasks);
    for (Pair& pair : pairs) {
      ASSERT_TRUE(pool.Submit([&] {
        for (int round = 0; round < kRounds; ++round) {
          ++pair.value;
          pair.to_second[round].Post();
          pair.to_first[round].Wait();
        }
        ++ended;
      }));
      ASSERT_TRUE(pool.Submit([&] {
        for (int round = 0; round < kRounds; ++round) {
          pair.to_second[round].Wait();
          EXPECT_EQ(pair.value, 2 * round + 1);
          ++pair.value;
          pair.to_first[round].Post();
        }
        ++ended;
      }));
    }
    pool.Stop(absl::InfiniteDuration());
  }
  EXPECT_EQ(ended.load(), 2 * kTasks);
}

}  // namespace
}  // namespace toolgate::fibers
