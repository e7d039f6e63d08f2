#include "common/fibers/wait_timer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "common/tool_error.h"
#include "tests/support/fake_clock.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::fibers {
namespace {

using testing::FailsWith;
using testing::FakeClock;

class WaitTimerTest : public ::testing::Test {
 protected:
  // Until `count` calls wait: a state, not a time.
  void AwaitWaiting(int64_t count) {
    while (timer_.waiting() != count) std::this_thread::yield();
  }

  FakeClock clock_;
  Cancellation cancellation_{clock_, absl::InfiniteDuration()};
  WaitTimer timer_{clock_};
};

TEST_F(WaitTimerTest, AnswersAtOnceWhenTheEventIsSet) {
  Event event;
  event.Set();
  cancellation_.Cancel();
  EXPECT_EQ(timer_.Wait(event, cancellation_, clock_.Monotonic()).value(), true)
      << "what came counts, also for a call that must stop: it asks for itself";
}

TEST_F(WaitTimerTest, EndsWhenTheEventIsSet) {
  Event event;
  std::thread other([&] {
    AwaitWaiting(1);
    event.Set();
  });
  EXPECT_EQ(timer_.Wait(event, cancellation_).value(), true);
  other.join();
  EXPECT_EQ(timer_.waiting(), 0);
}

TEST_F(WaitTimerTest, EndsAtTheTimeGiven) {
  Event event;
  std::thread other([&] {
    AwaitWaiting(1);
    clock_.Advance(absl::Seconds(5));
  });
  EXPECT_EQ(timer_.Wait(event, cancellation_, clock_.Monotonic() + absl::Seconds(5)).value(), false);
  other.join();
}

TEST_F(WaitTimerTest, EndsAtTheCallsDeadline) {
  Event event;
  Cancellation own(clock_, clock_.Monotonic() + absl::Seconds(5));
  std::thread other([&] {
    AwaitWaiting(1);
    clock_.Advance(absl::Seconds(5));
  });
  EXPECT_THAT(timer_.Wait(event, own), FailsWith(ErrorCode::kTimeout, "", ""));
  other.join();
}

TEST_F(WaitTimerTest, EndsWhenTheClientLeaves) {
  Event event;
  std::thread other([&] {
    AwaitWaiting(1);
    cancellation_.Cancel();
  });
  EXPECT_THAT(timer_.Wait(event, cancellation_), FailsWith(ErrorCode::kCancelled, "", ""));
  other.join();
}

TEST_F(WaitTimerTest, EndsWhenASourceSaysThatTheClientLeft) {
  Event event;
  Cancellation source;
  cancellation_.Watch(source);
  std::thread other([&] {
    AwaitWaiting(1);
    source.Cancel();
  });
  EXPECT_THAT(timer_.Wait(event, cancellation_), FailsWith(ErrorCode::kCancelled, "", ""));
  other.join();
}

TEST_F(WaitTimerTest, ACallThatWasCancelledBeforeDoesNotWait) {
  Event event;
  cancellation_.Cancel();
  EXPECT_THAT(timer_.Wait(event, cancellation_), FailsWith(ErrorCode::kCancelled, "", ""));
}

// Runs fibers on the thread that asks it to.
class OneByOne final : public FiberScheduler {
 public:
  void Resume(Fiber& fiber) override {
    absl::MutexLock lock(&mutex_);
    ready_.push_back(&fiber);
  }
  void StepAside(Fiber&) override { ++aside; }
  Fiber* Next() {
    absl::MutexLock lock(&mutex_);
    const auto some = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !ready_.empty(); };
    mutex_.Await(absl::Condition(&some));
    Fiber* const fiber = ready_.back();
    ready_.pop_back();
    return fiber;
  }

  int aside = 0;

 private:
  absl::Mutex mutex_;
  std::vector<Fiber*> ready_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(WaitTimerTest, OneThreadHoldsManyFibersThatWait) {
  constexpr int kFibers = 100;
  OneByOne scheduler;
  Event event[kFibers];
  std::vector<std::unique_ptr<Fiber>> fibers;
  int ended = 0;
  for (Event& own : event) {
    fibers.push_back(std::make_unique<Fiber>(scheduler, size_t{256} << 10));
    fibers.back()->Take([&] { ended += timer_.Wait(own, cancellation_).value() ? 1 : 0; });
    EXPECT_FALSE(fibers.back()->Run()) << "this thread goes on while the fiber waits";
  }
  EXPECT_EQ(timer_.waiting(), kFibers);
  EXPECT_EQ(scheduler.aside, kFibers);
  for (Event& own : event) own.Set();
  for (int i = 0; i < kFibers; ++i) EXPECT_TRUE(scheduler.Next()->Run());
  EXPECT_EQ(ended, kFibers);
}

// Sets, deadlines and cancellations that race: every wait ends, with the right answer.
TEST_F(WaitTimerTest, LosesNoWakeUp) {
  for (int round = 0; round < 300; ++round) {
    Event event;
    Cancellation own(clock_, absl::InfiniteDuration());
    std::thread setter([&] {
      if (round % 3 != 1) event.Set();
    });
    std::thread canceller([&] {
      if (round % 3 != 0) own.Cancel();
    });
    const absl::StatusOr<bool> waited = timer_.Wait(event, own);
    if (waited.ok()) {
      EXPECT_TRUE(*waited);
      EXPECT_NE(round % 3, 1) << "nobody set the event";
    } else {
      EXPECT_THAT(waited, FailsWith(ErrorCode::kCancelled, "", ""));
      EXPECT_NE(round % 3, 0) << "nobody cancelled the call";
    }
    setter.join();
    canceller.join();
  }
  EXPECT_EQ(timer_.waiting(), 0);
}

}  // namespace
}  // namespace toolgate::fibers
