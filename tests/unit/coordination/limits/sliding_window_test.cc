#include "coordination/limits/sliding_window.h"

#include <deque>
#include <random>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace toolgate::coordination::limits {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1772442000);

TEST(SlidingWindowTest, HasRoomUntilTheLimitAndAgainExactlyWhenTheOldestLeaves) {
  const Window window{3, absl::Hours(1)};
  SlidingWindow log;
  for (int i = 0; i < 3; ++i) {
    const absl::Time now = kStart + absl::Minutes(10) * i;
    EXPECT_EQ(log.Wait(now, window), absl::ZeroDuration()) << i;
    log.Charge(now, window.length);
  }
  EXPECT_EQ(log.Wait(kStart + absl::Minutes(20), window), absl::Minutes(40));
  EXPECT_EQ(log.Wait(kStart + absl::Hours(1) - absl::Nanoseconds(1), window), absl::Nanoseconds(1));
  EXPECT_EQ(log.Wait(kStart + absl::Hours(1), window), absl::ZeroDuration());
}

TEST(SlidingWindowTest, SeveralWindowsShareOneLog) {
  const Window hour{2, absl::Hours(1)};
  const Window day{3, absl::Hours(24)};
  SlidingWindow log;
  log.Charge(kStart, day.length);
  log.Charge(kStart, day.length);
  EXPECT_EQ(log.Wait(kStart, hour), absl::Hours(1));
  EXPECT_EQ(log.Wait(kStart, day), absl::ZeroDuration());
  log.Charge(kStart + absl::Hours(1), day.length);
  EXPECT_EQ(log.Wait(kStart + absl::Hours(1), hour), absl::ZeroDuration());
  EXPECT_EQ(log.Wait(kStart + absl::Hours(1), day), absl::Hours(23));
}

TEST(SlidingWindowTest, TellsUseAndReset) {
  SlidingWindow log;
  EXPECT_EQ(log.Used(kStart, absl::Hours(1)), 0);
  EXPECT_EQ(log.ResetsAt(kStart, absl::Hours(1)), absl::InfinitePast());
  EXPECT_EQ(log.newest(), absl::InfinitePast());
  log.Charge(kStart, absl::Hours(24));
  log.Charge(kStart + absl::Minutes(30), absl::Hours(24));
  const absl::Time later = kStart + absl::Minutes(70);
  EXPECT_EQ(log.Used(later, absl::Hours(1)), 1);
  EXPECT_EQ(log.ResetsAt(later, absl::Hours(1)), kStart + absl::Minutes(90));
  EXPECT_EQ(log.Used(later, absl::Hours(24)), 2);
  EXPECT_EQ(log.ResetsAt(later, absl::Hours(24)), kStart + absl::Hours(24));
  EXPECT_EQ(log.newest(), kStart + absl::Minutes(30));
}

TEST(SlidingWindowTest, GivesBackTheChargeOfThatTimeAndNoOther) {
  const Window window{2, absl::Hours(1)};
  SlidingWindow log;
  log.Charge(kStart, window.length);
  log.Charge(kStart + absl::Minutes(1), window.length);
  EXPECT_FALSE(log.GiveBack(kStart + absl::Seconds(1)));
  EXPECT_TRUE(log.GiveBack(kStart + absl::Minutes(1)));
  EXPECT_FALSE(log.GiveBack(kStart + absl::Minutes(1)));
  EXPECT_EQ(log.Used(kStart + absl::Minutes(2), window.length), 1);
  EXPECT_EQ(log.ResetsAt(kStart + absl::Minutes(2), window.length), kStart + absl::Hours(1));
}

// Against the simplest correct implementation: a list of all times, counted anew each time.
TEST(SlidingWindowTest, AgreesWithAnOracleOverRandomTimes) {
  std::mt19937 random(7);
  const Window windows[] = {{5, absl::Seconds(10)}, {12, absl::Seconds(60)}};
  SlidingWindow log;
  std::deque<absl::Time> oracle;
  absl::Time now = kStart;
  for (int i = 0; i < 20'000; ++i) {
    now += absl::Milliseconds(std::uniform_int_distribution<int>(0, 4000)(random));
    bool oracle_admits = true;
    bool log_admits = true;
    for (const Window& window : windows) {
      int64_t used = 0;
      for (const absl::Time time : oracle) used += time > now - window.length ? 1 : 0;
      oracle_admits = oracle_admits && used < window.max_calls;
      ASSERT_EQ(log.Used(now, window.length), used);
      const absl::Duration wait = log.Wait(now, window);
      ASSERT_EQ(wait == absl::ZeroDuration(), used < window.max_calls);
      ASSERT_EQ(log.Wait(now + wait, window), absl::ZeroDuration()) << "the wait is enough";
      if (wait > absl::ZeroDuration()) {
        ASSERT_GT(log.Wait(now + wait - absl::Nanoseconds(1), window), absl::ZeroDuration()) << "and not too long";
      }
      log_admits = log_admits && wait == absl::ZeroDuration();
    }
    ASSERT_EQ(log_admits, oracle_admits);
    if (!oracle_admits) continue;
    log.Charge(now, absl::Seconds(60));
    oracle.push_back(now);
    while (oracle.front() <= now - absl::Seconds(60)) oracle.pop_front();
  }
}

}  // namespace
}  // namespace toolgate::coordination::limits
