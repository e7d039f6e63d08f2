#include "coordination/limits/redis_limiter_store.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/redis_server.h"

namespace toolgate::coordination::limits {
namespace {

using Kind = ChargeOutcome::Kind;
using ::testing::ElementsAre;
using testing::RedisServer;

const std::vector<Window> kTwoOfThem = {{2, absl::Hours(1)}};
const std::vector<Window> kShortAndLong = {{2, absl::Hours(1)}, {3, absl::Hours(24)}};
const std::vector<Window> kFiveOfThem = {{5, absl::Hours(1)}};

Subject Caller(std::string_view name, std::string_view workspace = "w1") {
  return {Subject::Kind::kUser, workspace, name};
}
Subject Provider(std::string_view name) { return {Subject::Kind::kProvider, "", name}; }

// Two replicas beside one server.
class RedisLimiterStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<RedisLimiterStore> NewStore(const std::string& process) {
    redis::Client::Options options;
    options.target.unix_path = server_.socket();
    options.timeout = absl::Seconds(10);
    return std::make_unique<RedisLimiterStore>(redis::Client::Create(std::move(options)).value(), process);
  }
  static int64_t Used(RedisLimiterStore& store, const LogCheck& check, size_t window = 0) {
    return store.Usage({&check, 1}).value()[0][window].used;
  }
  static ChargeOutcome Charge(RedisLimiterStore& store, const std::vector<LogCheck>& checks) {
    return store.CheckAndCharge(checks).value();
  }

  RedisServer server_;
  const std::unique_ptr<RedisLimiterStore> here_ = NewStore("here");
  const std::unique_ptr<RedisLimiterStore> there_ = NewStore("there");
};

TEST_F(RedisLimiterStoreTest, ReplicasShareAWindow) {
  const LogCheck check{Caller("ada"), "delete_block", kTwoOfThem};
  EXPECT_EQ(Charge(*here_, {check}).kind, Kind::kAdmitted);
  EXPECT_EQ(Charge(*there_, {check}).kind, Kind::kAdmitted);
  const ChargeOutcome refused = Charge(*here_, {check});
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_GT(refused.wait, absl::Minutes(59));
  EXPECT_LE(refused.wait, absl::Hours(1));
  EXPECT_EQ(Used(*there_, check), 2);
}

TEST_F(RedisLimiterStoreTest, ReturnsTheUsedShareOfEachChecksFullestWindow) {
  const std::vector<LogCheck> checks = {{Caller("ada"), "*", kFiveOfThem},
                                        {Caller("ada"), "delete_block", kShortAndLong}};
  EXPECT_THAT(Charge(*here_, checks).used_shares, ElementsAre(0.2, 0.5));
  EXPECT_THAT(Charge(*here_, checks).used_shares, ElementsAre(0.4, 1.0));
}

TEST_F(RedisLimiterStoreTest, SubjectsAndLogsDoNotShareCharges) {
  const LogCheck filled{Caller("ada"), "delete_block", kTwoOfThem};
  for (int i = 0; i < 2; ++i) Charge(*here_, {filled});
  for (const LogCheck& other :
       {LogCheck{Caller("ada"), "create_block", kTwoOfThem}, LogCheck{Caller("bob"), "delete_block", kTwoOfThem},
        LogCheck{Caller("ada", "w2"), "delete_block", kTwoOfThem},
        LogCheck{{Subject::Kind::kGuest, "w1", "ada"}, "delete_block", kTwoOfThem},
        LogCheck{Caller("ada}:delete_block{"), "*", kTwoOfThem},
        LogCheck{Caller(":ada", "w1"), "delete_block", kTwoOfThem},
        LogCheck{Caller("ada", "w1:"), "delete_block", kTwoOfThem}}) {
    EXPECT_EQ(Used(*here_, other), 0);
    EXPECT_EQ(Charge(*here_, {other}).kind, Kind::kAdmitted);
  }
  EXPECT_EQ(Used(*here_, filled), 2);
}

TEST_F(RedisLimiterStoreTest, ARefusalChargesNothingAnywhere) {
  const LogCheck provider{Provider("search"), "*", kFiveOfThem};
  const LogCheck all{Caller("ada"), "*", kFiveOfThem};
  const LogCheck tool{Caller("ada"), "web_search", kTwoOfThem};
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Charge(*here_, {provider, all, tool}).kind, Kind::kAdmitted);
  const ChargeOutcome refused = Charge(*here_, {provider, all, tool});
  EXPECT_EQ(refused.kind, Kind::kRefused);
  EXPECT_EQ(refused.check, 2u);
  EXPECT_EQ(Used(*here_, provider), 2) << "it is charged in an exchange of its own";
  EXPECT_EQ(Used(*here_, all), 2);
  EXPECT_EQ(Used(*here_, tool), 2);
}

TEST_F(RedisLimiterStoreTest, NamesTheWindowThatOpensLast) {
  const std::vector<Window> windows = {{1, absl::Minutes(1)}, {1, absl::Hours(1)}, {5, absl::Hours(24)}};
  const LogCheck check{Caller("ada"), "*", windows};
  Charge(*here_, {check});
  const ChargeOutcome refused = Charge(*here_, {check});
  EXPECT_EQ(refused.window, 1u);
  EXPECT_GT(refused.wait, absl::Minutes(59));
}

TEST_F(RedisLimiterStoreTest, GivesAChargeBack) {
  const std::vector<LogCheck> checks = {{Provider("search"), "*", kFiveOfThem}, {Caller("ada"), "*", kTwoOfThem}};
  const ChargeOutcome first = Charge(*here_, checks);
  Charge(*here_, checks);
  Charge(*there_, {{Caller("bob"), "*", kTwoOfThem}});
  here_->GiveBack(checks, first.charged_at);
  EXPECT_EQ(Used(*there_, checks[0]), 1);
  EXPECT_EQ(Used(*there_, checks[1]), 1);
  here_->GiveBack(checks, first.charged_at);
  EXPECT_EQ(Used(*there_, checks[1]), 1) << "once";
}

TEST_F(RedisLimiterStoreTest, AChargeLeavesItsWindowAndIsForgotten) {
  const std::vector<Window> brief = {{1, absl::Milliseconds(200)}};
  const LogCheck check{Caller("ada"), "*", brief};
  ASSERT_EQ(Charge(*here_, {check}).kind, Kind::kAdmitted);
  const WindowUsage usage = here_->Usage({&check, 1}).value()[0][0];
  EXPECT_GT(usage.resets_at, absl::Now() - absl::Minutes(1));
  const absl::Time give_up = absl::Now() + absl::Seconds(30);
  while (Used(*here_, check) > 0 && absl::Now() < give_up) absl::SleepFor(absl::Milliseconds(10));
  EXPECT_EQ(Charge(*here_, {check}).kind, Kind::kAdmitted);
  EXPECT_EQ((*here_->client().Run({{"EXPIRETIME", "toolgate:limits:{u:w1:ada}:*"}}))[0].integer > 0, true);
}

TEST_F(RedisLimiterStoreTest, ManyThreadsOfTwoReplicasAdmitExactlyTheLimit) {
  const std::vector<Window> hundred = {{100, absl::Hours(1)}};
  const LogCheck check{Caller("ada"), "*", hundred};
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        if (Charge(t % 2 == 0 ? *here_ : *there_, {check}).kind == Kind::kAdmitted) ++admitted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 100);
}

TEST_F(RedisLimiterStoreTest, IsUnavailableWithoutItsServer) {
  server_.Stop();
  const LogCheck check{Caller("ada"), "*", kTwoOfThem};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(here_->CheckAndCharge({&check, 1}).status().code(), absl::StatusCode::kUnavailable);
  }
  EXPECT_EQ(here_->Usage({&check, 1}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace toolgate::coordination::limits
