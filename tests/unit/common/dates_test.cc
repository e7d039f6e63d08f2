#include "common/dates.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/time_zones.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

// 2026-03-02 is a Monday. Kiritimati is 14 hours ahead of UTC, New York 5 behind until the clock changes on March 8th.
constexpr char kNow[] = "2026-03-02T09:30:00Z";

absl::Time At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &error)) << error;
  return time;
}

absl::TimeZone Zone(const std::string& name) {
  const auto found = FindTimeZone(name);
  EXPECT_TRUE(found.has_value()) << name;
  return found.has_value() ? found->zone : absl::UTCTimeZone();
}

struct Row {
  std::string name;
  std::string text;
  std::string expected;  // As stored; empty: refused.
  std::string zone = "UTC";
  std::string now = kNow;
};

class DatesTest : public ::testing::TestWithParam<Row> {};

TEST_P(DatesTest, ReadsWhatPeopleWrite) {
  const Row& row = GetParam();
  const absl::StatusOr<DateOrTime> date = ParseDate(row.text, At(row.now), Zone(row.zone));
  if (row.expected.empty()) {
    EXPECT_EQ(date.status().code(), absl::StatusCode::kInvalidArgument) << FormatDate(*date);
    return;
  }
  ASSERT_TRUE(date.ok()) << date.status();
  EXPECT_EQ(FormatDate(*date), row.expected);
  const absl::StatusOr<DateOrTime> again = ParseStoredDate(row.expected);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FormatDate(*again), row.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, DatesTest,
    ::testing::ValuesIn(std::vector<Row>{
        {"Day", "2026-03-02", "2026-03-02"},
        {"DayWithBlanks", "  2026-03-02 ", "2026-03-02"},
        {"LeapDay", "2028-02-29", "2028-02-29"},
        {"NoLeapDay", "2026-02-29", ""},
        {"NoSuchMonth", "2026-13-01", ""},
        {"ShortDay", "2026-3-2", ""},
        {"YearZero", "0000-01-01", ""},
        {"InstantInUtc", "2024-12-01T17:00:00Z", "2024-12-01T17:00:00Z"},
        {"InstantInLowerCase", "2024-12-01t17:00:00z", "2024-12-01T17:00:00Z"},
        {"InstantWithOffset", "2024-12-01T17:00:00+01:00", "2024-12-01T16:00:00Z"},
        {"InstantAcrossMidnight", "2024-12-31T23:00:00-05:30", "2025-01-01T04:30:00Z"},
        {"FractionIsDropped", "2024-12-01T17:00:00.999Z", "2024-12-01T17:00:00Z"},
        {"LeapSecond", "2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"},
        {"OffsetWithoutSeconds", "2024-12-01T17:00Z", ""},
        {"OffsetWithoutColon", "2024-12-01T17:00:00+0100", ""},
        {"EmptyFraction", "2024-12-01T17:00:00.Z", ""},
        {"HourTwentyFour", "2024-12-01T24:00:00Z", ""},
        {"BeyondTheLastYear", "9999-12-31T23:59:59-01:00", ""},
        {"LocalInstant", "2026-03-02T10:00", "2026-03-02T15:00:00Z", "America/New_York"},
        {"LocalInstantWithBlank", "2026-03-02 10:00:30", "2026-03-02T09:00:30Z", "Europe/Berlin"},
        {"Now", "now", "2026-03-02T09:30:00Z"},
        {"Today", "today", "2026-03-02"},
        {"TodayIsTheCallersDay", "today", "2026-03-03", "Pacific/Kiritimati", "2026-03-02T10:30:00Z"},
        {"TodayIsStillYesterdayInTheWest", "Today", "2026-03-01", "America/New_York", "2026-03-02T04:59:59Z"},
        {"Tomorrow", "TOMORROW", "2026-03-03"},
        {"TomorrowAcrossTheYear", "tomorrow", "2027-01-01", "UTC", "2026-12-31T12:00:00Z"},
        {"Yesterday", "yesterday", "2026-03-01"},
        {"WeekdayIncludesToday", "monday", "2026-03-02"},
        {"ThisWeekday", "this friday", "2026-03-06"},
        {"NextWeekdayExcludesToday", "next monday", "2026-03-09"},
        {"NextShortWeekday", "next fri", "2026-03-06"},
        {"LastWeekday", "last monday", "2026-02-23"},
        {"NextWeek", "next week", "2026-03-09"},
        {"LastMonth", "last month", "2026-02-02"},
        {"NextYear", "next year", "2027-03-02"},
        {"NextHour", "next hour", ""},
        {"EndOfWeek", "end of week", "2026-03-08"},
        {"EndOfMonth", "end of month", "2026-03-31"},
        {"EndOfYear", "end of year", "2026-12-31"},
        {"InDays", "in 3 days", "2026-03-05"},
        {"InAWeek", "in a week", "2026-03-09"},
        {"InMonthsKeepsWithinTheMonth", "in 1 month", "2026-02-28", "UTC", "2026-01-31T12:00:00Z"},
        {"InYearsFromLeapDay", "in 1 year", "2029-02-28", "UTC", "2028-02-29T12:00:00Z"},
        {"InHoursIsAnInstant", "in 2 hours", "2026-03-02T11:30:00Z"},
        {"MinutesAgo", "45 minutes ago", "2026-03-02T08:45:00Z"},
        {"WeeksAgo", "2 weeks ago", "2026-02-16"},
        {"ShortWeeks", "+2w", "2026-03-16"},
        {"ShortDaysBack", "-1d", "2026-03-01"},
        {"ShortMonths", "+1m", "2026-04-02"},
        {"ShortHours", "+3h", "2026-03-02T12:30:00Z"},
        {"ShortWithoutNumber", "+w", ""},
        {"ShortWithUnknownUnit", "+3x", ""},
        {"ShortWithWord", "+aw", ""},
        {"DayWithTime", "tomorrow at 17:00", "2026-03-03T16:00:00Z", "Europe/Berlin"},
        {"DayWithSpokenTime", "next monday 9am", "2026-03-09T13:00:00Z", "America/New_York"},
        {"Noon", "today at 12 pm", "2026-03-02T12:00:00Z"},
        {"Midnight", "today 12am", "2026-03-02T00:00:00Z"},
        {"ThirteenPm", "today 13pm", ""},
        {"BareNumberIsNoTime", "today 9", ""},
        {"TimeOnAnInstant", "in 2 hours at 9am", ""},
        {"TimeInTheSkippedHour", "2026-03-08T02:30", "2026-03-08T07:00:00Z", "America/New_York"},
        {"Empty", "", ""},
        {"Blanks", "   ", ""},
        {"Nonsense", "soonish", ""},
        {"TrailingWord", "today please", ""},
        {"IncompleteNext", "next", ""},
        {"IncompleteIn", "in 3", ""},
        {"EndOfNothing", "end of", ""},
        {"HugeCount", "in 999999 days", ""},
        {"CountBeyondTheCalendar", "in 99999 years", ""},
        {"TooLong", std::string(65, '1'), ""},
        {"Infinite", "infinite-future", ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(StoredDateTest, RefusesWhatIsNotInTheStoredForm) {
  for (const char* text : {"today", "2026-03-02t09:00:00Z", "2026-03-02T09:00:00+00:00", "2026-03-02T09:00:00", ""}) {
    EXPECT_FALSE(ParseStoredDate(text).ok()) << text;
  }
}

TEST(StoredDateTest, InstantsSortAsStrings) {
  EXPECT_LT(FormatInstant(At("2026-03-02T09:59:59Z")), FormatInstant(At("2026-03-02T10:00:00Z")));
  EXPECT_LT(FormatInstant(At("2026-03-02T10:00:00.9Z")), FormatInstant(At("2026-03-02T10:00:01Z")));
}

TEST(StartOfDayTest, FollowsTheZone) {
  const absl::CivilDay day(2026, 3, 2);
  EXPECT_EQ(StartOfDay(day, Zone("UTC")), At("2026-03-02T00:00:00Z"));
  EXPECT_EQ(StartOfDay(day, Zone("America/New_York")), At("2026-03-02T05:00:00Z"));
  EXPECT_EQ(StartOfDay(day, Zone("Pacific/Kiritimati")), At("2026-03-01T10:00:00Z"));
}

TEST(StartOfDayTest, IsTheFirstInstantWhereMidnightIsSkipped) {
  // In Beirut the clock went from 00:00 to 01:00 on this day.
  EXPECT_EQ(StartOfDay(absl::CivilDay(2022, 3, 27), Zone("Asia/Beirut")), At("2022-03-26T22:00:00Z"));
}

TEST(ClockTimeTest, BecomesTwentyFourHours) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"9:30", "09:30"}, {"09:30", "09:30"}, {"9am", "09:00"}, {"9:05 PM", "21:05"}, {"23:59", "23:59"}}) {
    const absl::StatusOr<std::string> time = ParseClockTime(text);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(*time, expected);
  }
  for (const char* text : {"", "9", "24:00", "12:60", "noon", "1:2:3"}) {
    EXPECT_FALSE(ParseClockTime(text).ok()) << text;
  }
}

}  // namespace
}  // namespace toolgate
