#include "executors/cypher/temporal/arithmetic.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidType;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

TEST(ArithmeticTest, AddsAndSubtractsDurations) {
  const struct {
    const char *value, *duration, *sum, *difference;
  } kRows[] = {
      // Months first, then days.
      {"date 2024-01-31", "duration P1M", "2024-02-29", "2023-12-31"},
      {"date 2023-01-31", "duration P1M1D", "2023-03-01", "2022-12-30"},
      {"date 2024-02-29", "duration P1Y", "2025-02-28", "2023-02-28"},
      {"date 2024-01-01", "duration PT23H59M", "2024-01-01", "2024-01-01"},
      {"date 2024-01-01", "duration PT49H", "2024-01-03", "2023-12-30"},
      {"date 2024-01-01", "duration PT24H-0.5S", "2024-01-01", "2024-01-01"},
      {"date 2024-01-01", "duration PT24H0.5S", "2024-01-02", "2023-12-31"},
      {"date 2024-01-01", "duration P1M-1D", "2024-01-31", "2023-12-02"},
      {"date +999999999-12-31", "duration P1D", kOutOfRange, "+999999999-12-30"},
      {"date -999999999-01-01", "duration P1M", "-999999999-02-01", kOutOfRange},
      // A time of day takes nothing of months and days.
      {"localtime 22:00", "duration P1Y1DT3H", "01:00", "19:00"},
      {"localtime 00:00", "duration PT0.000000001S", "00:00:00.000000001", "23:59:59.999999999"},
      {"localtime 12:00", "duration PT9223372036854775807S", "03:30:07", "20:29:53"},
      {"time 22:00-05:00", "duration PT3H0.25S", "01:00:00.25-05:00", "18:59:59.75-05:00"},
      {"localdatetime 2024-02-28T23:00", "duration PT2H", "2024-02-29T01:00", "2024-02-28T21:00"},
      {"localdatetime 2024-01-31T12:00", "duration P1M1DT12H", "2024-03-02T00:00", "2023-12-30T00:00"},
      {"localdatetime 2024-01-31T12:00", "duration PT9223372036854775807S", kOutOfRange, kOutOfRange},
      {"datetime 2021-03-27T12:00[Europe/Berlin]", "duration P1D", "2021-03-28T12:00+02:00[Europe/Berlin]",
       "2021-03-26T12:00+01:00[Europe/Berlin]"},
      {"datetime 2021-03-27T12:00[Europe/Berlin]", "duration PT24H", "2021-03-28T13:00+02:00[Europe/Berlin]",
       "2021-03-26T12:00+01:00[Europe/Berlin]"},
      {"datetime 2021-03-27T02:30[Europe/Berlin]", "duration P1D", "2021-03-28T03:30+02:00[Europe/Berlin]",
       "2021-03-26T02:30+01:00[Europe/Berlin]"},
      {"duration P1M2DT3S", "duration P1D", "P1M3DT3S", "P1M1DT3S"},
  };
  for (const auto& row : kRows) {
    const Temporal value = TemporalOf(row.value), duration = TemporalOf(row.duration);
    EXPECT_EQ(TextOf(Add(value, duration)), row.sum) << row.value << " " << row.duration;
    EXPECT_EQ(TextOf(Add(duration, value)), row.sum) << row.duration << " " << row.value;
    EXPECT_EQ(TextOf(Subtract(value, duration)), row.difference) << row.value << " " << row.duration;
  }
}

TEST(ArithmeticTest, RefusesTwoInstants) {
  const Temporal date = TemporalOf("date 2024-01-01"), time = TemporalOf("localtime 12:00");
  EXPECT_EQ(TextOf(Add(date, time)), kInvalidType);
  EXPECT_EQ(TextOf(Subtract(date, date)), kInvalidType);
  EXPECT_EQ(TextOf(Subtract(TemporalOf("duration P1D"), date)), kInvalidType);
}

TEST(ArithmeticTest, RefusesADurationThatHasNoOpposite) {
  const Temporal longest = *Duration::Create(0, std::numeric_limits<int64_t>::min(), 0, 0);
  EXPECT_EQ(TextOf(Subtract(TemporalOf("date 2024-01-01"), longest)), kOutOfRange);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
