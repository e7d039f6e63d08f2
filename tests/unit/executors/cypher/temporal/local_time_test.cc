#include "executors/cypher/temporal/local_time.h"

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::TextOf;

TEST(LocalTimeTest, WritesNoMoreThanItNeeds) {
  const struct {
    int64_t hour, minute, second, nanosecond;
    const char* text;
  } kRows[] = {
      {0, 0, 0, 0, "00:00"},
      {23, 59, 59, 999'999'999, "23:59:59.999999999"},
      {7, 5, 0, 0, "07:05"},
      {7, 5, 3, 0, "07:05:03"},
      {7, 5, 0, 500'000'000, "07:05:00.5"},
      {7, 5, 0, 120'000, "07:05:00.00012"},
      {7, 5, 0, 1, "07:05:00.000000001"},
      {24, 0, 0, 0, kInvalidValue},
      {-1, 0, 0, 0, kInvalidValue},
      {0, 60, 0, 0, kInvalidValue},
      {0, 0, 60, 0, kInvalidValue},
      {0, 0, 0, 1'000'000'000, kInvalidValue},
      {0, 0, 0, -1, kInvalidValue},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TextOf(LocalTime::Create(row.hour, row.minute, row.second, row.nanosecond)), row.text);
  }
}

TEST(LocalTimeTest, KnowsItsFields) {
  const LocalTime time = *LocalTime::Create(21, 43, 5, 60'700'800);
  EXPECT_EQ(time.hour(), 21);
  EXPECT_EQ(time.minute(), 43);
  EXPECT_EQ(time.second(), 5);
  EXPECT_EQ(time.nanosecond(), 60'700'800);
  EXPECT_EQ(time.second_of_day(), (21 * 60 + 43) * 60 + 5);
}

TEST(LocalTimeTest, WrapsAtMidnight) {
  EXPECT_EQ(LocalTime::FromNanosOfDay(kNanosPerDay + 1).ToString(), "00:00:00.000000001");
  EXPECT_EQ(LocalTime::FromNanosOfDay(-1).ToString(), "23:59:59.999999999");
  EXPECT_EQ(LocalTime::FromNanosOfDay(-kNanosPerDay).ToString(), "00:00");
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
