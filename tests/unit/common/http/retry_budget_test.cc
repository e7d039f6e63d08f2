#include "common/http/retry_budget.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::http {
namespace {

class RetryBudgetTest : public ::testing::Test {
 protected:
  // The retries that are granted until one is refused.
  int TakeAll() {
    int taken = 0;
    while (budget_.TakeRetry()) ++taken;
    return taken;
  }

  testing::FakeClock clock_;
  RetryBudget budget_{clock_};
};

TEST_F(RetryBudgetTest, AServiceThatIsSeldomAskedHasTenRetries) { EXPECT_EQ(TakeAll(), 10); }

TEST_F(RetryBudgetTest, ATenthOfTheRequestsIsAddedToThem) {
  for (int i = 0; i < 99; ++i) budget_.CountRequest();
  EXPECT_EQ(TakeAll(), 19);
  budget_.CountRequest();
  EXPECT_EQ(TakeAll(), 1);
}

TEST_F(RetryBudgetTest, WhatIsOlderThanAMinuteDoesNotCount) {
  for (int i = 0; i < 100; ++i) budget_.CountRequest();
  EXPECT_EQ(TakeAll(), 20);
  clock_.Advance(absl::Seconds(59));
  EXPECT_EQ(TakeAll(), 0);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(TakeAll(), 10);
}

TEST_F(RetryBudgetTest, SecondsGoByOneByOne) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(budget_.TakeRetry());
    clock_.Advance(absl::Seconds(1));
  }
  EXPECT_FALSE(budget_.TakeRetry());
  clock_.Advance(absl::Seconds(50));
  EXPECT_EQ(TakeAll(), 1);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(TakeAll(), 1);
}

TEST_F(RetryBudgetTest, ALongSilenceForgetsEverything) {
  EXPECT_EQ(TakeAll(), 10);
  clock_.Advance(absl::Hours(1000));
  EXPECT_EQ(TakeAll(), 10);
}

}  // namespace
}  // namespace toolgate::http
