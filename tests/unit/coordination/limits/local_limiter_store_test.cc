#include "coordination/limits/local_limiter_store.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::coordination::limits {
namespace {

using Kind = ChargeOutcome::Kind;
using ::testing::ElementsAre;
using testing::FakeClock;

const std::vector<Window> kTwoAnHour = {{2, absl::Hours(1)}};
const std::vector<Window> kHourAndDay = {{2, absl::Hours(1)}, {3, absl::Hours(24)}};
const std::vector<Window> kFiveAnHour = {{5, absl::Hours(1)}};

Subject User(std::string_view name, std::string_view workspace = "w1") {
  return {Subject::Kind::kUser, workspace, name};
}

class LocalLimiterStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<LocalLimiterStore> MakeStore(int64_t max_tracked_users) {
    return *LocalLimiterStore::Create(max_tracked_users, clock_);
  }
  static ChargeOutcome Charge(LocalLimiterStore& store, const std::vector<LogCheck>& checks) {
    return *store.CheckAndCharge(checks);
  }
  static int64_t Used(LocalLimiterStore& store, const LogCheck& check, size_t window = 0) {
    return (*store.Usage({&check, 1}))[0][window].used;
  }

  FakeClock clock_;
};

TEST_F(LocalLimiterStoreTest, RefusesATableOfNoUsers) {
  EXPECT_EQ(LocalLimiterStore::Create(0, clock_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(LocalLimiterStoreTest, AnswersTheUsedShareOfEachChecksFullestWindow) {
  const auto store = MakeStore(100);
  const std::vector<LogCheck> checks = {{User("ada"), "*", kFiveAnHour}, {User("ada"), "delete_block", kHourAndDay}};
  EXPECT_THAT(Charge(*store, checks).used_shares, ElementsAre(0.2, 0.5));
  clock_.Advance(absl::Hours(2));
  EXPECT_THAT(Charge(*store, checks).used_shares, ElementsAre(0.2, 2.0 / 3)) << "the day's is fuller than the hour's";
}

TEST_F(LocalLimiterStoreTest, SubjectsAndLogsDoNotShareCharges) {
  const auto store = MakeStore(100);
  const LogCheck filled{User("ada"), "delete_block", kTwoAnHour};
  EXPECT_EQ(Charge(*store, {filled}).kind, Kind::kAdmitted);
  EXPECT_EQ(Charge(*store, {filled}).kind, Kind::kAdmitted);
  EXPECT_EQ(Charge(*store, {filled}).kind, Kind::kRefused);
  const std::vector<LogCheck> others = {
      {User("bob"), "delete_block", kTwoAnHour},
      {User("ada", "w2"), "delete_block", kTwoAnHour},
      {{Subject::Kind::kGuest, "w1", "ada"}, "delete_block", kTwoAnHour},
      {{Subject::Kind::kProvider, "w1", "ada"}, "delete_block", kTwoAnHour},
      {User("ada"), "create_block", kTwoAnHour},
      {User("ad", "w1a"), "delete_block", kTwoAnHour},
  };
  for (const LogCheck& other : others) EXPECT_EQ(Charge(*store, {other}).kind, Kind::kAdmitted) << other.subject.name;
}

TEST_F(LocalLimiterStoreTest, ARefusalChargesNothingAnywhere) {
  const auto store = MakeStore(100);
  const LogCheck provider{{Subject::Kind::kProvider, "", "search"}, "*", kFiveAnHour};
  const LogCheck user{User("ada"), "*", kFiveAnHour};
  const LogCheck tool{User("ada"), "t", kTwoAnHour};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Charge(*store, {provider, user, tool}).kind, Kind::kAdmitted);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Charge(*store, {provider, user, tool}).kind, Kind::kRefused);
  EXPECT_EQ(Used(*store, provider), 2);
  EXPECT_EQ(Used(*store, user), 2);
  EXPECT_EQ(Used(*store, tool), 2);
}

TEST_F(LocalLimiterStoreTest, ARefusalNamesTheFirstCheckAndTheWaitForAllOfThem) {
  const auto store = MakeStore(100);
  const LogCheck user{User("ada"), "*", kTwoAnHour};
  const LogCheck tool{User("ada"), "t", kHourAndDay};
  Charge(*store, {user, tool});
  clock_.Advance(absl::Minutes(90));
  Charge(*store, {user, tool});
  Charge(*store, {user, tool});
  const ChargeOutcome outcome = Charge(*store, {user, tool});
  ASSERT_EQ(outcome.kind, Kind::kRefused);
  EXPECT_EQ(outcome.check, 0u);
  EXPECT_EQ(outcome.window, 0u);
  // The user's hour has room in 60 minutes, the tool's day only when the first of the three charges is a day old.
  EXPECT_EQ(outcome.wait, absl::Hours(24) - absl::Minutes(90));
  clock_.Advance(outcome.wait - absl::Nanoseconds(1));
  EXPECT_EQ(Charge(*store, {user, tool}).kind, Kind::kRefused);
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(Charge(*store, {user, tool}).kind, Kind::kAdmitted);
}

TEST_F(LocalLimiterStoreTest, NamesTheWindowThatOpensLast) {
  const auto store = MakeStore(100);
  const LogCheck tool{User("ada"), "t", kHourAndDay};
  Charge(*store, {tool});
  clock_.Advance(absl::Hours(2));
  Charge(*store, {tool});
  Charge(*store, {tool});
  EXPECT_EQ(Charge(*store, {tool}).window, 1u);
}

TEST_F(LocalLimiterStoreTest, GivesAChargeBack) {
  const auto store = MakeStore(100);
  const std::vector<LogCheck> checks = {{User("ada"), "*", kFiveAnHour}, {User("ada"), "t", kTwoAnHour}};
  Charge(*store, checks);
  const ChargeOutcome outcome = Charge(*store, checks);
  EXPECT_EQ(Charge(*store, checks).kind, Kind::kRefused);
  store->GiveBack(checks, outcome.charged_at);
  EXPECT_EQ(Used(*store, checks[0]), 1);
  EXPECT_EQ(Used(*store, checks[1]), 1);
  EXPECT_EQ(Charge(*store, checks).kind, Kind::kAdmitted);
}

// A clock that steps back, as wall time may.
class SteppingClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Duration Monotonic() const override { return absl::ZeroDuration(); }
  absl::Time now = absl::FromUnixSeconds(1772442000);
};

TEST_F(LocalLimiterStoreTest, AClockThatStepsBackOpensNoWindow) {
  SteppingClock clock;
  const auto store = *LocalLimiterStore::Create(10, clock);
  const LogCheck check{User("ada"), "t", kTwoAnHour};
  Charge(*store, {check});
  clock.now -= absl::Minutes(30);
  const ChargeOutcome outcome = Charge(*store, {check});
  EXPECT_EQ(outcome.kind, Kind::kAdmitted);
  EXPECT_EQ(outcome.charged_at, clock.now + absl::Minutes(30));
  EXPECT_EQ(Charge(*store, {check}).kind, Kind::kRefused);
  clock.now += absl::Minutes(89);
  EXPECT_EQ(Charge(*store, {check}).kind, Kind::kRefused);
  clock.now += absl::Minutes(1);
  EXPECT_EQ(Charge(*store, {check}).kind, Kind::kAdmitted);
}

TEST_F(LocalLimiterStoreTest, ForgetsIdleUsersWhenTheirPlaceIsNeeded) {
  const auto store = MakeStore(3);
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrCat("user", i);
    EXPECT_EQ(Charge(*store, {{User(name), "t", kTwoAnHour}}).kind, Kind::kAdmitted) << i;
    EXPECT_LE(store->tracked_users(), 3);
    clock_.Advance(absl::Minutes(20));  // Three of these make an hour.
  }
}

TEST_F(LocalLimiterStoreTest, RefusesANewUserWhileAllPlacesAreLiveAndTellsTheWait) {
  const auto store = MakeStore(2);
  const LogCheck ada{User("ada"), "t", kFiveAnHour};
  const LogCheck bob{User("bob"), "t", kFiveAnHour};
  const LogCheck eve{User("eve"), "t", kFiveAnHour};
  Charge(*store, {ada});
  clock_.Advance(absl::Minutes(10));
  Charge(*store, {bob});
  clock_.Advance(absl::Minutes(10));
  Charge(*store, {ada});  // Ada, who came first, now stays longer than Bob.
  const ChargeOutcome full = Charge(*store, {eve});
  EXPECT_EQ(full.kind, Kind::kTableFull);
  EXPECT_EQ(full.wait, absl::Minutes(50));
  EXPECT_EQ(Charge(*store, {bob}).kind, Kind::kAdmitted) << "those who hold a place keep it";
  EXPECT_EQ(Charge(*store, {eve}).wait, absl::Hours(1));
  clock_.Advance(absl::Hours(1));
  EXPECT_EQ(Charge(*store, {eve}).kind, Kind::kAdmitted);
  EXPECT_EQ(store->tracked_users(), 2);
}

TEST_F(LocalLimiterStoreTest, ProvidersNeedNoPlaceAmongUsers) {
  const auto store = MakeStore(1);
  const LogCheck provider{{Subject::Kind::kProvider, "", "search"}, "*", kFiveAnHour};
  EXPECT_EQ(Charge(*store, {provider, {User("ada"), "t", kTwoAnHour}}).kind, Kind::kAdmitted);
  EXPECT_EQ(Charge(*store, {provider, {User("bob"), "t", kTwoAnHour}}).kind, Kind::kTableFull);
  EXPECT_EQ(Used(*store, provider), 1);
}

TEST_F(LocalLimiterStoreTest, ManyUsersStayWithinTheBound) {
  const auto store = MakeStore(4096);
  int64_t admitted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = absl::StrCat("user", i);
    admitted += Charge(*store, {{User(name), "t", kTwoAnHour}}).kind == Kind::kAdmitted ? 1 : 0;
  }
  EXPECT_EQ(admitted, 4096);
  EXPECT_EQ(store->tracked_users(), 4096);
}

// 64 threads call for a few users with nested limits. Time stands still, so that exactly the limit must be admitted:
// one more is a hole, one fewer is a call refused without reason.
TEST_F(LocalLimiterStoreTest, SixtyFourThreadsAdmitExactlyTheLimit) {
  constexpr int kThreads = 64;
  constexpr int kUsers = 4;
  constexpr int kTries = 200;
  const std::vector<Window> of_provider = {{350, absl::Hours(1)}};
  const std::vector<Window> of_user = {{100, absl::Hours(1)}, {1000, absl::Hours(24)}};
  const auto store = MakeStore(8192);
  std::array<std::atomic<int64_t>, kUsers> admitted{};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTries; ++i) {
        const int user = (t + i) % kUsers;
        const std::string name = absl::StrCat("user", user);
        const std::vector<LogCheck> checks = {{{Subject::Kind::kProvider, "", "p"}, "*", of_provider},
                                              {User(name), "t", of_user}};
        if (Charge(*store, checks).kind == Kind::kAdmitted) ++admitted[user];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t all = 0;
  for (const auto& count : admitted) {
    EXPECT_LE(count.load(), 100);
    all += count.load();
  }
  EXPECT_EQ(all, 350);
}

// Time moves while 64 threads try. Afterwards the log of admitted calls, with the store's own times, is checked: no
// span of the window's length has more than the limit.
TEST_F(LocalLimiterStoreTest, NoSpanEverHoldsMoreThanTheLimitWhileTimeMoves) {
  constexpr int kThreads = 64;
  constexpr int kTries = 500;
  constexpr size_t kLimit = 50;
  const std::vector<Window> windows = {{kLimit, absl::Seconds(1)}};
  const auto store = MakeStore(100);
  std::mutex mutex;
  std::vector<absl::Time> admitted;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTries; ++i) {
        clock_.Advance(absl::Microseconds(300));
        const ChargeOutcome outcome = Charge(*store, {{User("ada"), "t", windows}});
        if (outcome.kind != Kind::kAdmitted) continue;
        const std::lock_guard<std::mutex> lock(mutex);
        admitted.push_back(outcome.charged_at);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(admitted.begin(), admitted.end());
  for (size_t i = kLimit; i < admitted.size(); ++i) {
    ASSERT_GE(admitted[i] - admitted[i - kLimit], absl::Seconds(1)) << i;
  }
  // 32,000 tries over 9.6 s, evenly: the first full second admits 50 and so does each one after it.
  EXPECT_GE(admitted.size(), kLimit * 9);
}

}  // namespace
}  // namespace toolgate::coordination::limits
