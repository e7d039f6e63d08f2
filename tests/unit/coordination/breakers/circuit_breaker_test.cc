#include "coordination/breakers/circuit_breaker.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::coordination::breakers {
namespace {

using ::testing::ElementsAre;
using testing::FakeClock;

BreakerSettings Settings() {
  return {.window = absl::Seconds(30),
          .min_calls = 10,
          .failure_ratio = 0.5,
          .consecutive_failures = 5,
          .open_duration = absl::Seconds(15),
          .half_open_probes = 3};
}

class CircuitBreakerTest : public ::testing::Test {
 protected:
  // One call for each letter: s succeeds, f fails, n ends without a verdict. Refused ones are counted.
  int Calls(std::string_view letters) {
    int refused = 0;
    for (const char letter : letters) {
      CircuitBreaker::Admission admission = breaker_.Admit();
      if (!admission.permit) {
        ++refused;
      } else if (letter == 's') {
        admission.permit.Succeed();
      } else if (letter == 'f') {
        admission.permit.Fail();
      }
    }
    return refused;
  }
  void OpenIt() { Calls("fffff"); }
  void HalfOpenIt() {
    OpenIt();
    clock_.Advance(absl::Seconds(15));
    Calls("n");
  }

  FakeClock clock_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, BreakerState>> changes_;  // Guarded by mutex_ while threads run.
  CircuitBreaker breaker_{"tool:x", Settings(), clock_, [this](std::string_view name, BreakerState state) {
                            const std::lock_guard<std::mutex> lock(mutex_);
                            changes_.emplace_back(name, state);
                          }};
};

struct Step {
  const char* what;
  std::string calls;
  int wait_seconds;  // Before the calls.
  BreakerState state;
  int refused;
};

struct History {
  const char* name;
  std::vector<Step> steps;
};

constexpr BreakerState kClosed = BreakerState::kClosed;
constexpr BreakerState kOpen = BreakerState::kOpen;
constexpr BreakerState kHalfOpen = BreakerState::kHalfOpen;

class CircuitBreakerHistoryTest : public CircuitBreakerTest, public ::testing::WithParamInterface<History> {};

TEST_P(CircuitBreakerHistoryTest, GoesThroughItsStates) {
  for (const Step& step : GetParam().steps) {
    clock_.Advance(absl::Seconds(step.wait_seconds));
    EXPECT_EQ(Calls(step.calls), step.refused) << step.what;
    EXPECT_EQ(breaker_.state(), step.state) << step.what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Histories, CircuitBreakerHistoryTest,
    ::testing::Values(
        History{"StaysClosedWhileCallsSucceed", {{"many good calls", std::string(100, 's'), 0, kClosed, 0}}},
        History{"OpensOnConsecutiveFailures",
                {{"four are not enough", "ffff", 0, kClosed, 0}, {"the fifth opens", "f", 0, kOpen, 0}}},
        History{"ASuccessStartsTheCountAnew",
                {{"four, one good", "ffffs", 0, kClosed, 0}, {"four more", "ffff", 0, kClosed, 0}}},
        History{
            "CallsWithoutVerdictNeverCount",
            {{"between failures", "ffnnffnn", 0, kClosed, 0}, {"they do not break the row either", "f", 0, kOpen, 0}}},
        History{"OpensOnTheRatioOnceThereAreEnoughCalls",
                {{"half of nine", "sfsfsfsfs", 0, kClosed, 0}, {"the tenth is the fifth failure", "f", 0, kOpen, 0}}},
        History{"BelowTheRatioItStaysClosed", {{"two of five", "ssfsfssfsfssfsfssfsf", 0, kClosed, 0}}},
        History{"OldCallsLeaveTheWindow",
                {{"eight calls", "sfsfsfsf", 0, kClosed, 0}, {"long after", "sf", 31, kClosed, 0}}},
        History{"OldSuccessesLeaveTheWindowToo",
                {{"many good calls", std::string(50, 's'), 0, kClosed, 0},
                 {"bad ones, half a minute later", "sfsfsfsfsf", 31, kOpen, 0}}},
        History{"RefusesWhileOpen",
                {{"opens", "fffff", 0, kOpen, 0}, {"refuses", "sss", 0, kOpen, 3}, {"still", "s", 14, kOpen, 1}}},
        History{"ProbesAfterTheOpenTimeAndCloses",
                {{"opens", "fffff", 0, kOpen, 0},
                 {"one good probe", "s", 15, kHalfOpen, 0},
                 {"two", "s", 0, kHalfOpen, 0},
                 {"three close it", "s", 0, kClosed, 0},
                 {"what was before is forgotten", "ffff", 0, kClosed, 0}}},
        History{"OneBadProbeOpensItAgain",
                {{"opens", "fffff", 0, kOpen, 0},
                 {"two good probes", "ss", 15, kHalfOpen, 0},
                 {"a bad one", "f", 0, kOpen, 0},
                 {"for as long as before", "s", 14, kOpen, 1},
                 {"and probes again, counted from none", "ss", 1, kHalfOpen, 0}}},
        History{"AProbeWithoutVerdictGivesItsPlaceBack",
                {{"opens", "fffff", 0, kOpen, 0},
                 {"many without verdict", "nnnnnnnnnn", 15, kHalfOpen, 0},
                 {"good ones still close it", "sss", 0, kClosed, 0}}}),
    [](const auto& row) { return row.param.name; });

TEST_F(CircuitBreakerTest, TellsTheTrueWaitWhileOpen) {
  OpenIt();
  clock_.Advance(absl::Seconds(4));
  EXPECT_EQ(breaker_.Admit().retry_after, absl::Seconds(11));
  clock_.Advance(absl::Seconds(11));
  EXPECT_TRUE(breaker_.Admit().permit);
}

TEST_F(CircuitBreakerTest, LetsAtMostTheProbesThroughAtATime) {
  HalfOpenIt();
  CircuitBreaker::Admission first = breaker_.Admit();
  CircuitBreaker::Admission second = breaker_.Admit();
  CircuitBreaker::Admission third = breaker_.Admit();
  EXPECT_TRUE(first.permit && second.permit && third.permit);
  const CircuitBreaker::Admission fourth = breaker_.Admit();
  EXPECT_FALSE(fourth.permit);
  EXPECT_GT(fourth.retry_after, absl::ZeroDuration());
  first.permit.Succeed();
  EXPECT_TRUE(breaker_.Admit().permit);
}

TEST_F(CircuitBreakerTest, ProbesOfAnEarlierTryStillHoldTheirPlaces) {
  HalfOpenIt();
  std::vector<CircuitBreaker::Admission> hanging;
  hanging.push_back(breaker_.Admit());
  hanging.push_back(breaker_.Admit());
  Calls("f");
  clock_.Advance(absl::Seconds(15));
  const CircuitBreaker::Admission probe = breaker_.Admit();
  EXPECT_TRUE(probe.permit);
  EXPECT_FALSE(breaker_.Admit().permit) << "three are in flight";
  hanging.clear();
  EXPECT_TRUE(breaker_.Admit().permit);
}

TEST_F(CircuitBreakerTest, CallsThatBeganBeforeAChangeHaveNoSayAfterIt) {
  std::vector<CircuitBreaker::Admission> early;
  for (int i = 0; i < 8; ++i) early.push_back(breaker_.Admit());
  HalfOpenIt();
  early[0].permit.Fail();
  EXPECT_EQ(breaker_.state(), kHalfOpen);
  Calls("ss");
  early[1].permit.Succeed();
  EXPECT_EQ(breaker_.state(), kHalfOpen) << "an early call is no probe";
  Calls("s");
  EXPECT_EQ(breaker_.state(), kClosed);
  for (int i = 2; i < 8; ++i) early[i].permit.Fail();
  EXPECT_EQ(breaker_.state(), kClosed);
  EXPECT_EQ(breaker_.Snapshot().calls, 0);
}

TEST_F(CircuitBreakerTest, AMovedPermitGivesOneVerdict) {
  HalfOpenIt();
  {
    CircuitBreaker::Permit first = breaker_.Admit().permit;
    CircuitBreaker::Permit second = std::move(first);
    second = breaker_.Admit().permit;  // The first probe ends without a verdict here.
    CircuitBreaker::Permit third = breaker_.Admit().permit;
    EXPECT_TRUE(breaker_.Admit().permit);
    second.Succeed();
    second.Succeed();
    second.Fail();
  }
  EXPECT_EQ(breaker_.state(), kHalfOpen);
  Calls("ss");
  EXPECT_EQ(breaker_.state(), kClosed);
}

TEST_F(CircuitBreakerTest, CanBeOpenedAndResetByHand) {
  EXPECT_FALSE(breaker_.used());
  breaker_.Open(absl::Seconds(60));
  EXPECT_TRUE(breaker_.used());
  EXPECT_EQ(breaker_.Admit().retry_after, absl::Seconds(60));
  breaker_.Reset();
  EXPECT_EQ(Calls("ssss"), 0);
  EXPECT_EQ(breaker_.state(), kClosed);
}

TEST_F(CircuitBreakerTest, TellsEveryChangeOfState) {
  HalfOpenIt();
  Calls("sss");
  breaker_.Reset();
  EXPECT_THAT(changes_, ElementsAre(std::pair("tool:x", kOpen), std::pair("tool:x", kHalfOpen),
                                    std::pair("tool:x", kClosed), std::pair("tool:x", kClosed)));
}

TEST_F(CircuitBreakerTest, ASnapshotShowsTheWindow) {
  Calls("sfsn");
  BreakerSnapshot snapshot = breaker_.Snapshot();
  EXPECT_EQ(snapshot.name, "tool:x");
  EXPECT_EQ(snapshot.state, kClosed);
  EXPECT_EQ(snapshot.calls, 3);
  EXPECT_EQ(snapshot.failures, 1);
  EXPECT_FALSE(snapshot.retry_at.has_value());
  OpenIt();
  clock_.Advance(absl::Seconds(5));
  snapshot = breaker_.Snapshot();
  EXPECT_EQ(snapshot.state, kOpen);
  EXPECT_EQ(snapshot.retry_at, clock_.Now() + absl::Seconds(10));
}

TEST_F(CircuitBreakerTest, SixtyFourThreadsGetNoMorePlacesThanThereAreProbes) {
  OpenIt();
  clock_.Advance(absl::Seconds(15));
  std::vector<CircuitBreaker::Permit> permits(64);
  std::vector<std::thread> threads;
  for (CircuitBreaker::Permit& permit : permits) {
    threads.emplace_back([&] { permit = breaker_.Admit().permit; });
  }
  for (std::thread& thread : threads) thread.join();
  int admitted = 0;
  for (const CircuitBreaker::Permit& permit : permits) admitted += permit ? 1 : 0;
  EXPECT_EQ(admitted, 3);
}

TEST_F(CircuitBreakerTest, RecoversAfterThreadsDroveItThroughAllStates) {
  std::atomic<bool> works{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 0) works = i % 50 < 25;
        if (t == 1) clock_.Advance(absl::Milliseconds(50));
        CircuitBreaker::Admission admission = breaker_.Admit();
        if (!admission.permit) continue;
        works ? admission.permit.Succeed() : admission.permit.Fail();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  clock_.Advance(absl::Seconds(15));
  EXPECT_EQ(Calls("sss"), 0);
  EXPECT_EQ(breaker_.state(), kClosed);
}

}  // namespace
}  // namespace toolgate::coordination::breakers
