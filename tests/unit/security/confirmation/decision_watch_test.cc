#include "security/confirmation/decision_watch.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/status_macros.h"
#include "coordination/signals/local_signals.h"
#include "gtest/gtest.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::confirmation {
namespace {

using State = storage::Confirmation::State;
using testing::CodeOf;

class DecisionWatchTest : public ::testing::Test {
 protected:
  DecisionWatchTest() {
    caller_.workspace_id = "w";
    caller_.user_id = "ann";
    storage::Confirmation row;
    row.id = "c";
    row.user_id = "ann";
    row.created_at = clock_.Now();
    row.expires_at = clock_.Now() + absl::Minutes(5);
    EXPECT_TRUE(Commit([&](storage::Transaction& tx) { return tx.PutConfirmation(row); }).ok());
  }

  absl::Status Commit(absl::FunctionRef<absl::Status(storage::Transaction&)> body) {
    return store_->Commit({"w", "ann", "change", clock_.Now()}, storage::CommitMode::kDurable, cancellation_, body);
  }
  void Move(State to) {
    EXPECT_TRUE(Commit([&](storage::Transaction& tx) {
                  return tx.TransitionConfirmation("c", State::kPending, to, "boss").status();
                }).ok());
  }
  absl::StatusOr<State> Wait(absl::Duration timeout, const fibers::Cancellation& cancellation) {
    ASSIGN_OR_RETURN(const auto row, watch_.Wait(caller_, "c", timeout, cancellation));
    return row->state;
  }
  absl::StatusOr<State> Wait(absl::Duration timeout) { return Wait(timeout, cancellation_); }
  // Runs `act` once `count` calls wait.
  std::thread Once(size_t count, std::function<void()> act) {
    return std::thread([this, count, act = std::move(act)] {
      while (watch_.waiting() < count) std::this_thread::yield();
      act();
    });
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  fibers::Cancellation cancellation_;
  coordination::signals::LocalSignals signals_;
  std::unique_ptr<storage::Store> store_ = [this] {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    options.on_signal = [this](std::string_view subject) { signals_.Send(subject); };
    return testing::MakeTestStore(options);
  }();
  fibers::WaitTimer timer_{clock_};
  DecisionWatch watch_{*store_, signals_, clock_, timer_};
  Caller caller_;
};

TEST_F(DecisionWatchTest, ADecisionEndsTheWaitAtOnce) {
  std::thread other = Once(1, [&] { Move(State::kApproved); });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kApproved);
  other.join();
  EXPECT_EQ(watch_.waiting(), 0u);
}

// A store that other processes use, whose signals do not come here.
class SharedStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  bool IsShared() const override { return true; }
};

TEST_F(DecisionWatchTest, ADecisionOfAnotherProcessIsFound) {
  SharedStore shared(*store_);
  coordination::signals::LocalSignals unheard;
  DecisionWatch watch(shared, unheard, clock_, timer_);
  std::thread other([&] {
    while (watch.waiting() < 1) std::this_thread::yield();
    Move(State::kDenied);
    clock_.Advance(DecisionWatch::kLookInterval);
  });
  const auto row = watch.Wait(caller_, "c", absl::Seconds(30), cancellation_);
  EXPECT_EQ((*row)->state, State::kDenied);
  other.join();
}

TEST_F(DecisionWatchTest, AUseEndsTheWaitAtOnce) {
  std::thread other = Once(1, [&] { Move(State::kUsed); });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kUsed);
  other.join();
}

TEST_F(DecisionWatchTest, WhatIsRolledBackEndsNoWait) {
  std::thread other = Once(1, [&] {
    EXPECT_TRUE(store_
                    ->Commit({"w", "ann", "tried", clock_.Now()}, storage::CommitMode::kDryRun, cancellation_,
                             [](storage::Transaction& tx) {
                               return tx.TransitionConfirmation("c", State::kPending, State::kDenied, "boss").status();
                             })
                    .ok());
    EXPECT_EQ(watch_.waiting(), 1u);
    Move(State::kApproved);
  });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kApproved);
  other.join();
}

TEST_F(DecisionWatchTest, AnswersAtOnceWhatIsDecidedOrUnknown) {
  EXPECT_EQ(Wait(absl::ZeroDuration()).value(), State::kPending);
  Move(State::kApproved);
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kApproved);
  EXPECT_FALSE(watch_.Wait(caller_, "other", absl::Seconds(30), cancellation_)->has_value());
  caller_.workspace_id = "elsewhere";
  EXPECT_FALSE(watch_.Wait(caller_, "c", absl::Seconds(30), cancellation_)->has_value());
}

TEST_F(DecisionWatchTest, EndsWithTheTimeout) {
  std::thread other = Once(1, [&] { clock_.Advance(absl::Seconds(30)); });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kPending);
  other.join();
}

TEST_F(DecisionWatchTest, EndsWhenTheQuestionExpires) {
  clock_.Advance(absl::Minutes(5) - absl::Milliseconds(1));
  std::thread other = Once(1, [&] { clock_.Advance(absl::Milliseconds(1)); });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kPending);
  other.join();
}

TEST_F(DecisionWatchTest, EndsWithItsCall) {
  std::thread other = Once(1, [&] { cancellation_.Cancel(); });
  EXPECT_EQ(CodeOf(Wait(absl::Seconds(30)).status()), ErrorCode::kCancelled);
  other.join();
  fibers::Cancellation late(clock_, clock_.Monotonic() + absl::Seconds(3));
  std::thread second = Once(1, [&] { clock_.Advance(absl::Seconds(3)); });
  EXPECT_EQ(CodeOf(Wait(absl::Seconds(30), late).status()), ErrorCode::kTimeout);
  second.join();
  EXPECT_EQ(watch_.waiting(), 0u);
}

TEST_F(DecisionWatchTest, StopsForGood) {
  std::thread other = Once(1, [&] { watch_.Stop(); });
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kPending);
  other.join();
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kPending);
}

TEST_F(DecisionWatchTest, OneUserCannotTakeAllPlaces) {
  std::vector<std::thread> waiters;
  std::atomic<int> approved{0};
  for (size_t i = 0; i < DecisionWatch::kMaxWaitingOfUser; ++i) {
    waiters.emplace_back([&] {
      fibers::Cancellation own;
      if (Wait(absl::Seconds(30), own).value() == State::kApproved) ++approved;
    });
  }
  std::thread other = Once(DecisionWatch::kMaxWaitingOfUser, [&] {
    EXPECT_EQ(CodeOf(Wait(absl::Seconds(30)).status()), ErrorCode::kOverloaded);
    EXPECT_EQ(Wait(absl::ZeroDuration()).value(), State::kPending) << "a look needs no place";
    Move(State::kApproved);
  });
  for (std::thread& waiter : waiters) waiter.join();
  other.join();
  EXPECT_EQ(approved, static_cast<int>(DecisionWatch::kMaxWaitingOfUser));
  EXPECT_EQ(Wait(absl::Seconds(30)).value(), State::kApproved) << "the places are free again";
}

}  // namespace
}  // namespace toolgate::security::confirmation
