#include "security/execution_tracking/bulkhead.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/fiber.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::execution_tracking {
namespace {

using testing::CodeOf;
using ::testing::ElementsAre;
using testing::FakeClock;

class BulkheadTest : public ::testing::Test {
 protected:
  absl::StatusOr<Bulkhead::Slot> Acquire(Bulkhead& bulkhead) {
    QueuePatience patience(clock_, cancellation_, absl::Seconds(1));
    return bulkhead.Acquire(patience);
  }
  // Waits until `count` calls are in line: a state, not a time.
  static void AwaitWaiting(const Bulkhead& bulkhead, int64_t count) {
    while (bulkhead.waiting() != count) std::this_thread::yield();
  }

  FakeClock clock_;
  fibers::Cancellation cancellation_{clock_, absl::InfiniteDuration()};
  BoundedCount queued_{100};
  fibers::WaitTimer timer_{clock_};
};

TEST_F(BulkheadTest, GivesItsPlacesAndTakesThemBack) {
  Bulkhead bulkhead(2, queued_, timer_);
  {
    const auto first = Acquire(bulkhead);
    const auto second = Acquire(bulkhead);
    EXPECT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(bulkhead.in_flight(), 2);
  }
  EXPECT_EQ(bulkhead.in_flight(), 0);
  Bulkhead::Slot slot = *Acquire(bulkhead);
  Bulkhead::Slot moved = std::move(slot);
  EXPECT_EQ(bulkhead.in_flight(), 1);
  moved = *Acquire(bulkhead);
  EXPECT_EQ(bulkhead.in_flight(), 1);
}

TEST_F(BulkheadTest, RefusesAtOnceWhenTooManyWait) {
  BoundedCount none(0);
  Bulkhead bulkhead(1, none, timer_);
  const auto taken = Acquire(bulkhead);
  const std::optional<ToolError> error = GetToolError(Acquire(bulkhead).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kOverloaded);
  EXPECT_TRUE(error->retryable);
  EXPECT_EQ(error->retry_after, absl::Seconds(1));
  EXPECT_EQ(bulkhead.waiting(), 0);
}

TEST_F(BulkheadTest, BulkheadsShareOneBoundOnTheirQueues) {
  BoundedCount queued(1);
  Bulkhead one(1, queued, timer_);
  Bulkhead two(1, queued, timer_);
  Bulkhead::Slot first = *Acquire(one);
  const auto second = Acquire(two);
  std::thread waiter([&] { EXPECT_TRUE(Acquire(one).ok()); });
  AwaitWaiting(one, 1);
  EXPECT_EQ(CodeOf(Acquire(two).status()), ErrorCode::kOverloaded);
  first = Bulkhead::Slot();
  waiter.join();
  EXPECT_EQ(queued.taken(), 0);
}

TEST_F(BulkheadTest, GivesUpWhenTheQueueTimeIsOver) {
  Bulkhead bulkhead(1, queued_, timer_);
  const auto taken = Acquire(bulkhead);
  std::thread waiter([&] { EXPECT_EQ(CodeOf(Acquire(bulkhead).status()), ErrorCode::kOverloaded); });
  AwaitWaiting(bulkhead, 1);
  clock_.Advance(absl::Hours(1));
  waiter.join();
  EXPECT_EQ(bulkhead.waiting(), 0);
  EXPECT_EQ(queued_.taken(), 0);
  EXPECT_EQ(bulkhead.in_flight(), 1);
}

TEST_F(BulkheadTest, GivesUpWhenTheClientLeaves) {
  Bulkhead bulkhead(1, queued_, timer_);
  const auto taken = Acquire(bulkhead);
  std::thread waiter([&] { EXPECT_EQ(CodeOf(Acquire(bulkhead).status()), ErrorCode::kCancelled); });
  AwaitWaiting(bulkhead, 1);
  cancellation_.Cancel();
  waiter.join();
  EXPECT_EQ(bulkhead.waiting(), 0);
}

TEST_F(BulkheadTest, GivesUpAtTheCallsDeadline) {
  Bulkhead bulkhead(1, queued_, timer_);
  const auto taken = Acquire(bulkhead);
  std::thread waiter([&] {
    fibers::Cancellation own(clock_, absl::Milliseconds(100));
    QueuePatience patience(clock_, own, absl::Hours(1));
    EXPECT_EQ(CodeOf(bulkhead.Acquire(patience).status()), ErrorCode::kTimeout);
  });
  AwaitWaiting(bulkhead, 1);
  clock_.Advance(absl::Milliseconds(100));
  waiter.join();
}

TEST_F(BulkheadTest, TheFirstInLineIsServedFirstAndNobodyOvertakes) {
  Bulkhead bulkhead(1, queued_, timer_);
  Bulkhead::Slot taken = *Acquire(bulkhead);
  std::vector<int> served;  // Guarded by the one place.
  std::vector<std::thread> waiters;
  for (int i = 0; i < 20; ++i) {
    waiters.emplace_back([&, i] {
      const auto slot = Acquire(bulkhead);
      ASSERT_TRUE(slot.ok());
      served.push_back(i);
    });
    AwaitWaiting(bulkhead, i + 1);
  }
  taken = Bulkhead::Slot();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_THAT(served, ::testing::SizeIs(20));
  EXPECT_TRUE(std::is_sorted(served.begin(), served.end()));
}

// Runs fibers on the calling thread, and knows which have stepped aside.
class ByHand final : public fibers::FiberScheduler {
 public:
  void Resume(fibers::Fiber& fiber) override {
    absl::MutexLock lock(&mutex_);
    ready_.push_back(&fiber);
  }
  void StepAside(fibers::Fiber&) override { ++aside; }
  fibers::Fiber* Next() {
    absl::MutexLock lock(&mutex_);
    const auto some = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !ready_.empty(); };
    mutex_.Await(absl::Condition(&some));
    fibers::Fiber* const fiber = ready_.front();
    ready_.pop_front();
    return fiber;
  }

  std::atomic<int> aside{0};

 private:
  absl::Mutex mutex_;
  std::deque<fibers::Fiber*> ready_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(BulkheadTest, FibersThatWaitKeepNoThread) {
  constexpr size_t kStack = size_t{256} << 10;
  Bulkhead bulkhead(1, queued_, timer_);
  ByHand scheduler;
  Bulkhead::Slot taken = *Acquire(bulkhead);
  std::vector<std::unique_ptr<fibers::Fiber>> fibers;
  int served = 0;
  for (int i = 0; i < 3; ++i) {
    fibers.push_back(std::make_unique<fibers::Fiber>(scheduler, kStack));
    fibers.back()->Take([&] {
      const auto slot = Acquire(bulkhead);
      EXPECT_TRUE(slot.ok());
      ++served;
    });
    EXPECT_FALSE(fibers.back()->Run()) << "this thread goes on while the fiber waits";
  }
  EXPECT_EQ(bulkhead.waiting(), 3);
  EXPECT_EQ(scheduler.aside, 3);
  taken = Bulkhead::Slot();
  for (const auto& fiber : fibers) {
    fibers::Fiber* const next = scheduler.Next();
    EXPECT_EQ(next, fiber.get()) << "first come, first served";
    EXPECT_TRUE(next->Run());
  }
  EXPECT_EQ(served, 3);
}

TEST_F(BulkheadTest, AFiberIsSentAwayWhenItsClientLeaves) {
  Bulkhead bulkhead(1, queued_, timer_);
  ByHand scheduler;
  const auto taken = Acquire(bulkhead);
  fibers::Fiber fiber(scheduler, size_t{256} << 10);
  fiber.Take([&] { EXPECT_EQ(CodeOf(Acquire(bulkhead).status()), ErrorCode::kCancelled); });
  EXPECT_FALSE(fiber.Run());
  cancellation_.Cancel();
  EXPECT_TRUE(scheduler.Next()->Run());
  EXPECT_EQ(bulkhead.waiting(), 0);
  EXPECT_EQ(queued_.taken(), 0);
}

TEST_F(BulkheadTest, ACallThatGivesUpDoesNotHoldUpTheLine) {
  Bulkhead bulkhead(1, queued_, timer_);
  Bulkhead::Slot taken = *Acquire(bulkhead);
  fibers::Cancellation leaver(clock_, absl::InfiniteDuration());
  std::thread first([&] {
    QueuePatience patience(clock_, leaver, absl::Seconds(1));
    EXPECT_EQ(CodeOf(bulkhead.Acquire(patience).status()), ErrorCode::kCancelled);
  });
  AwaitWaiting(bulkhead, 1);
  std::thread second([&] { EXPECT_TRUE(Acquire(bulkhead).ok()); });
  AwaitWaiting(bulkhead, 2);
  leaver.Cancel();
  first.join();
  taken = Bulkhead::Slot();
  second.join();
  EXPECT_EQ(bulkhead.in_flight(), 0);
}

TEST_F(BulkheadTest, ACallThatStepsAsideLeavesItsPlaceToOthers) {
  Bulkhead bulkhead(1, queued_, timer_);
  Bulkhead::Slot aside = *Acquire(bulkhead);
  aside.StepAside();
  EXPECT_EQ(bulkhead.in_flight(), 0);
  Bulkhead::Slot other = *Acquire(bulkhead);
  EXPECT_EQ(bulkhead.in_flight(), 1);
  // Back at once, beyond the bound, so that what it waited for is not lost.
  aside.StepBack();
  EXPECT_EQ(bulkhead.in_flight(), 2);
  EXPECT_FALSE(bulkhead.HasPlace());
  // The first place given back pays for it.
  other = Bulkhead::Slot();
  EXPECT_EQ(bulkhead.in_flight(), 1);
  EXPECT_FALSE(bulkhead.HasPlace());
  aside = Bulkhead::Slot();
  EXPECT_EQ(bulkhead.in_flight(), 0);
  EXPECT_TRUE(bulkhead.HasPlace());
}

TEST_F(BulkheadTest, ACallThatStepsAsideLetsTheFirstInLineIn) {
  Bulkhead bulkhead(1, queued_, timer_);
  Bulkhead::Slot aside = *Acquire(bulkhead);
  std::thread waiter([&] { EXPECT_TRUE(Acquire(bulkhead).ok()); });
  AwaitWaiting(bulkhead, 1);
  aside.StepAside();
  waiter.join();
  aside.StepBack();
  EXPECT_EQ(bulkhead.in_flight(), 1);
}

// 64 threads for 4 places, some of which give up: never more than 4 inside, and at the end every place is free.
TEST_F(BulkheadTest, HoldsItsBoundUnderThreadsAndLosesNoPlace) {
  BoundedCount queued(20);
  Bulkhead bulkhead(4, queued, timer_);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> passed{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        fibers::Cancellation own(clock_, absl::InfiniteDuration());
        if (t % 8 == 0) own.Cancel();  // Takes a free place, but never waits.
        QueuePatience patience(clock_, own, absl::Seconds(1));
        const auto slot = bulkhead.Acquire(patience);
        if (!slot.ok()) {
          ++refused;
          continue;
        }
        const int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        if (i % 16 == 0) std::this_thread::yield();
        --inside;
        ++passed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most.load(), 4);
  EXPECT_EQ(passed + refused, 64 * 200);
  EXPECT_GT(passed.load(), 0);
  EXPECT_EQ(bulkhead.in_flight(), 0);
  EXPECT_EQ(bulkhead.waiting(), 0);
  EXPECT_EQ(queued.taken(), 0);
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
