#include "executors/cypher/temporal/date.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TextOf;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(DateTest, IsMadeFromYearMonthAndDay) {
  const struct {
    int64_t year, month, day;
    const char* text;
  } kRows[] = {
      {1970, 1, 1, "1970-01-01"},
      {2024, 2, 29, "2024-02-29"},
      {2023, 2, 29, kInvalidValue},
      {1900, 2, 29, kInvalidValue},
      {2000, 2, 29, "2000-02-29"},
      {2024, 13, 1, kInvalidValue},
      {2024, 0, 1, kInvalidValue},
      {2024, 4, 31, kInvalidValue},
      {2024, 4, 0, kInvalidValue},
      {0, 1, 1, "0000-01-01"},
      {-1, 12, 31, "-0001-12-31"},
      {7, 6, 5, "0007-06-05"},
      {9999, 12, 31, "9999-12-31"},
      {10000, 1, 1, "+10000-01-01"},
      {-10000, 1, 1, "-10000-01-01"},
      {999999999, 12, 31, "+999999999-12-31"},
      {-999999999, 1, 1, "-999999999-01-01"},
      {1000000000, 1, 1, kInvalidValue},
      {-1000000000, 1, 1, kInvalidValue},
      {kHuge, kHuge, kHuge, kInvalidValue},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(Date::FromCalendar(row.year, row.month, row.day)), row.text);
}

TEST(DateTest, IsMadeFromAWeek) {
  const struct {
    int64_t year, week, day;
    const char* text;
  } kRows[] = {
      {2020, 53, 5, "2021-01-01"},           {2021, 1, 1, "2021-01-04"},
      {2009, 53, 7, "2010-01-03"},           {1977, 1, 6, "1977-01-08"},
      {2004, 53, 7, "2005-01-02"},           {2021, 53, 1, kInvalidValue},
      {2021, 0, 1, kInvalidValue},           {2021, 1, 0, kInvalidValue},
      {2021, 1, 8, kInvalidValue},           {kHuge, 1, 1, kInvalidValue},
      {999999999, 1, 1, "+999999999-01-04"},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(Date::FromWeek(row.year, row.week, row.day)), row.text) << row.text;
}

TEST(DateTest, IsMadeFromAQuarter) {
  const struct {
    int64_t year, quarter, day;
    const char* text;
  } kRows[] = {
      {2024, 1, 91, "2024-03-31"}, {2023, 1, 91, kInvalidValue}, {2023, 2, 40, "2023-05-10"},
      {1999, 4, 92, "1999-12-31"}, {1999, 4, 93, kInvalidValue}, {1999, 5, 1, kInvalidValue},
      {1999, 0, 1, kInvalidValue}, {1999, 1, 0, kInvalidValue},  {kHuge, 1, 1, kInvalidValue},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(Date::FromQuarter(row.year, row.quarter, row.day)), row.text);
}

TEST(DateTest, IsMadeFromADayOfTheYear) {
  const struct {
    int64_t year, day;
    const char* text;
  } kRows[] = {
      {2024, 366, "2024-12-31"}, {2023, 366, kInvalidValue}, {2023, 60, "2023-03-01"},
      {2024, 60, "2024-02-29"},  {2024, 0, kInvalidValue},   {-kHuge, 1, kInvalidValue},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(Date::FromOrdinal(row.year, row.day)), row.text);
}

TEST(DateTest, ClampsADayToTheLastOfItsMonth) {
  EXPECT_EQ(TextOf(Date::FromCalendarClamped(2023, 2, 31)), "2023-02-28");
  EXPECT_EQ(TextOf(Date::FromCalendarClamped(2024, 2, 31)), "2024-02-29");
  EXPECT_EQ(TextOf(Date::FromCalendarClamped(2024, 2, 3)), "2024-02-03");
  EXPECT_EQ(TextOf(Date::FromCalendarClamped(2024, 13, 3)), kInvalidValue);
}

TEST(DateTest, KnowsItsFields) {
  const struct {
    const char* text;
    int64_t year;
    int quarter, month, day, ordinal_day, day_of_quarter, day_of_week, week;
    int64_t week_year;
    int64_t epoch_day;
  } kRows[] = {
      {"2024-02-29", 2024, 1, 2, 29, 60, 60, 4, 9, 2024, 19782},
      {"2000-12-31", 2000, 4, 12, 31, 366, 92, 7, 52, 2000, 11322},
      {"1999-01-01", 1999, 1, 1, 1, 1, 1, 5, 53, 1998, 10592},
      {"2023-05-17", 2023, 2, 5, 17, 137, 47, 3, 20, 2023, 19494},
      {"2021-01-03", 2021, 1, 1, 3, 3, 3, 7, 53, 2020, 18630},
      {"1969-12-31", 1969, 4, 12, 31, 365, 92, 3, 1, 1970, -1},
  };
  for (const auto& row : kRows) {
    const Date date = std::get<Date>(*Parse(Kind::kDate, row.text));
    EXPECT_EQ(date.year(), row.year) << row.text;
    EXPECT_EQ(date.quarter(), row.quarter) << row.text;
    EXPECT_EQ(date.month(), row.month) << row.text;
    EXPECT_EQ(date.day(), row.day) << row.text;
    EXPECT_EQ(date.ordinal_day(), row.ordinal_day) << row.text;
    EXPECT_EQ(date.day_of_quarter(), row.day_of_quarter) << row.text;
    EXPECT_EQ(date.day_of_week(), row.day_of_week) << row.text;
    EXPECT_EQ(date.week(), row.week) << row.text;
    EXPECT_EQ(date.week_year(), row.week_year) << row.text;
    EXPECT_EQ(date.epoch_day(), row.epoch_day) << row.text;
  }
}

TEST(DateTest, EveryWeekDateLeadsBack) {
  for (int64_t day = -200'000; day < 200'000; day += 97) {
    const Date date = *Date::FromEpochDay(day);
    EXPECT_EQ(TextOf(Date::FromWeek(date.week_year(), date.week(), date.day_of_week())), date.ToString());
    EXPECT_EQ(TextOf(Date::FromOrdinal(date.year(), date.ordinal_day())), date.ToString());
    EXPECT_EQ(TextOf(Date::FromQuarter(date.year(), date.quarter(), date.day_of_quarter())), date.ToString());
  }
}

TEST(DateTest, MovesByMonthsAndDays) {
  const Date end_of_january = *Date::FromCalendar(2024, 1, 31);
  const struct {
    int64_t months, days;
    const char* text;
  } kRows[] = {
      {1, 0, "2024-02-29"},          {13, 0, "2025-02-28"},    {-2, 0, "2023-11-30"},
      {2, 0, "2024-03-31"},          {0, 1, "2024-02-01"},     {0, -31, "2023-12-31"},
      {-24 * 1012, 0, "0000-01-31"}, {kHuge, 0, kOutOfRange},  {0, kHuge, kOutOfRange},
      {-kHuge, 0, kOutOfRange},      {0, -kHuge, kOutOfRange}, {12'000'000'000, 0, kOutOfRange},
  };
  for (const auto& row : kRows) {
    absl::StatusOr<Date> moved = end_of_january.PlusMonths(row.months);
    if (moved.ok()) moved = moved->PlusDays(row.days);
    EXPECT_EQ(TextOf(moved), row.text) << row.months << " months " << row.days << " days";
  }
}

TEST(DateTest, EndsAtTheLastYears) {
  const Date last = *Date::FromCalendar(999'999'999, 12, 31);
  const Date first = *Date::FromCalendar(-999'999'999, 1, 1);
  EXPECT_EQ(TextOf(last.PlusDays(1)), kOutOfRange);
  EXPECT_EQ(TextOf(first.PlusDays(-1)), kOutOfRange);
  EXPECT_EQ(TextOf(last.PlusMonths(1)), kOutOfRange);
  EXPECT_EQ(TextOf(first.PlusMonths(-1)), kOutOfRange);
  EXPECT_EQ(TextOf(last.PlusMonths(-12 * int64_t{1'999'999'998})), "-999999999-12-31");
  EXPECT_LT(first, last);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
