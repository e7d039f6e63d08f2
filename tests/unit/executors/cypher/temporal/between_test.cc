#include "executors/cypher/temporal/between.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidType;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

TEST(BetweenTest, CountsInEachUnit) {
  const struct {
    const char *from, *to, *between, *months, *days, *seconds;
  } kRows[] = {
      // Dates.
      {"date 1999-12-31", "date 2024-03-01", "P24Y2M1D", "P24Y2M", "P8827D", "PT211848H"},
      {"date 2024-03-01", "date 1999-12-31", "P-24Y-2M-1D", "P-24Y-2M", "P-8827D", "PT-211848H"},
      {"date 2024-01-31", "date 2024-02-29", "P29D", "PT0S", "P29D", "PT696H"},
      {"date 2024-02-29", "date 2024-01-31", "P-29D", "PT0S", "P-29D", "PT-696H"},
      {"date 2023-01-31", "date 2023-03-01", "P1M1D", "P1M", "P29D", "PT696H"},
      {"date 2024-02-29", "date 2024-02-29", "PT0S", "PT0S", "PT0S", "PT0S"},
      // An incomplete day does not count.
      {"localdatetime 2024-01-15T18:00", "localdatetime 2024-02-15T17:59", "P30DT23H59M", "PT0S", "P30D", "PT743H59M"},
      {"localdatetime 2024-02-15T17:59", "localdatetime 2024-01-15T18:00", "P-30DT-23H-59M", "PT0S", "P-30D",
       "PT-743H-59M"},
      {"localdatetime 2024-01-15T18:00:00.4", "localdatetime 2024-01-15T18:00:00.1", "PT-0.3S", "PT0S", "PT0S",
       "PT-0.3S"},
      // The first side's clock counts days.
      {"datetime 2021-01-15T23:00-05:00", "datetime 2021-01-16T04:00Z", "PT0S", "PT0S", "PT0S", "PT0S"},
      {"datetime 2021-01-31T23:30+01:00", "datetime 2021-02-28T23:00Z", "P28DT30M", "PT0S", "P28D", "PT672H30M"},
      // Times of day.
      {"localtime 10:00", "localtime 09:59:59.5", "PT-0.5S", "PT0S", "PT0S", "PT-0.5S"},
      {"time 10:00+02:00", "time 10:00-02:00", "PT4H", "PT0S", "PT0S", "PT4H"},
      {"time 23:00-05:00", "localtime 23:30", "PT30M", "PT0S", "PT0S", "PT30M"},
      // A missing date, time or zone is the other's or midnight.
      {"date 2024-02-29", "localtime 06:00", "PT6H", "PT0S", "PT0S", "PT6H"},
      {"localtime 06:00", "date 2024-02-29", "PT-6H", "PT0S", "PT0S", "PT-6H"},
      {"date 2024-02-29", "time 06:00+05:00", "PT6H", "PT0S", "PT0S", "PT6H"},
      {"date 2024-02-28", "localdatetime 2024-03-01T06:00", "P2DT6H", "PT0S", "P2D", "PT54H"},
      {"localdatetime 2024-02-28T12:00", "datetime 2024-03-01T06:00+05:00", "P1DT18H", "PT0S", "P1D", "PT42H"},
      {"time 06:00+05:00", "datetime 2024-03-01T06:00Z", "PT5H", "PT0S", "PT0S", "PT5H"},
  };
  for (const auto& row : kRows) {
    const Temporal from = TemporalOf(row.from), to = TemporalOf(row.to);
    EXPECT_EQ(TextOf(Between(from, to)), row.between) << row.from << " " << row.to;
    EXPECT_EQ(TextOf(InMonths(from, to)), row.months) << row.from << " " << row.to;
    EXPECT_EQ(TextOf(InDays(from, to)), row.days) << row.from << " " << row.to;
    EXPECT_EQ(TextOf(InSeconds(from, to)), row.seconds) << row.from << " " << row.to;
  }
}

TEST(BetweenTest, CountsTheHoursThatPassWhenTheClockIsChanged) {
  const struct {
    const char *from, *to, *between, *seconds;
  } kRows[] = {
      {"datetime 2021-03-28T00:00[Europe/Berlin]", "datetime 2021-03-29T00:00[Europe/Berlin]", "P1D", "PT23H"},
      {"datetime 2021-03-28T00:00[Europe/Berlin]", "datetime 2021-03-28T06:00[Europe/Berlin]", "PT5H", "PT5H"},
      {"datetime 2021-03-28T00:00[Europe/Berlin]", "localtime 06:00", "PT5H", "PT5H"},
      {"date 2021-10-31", "datetime 2021-10-31T06:00[Europe/Berlin]", "PT7H", "PT7H"},
      {"datetime 2021-10-31T00:00[Europe/Berlin]", "date 2021-11-01", "P1D", "PT25H"},
      {"datetime 2021-10-31T02:30+02:00[Europe/Berlin]", "datetime 2021-10-31T02:30+01:00[Europe/Berlin]", "PT1H",
       "PT1H"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TextOf(Between(TemporalOf(row.from), TemporalOf(row.to))), row.between) << row.from << " " << row.to;
    EXPECT_EQ(TextOf(InSeconds(TemporalOf(row.from), TemporalOf(row.to))), row.seconds) << row.from << " " << row.to;
  }
}

TEST(BetweenTest, SpansAllYears) {
  const Temporal first = TemporalOf("date -999999999-01-01"), last = TemporalOf("date +999999999-12-31");
  EXPECT_EQ(TextOf(Between(last, first)), "P-1999999998Y-11M-30D");
  EXPECT_EQ(TextOf(InDays(first, last)), "P730484999633D");
  EXPECT_EQ(TextOf(InSeconds(first, last)), "PT17531639991192H");
}

TEST(BetweenTest, AddsUpToTheSecondDate) {
  for (int64_t day = 18'000; day < 19'500; day += 7) {
    for (int64_t other = day; other < day + 800; other += 13) {
      const Date from = *Date::FromEpochDay(day), to = *Date::FromEpochDay(other);
      const Duration duration = *Between(from, to);
      EXPECT_EQ(TextOf(from.PlusMonths(duration.months())->PlusDays(duration.days())), to.ToString());
      EXPECT_GE(duration.days(), 0);
      EXPECT_LT(duration.days(), 31);
    }
  }
}

TEST(BetweenTest, TakesNoDurations) {
  const Temporal date = TemporalOf("date 2024-01-01"), duration = TemporalOf("duration P1D");
  EXPECT_EQ(TextOf(Between(duration, date)), kInvalidType);
  EXPECT_EQ(TextOf(InMonths(date, duration)), kInvalidType);
  EXPECT_EQ(TextOf(InDays(duration, duration)), kInvalidType);
  EXPECT_EQ(TextOf(InSeconds(date, duration)), kInvalidType);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
