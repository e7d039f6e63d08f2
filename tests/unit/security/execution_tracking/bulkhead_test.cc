#include "security/execution_tracking/bulkhead.h"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
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
using testing::FakeClock;
using ::testing::HasSubstr;

constexpr fairness::Shares kNoBounds;
constexpr fairness::Shares kShares{.of_user = 0.75, .of_workspace = 0.9};
constexpr fairness::Party kCaller{"w", "u"};

class BulkheadTest : public ::testing::Test {
 protected:
  absl::StatusOr<Bulkhead::Slot> Acquire(Bulkhead& bulkhead, const fairness::Party& party = kCaller) {
    QueuePatience patience(clock_, cancellation_, absl::Seconds(1));
    return bulkhead.Acquire(party, patience);
  }
  // Waits until `count` calls are in line: a state, not a time.
  static void AwaitWaiting(const Bulkhead& bulkhead, int64_t count) {
    while (bulkhead.waiting() != count) std::this_thread::yield();
  }

  FakeClock clock_;
  fibers::Cancellation cancellation_{clock_, absl::InfiniteDuration()};
  fairness::SharedCount queued_{100};
  fibers::WaitTimer timer_{clock_};
};

TEST_F(BulkheadTest, GivesItsPlacesAndTakesThemBack) {
  Bulkhead bulkhead(2, kNoBounds, queued_, timer_);
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
  fairness::SharedCount none(0);
  Bulkhead bulkhead(1, kNoBounds, none, timer_);
  const auto taken = Acquire(bulkhead);
  const std::optional<ToolError> error = GetToolError(Acquire(bulkhead).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kOverloaded);
  EXPECT_TRUE(error->retryable);
  EXPECT_EQ(error->retry_after, absl::Seconds(1));
  EXPECT_EQ(bulkhead.waiting(), 0);
}

TEST_F(BulkheadTest, BulkheadsShareOneBoundOnTheirQueues) {
  fairness::SharedCount queued(1);
  Bulkhead one(1, kNoBounds, queued, timer_);
  Bulkhead two(1, kNoBounds, queued, timer_);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
  const auto taken = Acquire(bulkhead);
  std::thread waiter([&] { EXPECT_EQ(CodeOf(Acquire(bulkhead).status()), ErrorCode::kCancelled); });
  AwaitWaiting(bulkhead, 1);
  cancellation_.Cancel();
  waiter.join();
  EXPECT_EQ(bulkhead.waiting(), 0);
}

TEST_F(BulkheadTest, GivesUpAtTheCallsDeadline) {
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
  const auto taken = Acquire(bulkhead);
  std::thread waiter([&] {
    fibers::Cancellation own(clock_, absl::Milliseconds(100));
    QueuePatience patience(clock_, own, absl::Hours(1));
    EXPECT_EQ(CodeOf(bulkhead.Acquire(kCaller, patience).status()), ErrorCode::kTimeout);
  });
  AwaitWaiting(bulkhead, 1);
  clock_.Advance(absl::Milliseconds(100));
  waiter.join();
}

TEST_F(BulkheadTest, TheFirstInLineIsServedFirstAndNobodyOvertakes) {
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
  Bulkhead::Slot taken = *Acquire(bulkhead);
  fibers::Cancellation leaver(clock_, absl::InfiniteDuration());
  std::thread first([&] {
    QueuePatience patience(clock_, leaver, absl::Seconds(1));
    EXPECT_EQ(CodeOf(bulkhead.Acquire(kCaller, patience).status()), ErrorCode::kCancelled);
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
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
  Bulkhead::Slot aside = *Acquire(bulkhead);
  aside.StepAside();
  EXPECT_EQ(bulkhead.in_flight(), 0);
  Bulkhead::Slot other = *Acquire(bulkhead);
  EXPECT_EQ(bulkhead.in_flight(), 1);
  // Back at once, beyond the bound, so that what it waited for is not lost.
  aside.StepBack();
  EXPECT_EQ(bulkhead.in_flight(), 2);
  EXPECT_FALSE(bulkhead.HasRoomForAnyone());
  // The first place given back pays for it.
  other = Bulkhead::Slot();
  EXPECT_EQ(bulkhead.in_flight(), 1);
  EXPECT_FALSE(bulkhead.HasRoomForAnyone());
  aside = Bulkhead::Slot();
  EXPECT_EQ(bulkhead.in_flight(), 0);
  EXPECT_TRUE(bulkhead.HasRoomForAnyone());
}

TEST_F(BulkheadTest, ACallThatStepsAsideLetsTheFirstInLineIn) {
  Bulkhead bulkhead(1, kNoBounds, queued_, timer_);
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
  fairness::SharedCount queued(20);
  Bulkhead bulkhead(4, kNoBounds, queued, timer_);
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
        const auto slot = bulkhead.Acquire(kCaller, patience);
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

std::string MessageOf(const absl::Status& status) { return GetToolError(status).value_or(ToolError()).message; }

TEST_F(BulkheadTest, OneUserCannotHoldAllSlots) {
  Bulkhead bulkhead(8, kShares, queued_, timer_);
  std::vector<Bulkhead::Slot> held;
  for (int i = 0; i < 6; ++i) held.push_back(*bulkhead.TryAcquire({"w", "a"}));
  EXPECT_FALSE(bulkhead.TryAcquire({"w", "a"}).has_value());
  EXPECT_FALSE(bulkhead.HasRoomForAnyone());
  EXPECT_TRUE(bulkhead.TryAcquire({"w", "b"}).has_value());
  EXPECT_TRUE(bulkhead.TryAcquire({"x", "a"}).has_value());
  EXPECT_EQ(bulkhead.in_flight(), 6);
}

// The calls of the one who has its share wait although slots are free, and others pass them.
TEST_F(BulkheadTest, OthersRunWhileAUserWaitsForItsOwnCalls) {
  Bulkhead bulkhead(4, kShares, queued_, timer_);
  std::vector<Bulkhead::Slot> held;
  for (int i = 0; i < 3; ++i) held.push_back(*bulkhead.TryAcquire({"w", "a"}));
  std::thread waiter([&] { EXPECT_TRUE(Acquire(bulkhead, {"w", "a"}).ok()); });
  AwaitWaiting(bulkhead, 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Acquire(bulkhead, {"x", "b"}).ok());
  EXPECT_EQ(bulkhead.waiting(), 1);
  held.pop_back();
  waiter.join();
}

TEST_F(BulkheadTest, SaysWhoseCallsAreTooMany) {
  Bulkhead bulkhead(4, kShares, queued_, timer_);
  std::vector<Bulkhead::Slot> held;
  for (int i = 0; i < 3; ++i) held.push_back(*bulkhead.TryAcquire({"w", "a"}));
  std::thread waiter([&] {
    const absl::Status status = Acquire(bulkhead, {"w", "a"}).status();
    EXPECT_EQ(CodeOf(status), ErrorCode::kOverloaded);
    EXPECT_THAT(MessageOf(status), HasSubstr("calls of this user"));
  });
  AwaitWaiting(bulkhead, 1);
  clock_.Advance(absl::Seconds(1));
  waiter.join();

  fairness::SharedCount few(4, kShares);
  std::vector<fairness::SharedCount::Taken> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(few.TryTake({"w", "a"}));
  Bulkhead full(1, kShares, few, timer_);
  const Bulkhead::Slot slot = *full.TryAcquire({"w", "a"});
  EXPECT_THAT(MessageOf(Acquire(full, {"w", "a"}).status()), HasSubstr("calls of this user are waiting"));
  std::thread other([&] { EXPECT_EQ(CodeOf(Acquire(full, {"x", "b"}).status()), ErrorCode::kOverloaded); });
  AwaitWaiting(full, 1);
  clock_.Advance(absl::Seconds(1));
  other.join();
}

// Ten calls of one user wait before the first of another comes: it is served second.
TEST_F(BulkheadTest, TheFirstCallOfAnotherGoesBeforeTheTenthOfThisOne) {
  Bulkhead bulkhead(1, kShares, queued_, timer_);
  Bulkhead::Slot taken = *Acquire(bulkhead, {"w", "a"});
  std::vector<std::string> served;  // Guarded by the one slot.
  std::vector<std::thread> waiters;
  for (int i = 0; i < 11; ++i) {
    waiters.emplace_back([&, user = i < 10 ? "a" : "b"] {
      const auto slot = Acquire(bulkhead, {"w", user});
      ASSERT_TRUE(slot.ok());
      served.emplace_back(user);
    });
    AwaitWaiting(bulkhead, i + 1);
  }
  taken = Bulkhead::Slot();
  for (std::thread& waiter : waiters) waiter.join();
  ASSERT_THAT(served, ::testing::SizeIs(11));
  EXPECT_EQ(served[1], "b");
}

// A call that gives up while it waits lets those in that its own turn kept out.
TEST_F(BulkheadTest, OneThatGivesUpInTheLineOfItsUserHoldsUpNoOther) {
  Bulkhead bulkhead(2, kShares, queued_, timer_);
  Bulkhead::Slot first = *Acquire(bulkhead, {"w", "a"});
  const auto second = Acquire(bulkhead, {"v", "b"});
  fibers::Cancellation leaver(clock_, absl::InfiniteDuration());
  std::thread leaving([&] {
    QueuePatience patience(clock_, leaver, absl::Seconds(1));
    EXPECT_EQ(CodeOf(bulkhead.Acquire({"x", "c"}, patience).status()), ErrorCode::kCancelled);
  });
  AwaitWaiting(bulkhead, 1);
  std::thread staying([&] { EXPECT_TRUE(Acquire(bulkhead, {"x", "c"}).ok()); });
  AwaitWaiting(bulkhead, 2);
  leaver.Cancel();
  leaving.join();
  first = Bulkhead::Slot();
  staying.join();
  EXPECT_EQ(bulkhead.in_flight(), 1);
  EXPECT_EQ(queued_.taken(), 0);
}

// Threads of five users, one of whom has most of them, take, wait, leave, step aside and come back. Never more than the
// bound but for those that came back, no slot is lost, and every user is served.
TEST_F(BulkheadTest, SharesUnderThreadsAndLosesNoWakeUp) {
  fairness::SharedCount queued(200, kShares);
  Bulkhead bulkhead(5, kShares, queued, timer_);
  const std::vector<std::string> users = {"a", "a", "a", "a", "a", "a", "a", "a", "b", "c", "d", "e"};
  std::vector<std::atomic<int>> served(users.size());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < users.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        fibers::Cancellation own(clock_, absl::InfiniteDuration());
        if (i % 7 == 0) own.Cancel();
        QueuePatience patience(clock_, own, absl::Seconds(1));
        auto slot = bulkhead.Acquire({users[t] < "c" ? "w" : "x", users[t]}, patience);
        if (!slot.ok()) continue;
        if (i % 5 == 0) {
          slot->StepAside();
          std::this_thread::yield();
          slot->StepBack();
        }
        ++served[t];
        if (i % 16 == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& count : served) EXPECT_GT(count.load(), 0);
  EXPECT_EQ(bulkhead.in_flight(), 0);
  EXPECT_EQ(bulkhead.waiting(), 0);
  EXPECT_EQ(queued.taken(), 0);
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
