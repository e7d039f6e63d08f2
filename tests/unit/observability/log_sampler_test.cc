#include "observability/log_sampler.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::observability {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr absl::Duration kInterval = absl::Seconds(10);

class LogSamplerTest : public ::testing::Test {
 protected:
  LogSampler::Verdict Judge(std::string_view message, std::string_view reason = "", LogLevel level = LogLevel::kInfo) {
    const std::vector<LogField> fields = {LogField::Key("reason", reason), {"call_id", ++calls_}};
    return sampler_.Judge(level, message, fields, now_);
  }
  // Lines that are written of `lines`.
  int Written(int lines, std::string_view message, std::string_view reason = "") {
    int written = 0;
    for (int i = 0; i < lines; ++i) written += Judge(message, reason).write ? 1 : 0;
    return written;
  }
  std::vector<LogSampler::LeftOut> TakeLeftOut(bool all = false) { return sampler_.TakeLeftOut(now_, all); }

  LogSampler sampler_{{.max_lines = 3, .interval = kInterval}};
  absl::Duration now_ = absl::Hours(1);
  int calls_ = 0;
};

TEST_F(LogSamplerTest, WritesTheFirstLinesAndThenOneInEachInterval) {
  EXPECT_EQ(Written(10, "refused"), 3);
  now_ += kInterval;
  const LogSampler::Verdict second = Judge("refused");
  EXPECT_TRUE(second.write);
  EXPECT_EQ(second.repeated, 7);
  EXPECT_EQ(Written(20, "refused"), 0);
  now_ += kInterval;
  EXPECT_EQ(Judge("refused").repeated, 20);
}

TEST_F(LogSamplerTest, AKindThatHasEndedToRepeatBeginsAnew) {
  EXPECT_EQ(Written(10, "refused"), 3);
  now_ += kInterval;
  EXPECT_EQ(Judge("refused").repeated, 7);
  now_ += kInterval;
  EXPECT_EQ(Written(10, "refused"), 3) << "nothing was left out in the interval before";
}

TEST_F(LogSamplerTest, LinesOfOtherKindsDoNotCount) {
  EXPECT_EQ(Written(10, "refused", "RATE_LIMITED"), 3);
  EXPECT_EQ(Written(10, "refused", "FORBIDDEN"), 3);
  EXPECT_EQ(Written(10, "failed", "RATE_LIMITED"), 3);
  EXPECT_TRUE(Judge("refused", "FORBIDDEN", LogLevel::kError).write);
}

TEST_F(LogSamplerTest, WithoutABoundEveryLineIsWritten) {
  sampler_.set_repeats({.max_lines = 0});
  EXPECT_EQ(Written(100, "refused"), 100);
  sampler_.set_repeats({.max_lines = 1, .interval = kInterval});
  EXPECT_EQ(Written(100, "refused"), 1);
}

TEST_F(LogSamplerTest, LinesForDebuggingAreNotBounded) {
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Judge("call succeeded", "", LogLevel::kDebug).write);
}

TEST_F(LogSamplerTest, WhatIsLeftOfAKindThatHasEndedCanBeTaken) {
  Written(10, "refused", "FORBIDDEN");
  Written(3, "refused", "RATE_LIMITED");
  now_ += kInterval;
  EXPECT_THAT(TakeLeftOut(), IsEmpty()) << "a further line may still tell of them";
  now_ += kInterval;
  const std::vector<LogSampler::LeftOut> taken = TakeLeftOut();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].message, "refused");
  EXPECT_EQ(taken[0].level, LogLevel::kInfo);
  EXPECT_EQ(taken[0].lines, 7);
  EXPECT_THAT(taken[0].keys, ElementsAre(Pair("reason", "FORBIDDEN")));
  EXPECT_THAT(TakeLeftOut(), IsEmpty()) << "once";
}

TEST_F(LogSamplerTest, AtTheEndAllThatIsLeftIsTaken) {
  Written(10, "refused");
  ASSERT_EQ(TakeLeftOut(/*all=*/true).size(), 1u);
}

TEST_F(LogSamplerTest, KindsBeyondTheBoundCountByTheirMessage) {
  for (size_t i = 0; i < LogSampler::kMaxKinds; ++i) EXPECT_TRUE(Judge("refused", std::to_string(i)).write);
  int written = 0;
  for (int i = 0; i < 1000; ++i) written += Judge("refused", "new " + std::to_string(i)).write ? 1 : 0;
  EXPECT_EQ(written, 3);
  EXPECT_TRUE(Judge("another message", "new").write);
  EXPECT_TRUE(Judge("refused", "new", LogLevel::kError).write) << "levels do not take each other's place";
  const std::vector<LogSampler::LeftOut> taken = TakeLeftOut(/*all=*/true);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].lines, 997);
  EXPECT_THAT(taken[0].keys, IsEmpty());
}

TEST_F(LogSamplerTest, MessagesBeyondTheBoundCountTogether) {
  for (size_t i = 0; i < LogSampler::kMaxKinds; ++i) Judge("refused", std::to_string(i));
  for (size_t i = 0; i < LogSampler::kMaxMessages; ++i) EXPECT_TRUE(Judge("message " + std::to_string(i)).write);
  int written = 0;
  for (int i = 0; i < 1000; ++i) written += Judge("one more " + std::to_string(i)).write ? 1 : 0;
  EXPECT_EQ(written, 3);
}

TEST_F(LogSamplerTest, KindsThatHaveEndedMakeRoom) {
  for (size_t i = 0; i < LogSampler::kMaxKinds; ++i) Judge("refused", std::to_string(i));
  now_ += kInterval;
  EXPECT_EQ(Written(10, "refused", "new"), 3);
  EXPECT_THAT(TakeLeftOut(/*all=*/true).at(0).keys, ElementsAre(Pair("reason", "new")));
}

TEST_F(LogSamplerTest, KeptTextsAreShort) {
  const std::string message(10'000, 'm');
  const std::string reason(10'000, 'r');
  Written(4, message, reason);
  const LogSampler::LeftOut left_out = TakeLeftOut(/*all=*/true).at(0);
  EXPECT_EQ(left_out.message.size(), LogSampler::kMaxKeyBytes);
  EXPECT_EQ(left_out.keys[0].second.size(), LogSampler::kMaxKeyBytes);
}

TEST_F(LogSamplerTest, ThreadsShareTheBound) {
  std::atomic<int> written{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const std::vector<LogField> fields = {LogField::Key("reason", "x")};
      for (int round = 0; round < 1000; ++round) {
        if (sampler_.Judge(LogLevel::kWarning, "refused", fields, absl::Hours(1)).write) ++written;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 3);
  EXPECT_EQ(TakeLeftOut(/*all=*/true).at(0).lines, 7997);
}

}  // namespace
}  // namespace toolgate::observability
