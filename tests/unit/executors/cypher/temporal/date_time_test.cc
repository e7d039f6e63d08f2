#include "executors/cypher/temporal/date_time.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

DateTime Of(const std::string& text) { return std::get<DateTime>(TemporalOf("datetime " + text)); }

TEST(DateTimeTest, MovesASkippedLocalTimeForward) {
  EXPECT_EQ(Of("2021-03-28T02:30[Europe/Berlin]").ToString(), "2021-03-28T03:30+02:00[Europe/Berlin]");
  EXPECT_EQ(Of("2021-10-03T02:10[Australia/Lord_Howe]").ToString(), "2021-10-03T02:40+11:00[Australia/Lord_Howe]");
}

TEST(DateTimeTest, TakesTheFirstOfTwoEqualLocalTimes) {
  EXPECT_EQ(Of("2021-10-31T02:30[Europe/Berlin]").ToString(), "2021-10-31T02:30+02:00[Europe/Berlin]");
  EXPECT_EQ(Of("2021-10-31T02:30+01:00[Europe/Berlin]").ToString(), "2021-10-31T02:30+01:00[Europe/Berlin]");
}

TEST(DateTimeTest, KeepsTheInstantInAnotherZone) {
  const DateTime berlin = Of("2021-07-01T00:30[Europe/Berlin]");
  EXPECT_EQ(TextOf(berlin.InZone(*Zone::Parse("America/New_York"))), "2021-06-30T18:30-04:00[America/New_York]");
  EXPECT_EQ(TextOf(berlin.InZone(Zone())), "2021-06-30T22:30Z");
}

TEST(DateTimeTest, CountsDaysOnTheClockAndSecondsOnTheTimeLine) {
  const DateTime evening = Of("2021-03-27T12:00[Europe/Berlin]");
  EXPECT_EQ(TextOf(evening.PlusDays(1)), "2021-03-28T12:00+02:00[Europe/Berlin]");
  EXPECT_EQ(TextOf(evening.PlusSeconds(86'400, 0)), "2021-03-28T13:00+02:00[Europe/Berlin]");
  EXPECT_EQ(TextOf(evening.PlusMonths(-2)), "2021-01-27T12:00+01:00[Europe/Berlin]");
}

TEST(DateTimeTest, KeepsTheSecondOfTwoEqualLocalTimes) {
  const DateTime second = Of("2021-10-31T02:30+01:00[Europe/Berlin]");
  EXPECT_EQ(TextOf(second.PlusDays(0)), "2021-10-31T02:30+01:00[Europe/Berlin]");
  EXPECT_EQ(TextOf(second.PlusMonths(0)), "2021-10-31T02:30+01:00[Europe/Berlin]");
}

TEST(DateTimeTest, EndsAtTheLastYears) {
  const DateTime last = Of("+999999999-12-31T23:59:59.999999999Z");
  EXPECT_EQ(TextOf(last.PlusSeconds(0, 1)), kOutOfRange);
  EXPECT_EQ(TextOf(last.PlusSeconds(std::numeric_limits<int64_t>::max(), 0)), kOutOfRange);
  EXPECT_EQ(TextOf(last.InZone(*Zone::FromOffset(1))), kOutOfRange);
  EXPECT_EQ(TextOf(DateTime::FromEpoch(std::numeric_limits<int64_t>::max(), 0, *Zone::FromOffset(1))), kOutOfRange);
  EXPECT_EQ(Of("+999999999-07-01T12:00[Europe/Berlin]").offset(), 7'200);
  EXPECT_EQ(Of("-999999999-07-01T12:00[Europe/Berlin]").ToString(), "-999999999-07-01T12:00+00:53:28[Europe/Berlin]");
}

TEST(DateTimeTest, IsOrderedByInstantThenOffsetThenZone) {
  const char* const kAscending[] = {
      "2021-01-01T12:00+02:00",          "2021-01-01T11:00+00:00",        "2021-01-01T12:00+01:00",
      "2021-01-01T12:00[Europe/Berlin]", "2021-01-01T12:00[Europe/Rome]", "2021-01-01T11:00:00.000000001Z",
  };
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      EXPECT_EQ(Of(kAscending[i]) < Of(kAscending[j]), i < j) << kAscending[i] << " " << kAscending[j];
      EXPECT_EQ(Of(kAscending[i]) == Of(kAscending[j]), i == j) << kAscending[i] << " " << kAscending[j];
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
