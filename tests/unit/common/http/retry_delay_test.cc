#include "common/http/retry_delay.h"

#include <optional>

#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

const absl::Time kReceived = absl::FromUnixSeconds(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT.

TEST(BackoffTest, DoublesUpToItsBound) {
  EXPECT_EQ(BackoffBefore(2, 1.0), absl::Milliseconds(500));
  EXPECT_EQ(BackoffBefore(3, 1.0), absl::Seconds(1));
  EXPECT_EQ(BackoffBefore(4, 1.0), absl::Seconds(2));
  EXPECT_EQ(BackoffBefore(10, 1.0), absl::Seconds(20));
  EXPECT_EQ(BackoffBefore(1000, 1.0), absl::Seconds(20));
}

TEST(BackoffTest, IsAnyPartOfThat) {
  EXPECT_EQ(BackoffBefore(3, 0.0), absl::ZeroDuration());
  EXPECT_EQ(BackoffBefore(3, 0.25), absl::Milliseconds(250));
}

struct RetryAfterCase {
  const char* name;
  const char* value;
  std::optional<absl::Duration> delay;
};

class RetryAfterTest : public ::testing::TestWithParam<RetryAfterCase> {};

TEST_P(RetryAfterTest, IsRead) { EXPECT_EQ(ParseRetryAfter(GetParam().value, kReceived), GetParam().delay); }

INSTANTIATE_TEST_SUITE_P(
    Values, RetryAfterTest,
    ::testing::Values(RetryAfterCase{"Seconds", "120", absl::Minutes(2)},
                      RetryAfterCase{"Zero", "0", absl::ZeroDuration()},
                      RetryAfterCase{"Date", "Sun, 06 Nov 1994 08:50:07 GMT", absl::Seconds(30)},
                      RetryAfterCase{"PastDate", "Sun, 06 Nov 1994 08:00:00 GMT", absl::ZeroDuration()},
                      RetryAfterCase{"TooManyDigits", "99999999999999999999", absl::InfiniteDuration()},
                      RetryAfterCase{"Empty", "", std::nullopt}, RetryAfterCase{"Negative", "-1", std::nullopt},
                      RetryAfterCase{"Fraction", "1.5", std::nullopt}, RetryAfterCase{"Text", "soon", std::nullopt},
                      RetryAfterCase{"InfiniteDate", "infinite-future", absl::InfiniteDuration()}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::http
