#include "common/http/retries.h"

#include <optional>

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::http {
namespace {

TEST(RepeatTest, DependsOnTheStatus) {
  for (const int status : {429, 503, 529}) EXPECT_EQ(RepeatAfter(status), Repeat::kAlways) << status;
  for (const int status : {408, 502, 504}) EXPECT_EQ(RepeatAfter(status), Repeat::kIfRepeatable) << status;
  for (const int status : {302, 400, 401, 403, 404, 413, 422, 500, 501, 599}) {
    EXPECT_EQ(RepeatAfter(status), Repeat::kNever) << status;
  }
}

TEST(RepeatTest, DependsOnWhetherTheRequestMayHaveArrived) {
  EXPECT_EQ(RepeatAfter(absl::UnavailableError(""), false), Repeat::kAlways);
  EXPECT_EQ(RepeatAfter(absl::UnavailableError(""), true), Repeat::kIfRepeatable);
  EXPECT_EQ(RepeatAfter(absl::DeadlineExceededError(""), false), Repeat::kAlways);
  EXPECT_EQ(RepeatAfter(absl::DeadlineExceededError(""), true), Repeat::kNever);
  EXPECT_EQ(RepeatAfter(absl::DataLossError(""), false), Repeat::kNever);
}

class RetriesTest : public ::testing::Test {
 protected:
  std::optional<absl::Duration> Pause(int next, Repeat repeat = Repeat::kAlways, bool repeatable = true,
                                      std::optional<absl::Duration> retry_after = std::nullopt) {
    return retries_.PauseBefore(next, repeat, repeatable, retry_after);
  }

  testing::FakeClock clock_;
  Retries retries_{3, clock_};
};

TEST_F(RetriesTest, EndWithTheLastAttempt) {
  EXPECT_TRUE(Pause(2).has_value());
  EXPECT_TRUE(Pause(3).has_value());
  EXPECT_FALSE(Pause(4).has_value());
}

TEST_F(RetriesTest, SpareWhatIsNotRepeatable) {
  EXPECT_FALSE(Pause(2, Repeat::kNever).has_value());
  EXPECT_FALSE(Pause(2, Repeat::kIfRepeatable, false).has_value());
  EXPECT_TRUE(Pause(2, Repeat::kIfRepeatable, true).has_value());
  EXPECT_TRUE(Pause(2, Repeat::kAlways, false).has_value());
}

TEST_F(RetriesTest, WaitAtLeastAsLongAsTheServiceAsks) {
  const auto pause = Pause(2, Repeat::kAlways, true, absl::Seconds(7));
  ASSERT_TRUE(pause.has_value());
  EXPECT_GE(*pause, absl::Seconds(7));
  EXPECT_LT(*pause, absl::Seconds(8));
  EXPECT_FALSE(Pause(2, Repeat::kAlways, true, absl::Seconds(61)).has_value());
}

TEST_F(RetriesTest, KeepTheBudget) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Pause(2).has_value());
  EXPECT_FALSE(Pause(2).has_value());
  for (int i = 0; i < 10; ++i) retries_.CountRequest();
  EXPECT_TRUE(Pause(2).has_value());
}

}  // namespace
}  // namespace toolgate::http
