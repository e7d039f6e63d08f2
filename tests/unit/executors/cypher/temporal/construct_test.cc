#include "executors/cypher/temporal/construct.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidType;
using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

using Map = std::vector<Component>;

// 2021-01-31T22:30:00.5Z.
const absl::Time kNow = absl::FromUnixMillis(1'612'132'200'500);

struct Row {
  Map map;
  const char* value;
};

void Check(Kind kind, const std::vector<Row>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(TextOf(FromMap(kind, rows[i].map, kNow)), rows[i].value) << FunctionName(kind) << " row " << i;
  }
}

TEST(FromMapTest, MakesDates) {
  Check(Kind::kDate, {
                         {{{"year", 2023}, {"month", 5}, {"day", 17}}, "2023-05-17"},
                         {{{"day", 17}, {"month", 5}, {"year", 2023}}, "2023-05-17"},
                         {{{"year", 2023}, {"month", 5}}, "2023-05-01"},
                         {{{"year", 2023}}, "2023-01-01"},
                         {{{"year", -5}}, "-0005-01-01"},
                         {{{"year", 2023}, {"week", 20}, {"dayOfWeek", 3}}, "2023-05-17"},
                         {{{"year", 2023}, {"week", 20}}, "2023-05-15"},
                         {{{"year", 2020}, {"week", 53}, {"dayOfWeek", 7}}, "2021-01-03"},
                         {{{"year", 2023}, {"quarter", 2}, {"dayOfQuarter", 47}}, "2023-05-17"},
                         {{{"year", 2023}, {"quarter", 2}}, "2023-04-01"},
                         {{{"year", 2023}, {"ordinalDay", 137}}, "2023-05-17"},
                     });
}

TEST(FromMapTest, RefusesMapsThatNameNoDate) {
  Check(Kind::kDate, {
                         {{}, kInvalidValue},
                         {{{"month", 5}, {"day", 17}}, kInvalidValue},
                         {{{"year", 2023}, {"day", 17}}, kInvalidValue},
                         {{{"year", 2023}, {"dayOfWeek", 3}}, kInvalidValue},
                         {{{"year", 2023}, {"dayOfQuarter", 3}}, kInvalidValue},
                         {{{"year", 2023}, {"month", 5}, {"week", 20}}, kInvalidValue},
                         {{{"year", 2023}, {"quarter", 2}, {"ordinalDay", 100}}, kInvalidValue},
                         {{{"year", 2023}, {"month", 2}, {"day", 29}}, kInvalidValue},
                         {{{"year", 1'000'000'000}}, kInvalidValue},
                         {{{"year", 2023}, {"hour", 1}}, kInvalidValue},
                         {{{"year", 2023}, {"Month", 1}}, kInvalidValue},
                         {{{"year", 2023}, {"timezone", "Z"}}, kInvalidValue},
                         {{{"year", 2023.0}}, kInvalidType},
                         {{{"year", "2023"}}, kInvalidType},
                         {{{"date", "2023-05-17"}}, kInvalidType},
                         {{{"date", TemporalOf("localtime 12:00")}}, kInvalidType},
                         {{{"date", TemporalOf("duration P1D")}}, kInvalidType},
                         {{{"time", TemporalOf("localtime 12:00")}}, kInvalidValue},
                     });
}

TEST(FromMapTest, ChangesSingleFieldsOfAnotherDate) {
  const Temporal other = TemporalOf("date 2024-02-29");  // Thursday of week 9, day 60, second month of the quarter.
  Check(Kind::kDate, {
                         {{{"date", other}}, "2024-02-29"},
                         {{{"date", other}, {"year", 2020}}, "2020-02-29"},
                         {{{"date", other}, {"year", 2023}}, "2023-02-28"},
                         {{{"date", other}, {"month", 7}}, "2024-07-29"},
                         {{{"date", other}, {"day", 3}}, "2024-02-03"},
                         {{{"date", other}, {"year", 2023}, {"day", 29}}, kInvalidValue},
                         {{{"date", other}, {"week", 1}}, "2024-01-04"},
                         {{{"date", other}, {"dayOfWeek", 1}}, "2024-02-26"},
                         {{{"date", other}, {"year", 2020}, {"week", 53}}, "2020-12-31"},
                         {{{"date", other}, {"quarter", 4}}, "2024-11-29"},
                         {{{"date", other}, {"dayOfQuarter", 1}}, "2024-01-01"},
                         {{{"date", other}, {"quarter", 5}}, kInvalidValue},
                         {{{"date", other}, {"ordinalDay", 1}}, "2024-01-01"},
                         {{{"date", TemporalOf("date 2023-12-31")}, {"quarter", 1}}, "2023-03-31"},
                         {{{"date", TemporalOf("date 2023-12-31")}, {"quarter", 2}}, "2023-06-30"},
                         // Weeks count in the year that the week of the date belongs to.
                         {{{"date", TemporalOf("date 2021-01-02")}, {"week", 1}}, "2020-01-04"},
                         {{{"date", TemporalOf("localdatetime 2024-02-29T12:00")}, {"day", 1}}, "2024-02-01"},
                         {{{"date", TemporalOf("datetime 2024-02-29T23:00-08:00")}, {"day", 1}}, "2024-02-01"},
                     });
}

TEST(FromMapTest, MakesLocalTimes) {
  const Temporal other = TemporalOf("localtime 01:02:03.004005006");
  Check(Kind::kLocalTime,
        {
            {{{"hour", 6}}, "06:00"},
            {{{"hour", 6}, {"minute", 7}}, "06:07"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}}, "06:07:08"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"nanosecond", 90}}, "06:07:08.00000009"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"microsecond", 90}}, "06:07:08.00009"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"millisecond", 90}}, "06:07:08.09"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"millisecond", 1}, {"nanosecond", 2}}, "06:07:08.001000002"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"millisecond", 1}, {"microsecond", 2}, {"nanosecond", 3}},
             "06:07:08.001002003"},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"millisecond", 1}, {"microsecond", 1'000}}, kInvalidValue},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"microsecond", 1}, {"nanosecond", 1'000}}, kInvalidValue},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"nanosecond", -1}}, kInvalidValue},
            {{{"hour", 6}, {"minute", 7}, {"second", 8}, {"millisecond", 1'000}}, kInvalidValue},
            {{{"hour", 24}}, kInvalidValue},
            {{{"hour", 6}, {"second", 8}}, kInvalidValue},
            {{{"minute", 7}}, kInvalidValue},
            {{{"hour", 6}, {"nanosecond", 8}}, kInvalidValue},
            {{}, kInvalidValue},
            {{{"hour", 6}, {"year", 2023}}, kInvalidValue},
            {{{"hour", 6.5}}, kInvalidType},
            {{{"hour", 6}, {"timezone", "Z"}}, kInvalidValue},
            {{{"time", other}}, "01:02:03.004005006"},
            {{{"time", other}, {"minute", 30}}, "01:30:03.004005006"},
            {{{"time", other}, {"nanosecond", 5}}, "01:02:03.000000005"},
            {{{"time", TemporalOf("datetime 2023-05-17T21:00-08:00")}, {"second", 4}}, "21:00:04"},
            {{{"time", TemporalOf("date 2023-05-17")}}, kInvalidType},
        });
}

TEST(FromMapTest, MakesTimes) {
  const Temporal local = TemporalOf("localtime 12:30");
  const Temporal time = TemporalOf("time 12:30-02:00");
  const Temporal summer = TemporalOf("datetime 2021-07-01T12:30[Europe/Berlin]");
  Check(Kind::kTime, {
                         {{{"hour", 6}}, "06:00Z"},
                         {{{"hour", 6}, {"timezone", "-03:30"}}, "06:00-03:30"},
                         {{{"hour", 6}, {"timezone", "+00:53:28"}}, "06:00+00:53:28"},
                         {{{"hour", 6}, {"timezone", "Europe/Berlin"}}, "06:00+01:00"},  // As in January, now.
                         {{{"hour", 6}, {"timezone", "Europe/Atlantis"}}, kInvalidValue},
                         {{{"hour", 6}, {"timezone", 1}}, kInvalidType},
                         {{{"time", local}, {"timezone", "+03:00"}}, "12:30+03:00"},
                         {{{"time", time}}, "12:30-02:00"},
                         {{{"time", time}, {"timezone", "+03:00"}}, "17:30+03:00"},
                         {{{"time", time}, {"hour", 22}, {"timezone", "+03:00"}}, "03:30+03:00"},
                         {{{"time", summer}}, "12:30+02:00"},
                         {{{"time", summer}, {"second", 1}}, "12:30:01+02:00"},
                         {{{"time", summer}, {"timezone", "America/New_York"}}, "06:30-04:00"},
                     });
}

TEST(FromMapTest, MakesLocalDateTimes) {
  const Temporal date = TemporalOf("date 2024-02-29");
  const Temporal time = TemporalOf("time 12:30-02:00");
  const Temporal instant = TemporalOf("datetime 2021-07-01T08:15[Europe/Berlin]");
  Check(Kind::kLocalDateTime,
        {
            {{{"year", 2023}}, "2023-01-01T00:00"},
            {{{"year", 2023}, {"ordinalDay", 137}, {"hour", 6}, {"minute", 7}}, "2023-05-17T06:07"},
            {{{"year", 2023}, {"hour", 6}}, "2023-01-01T06:00"},
            {{{"year", 2023}, {"minute", 6}}, kInvalidValue},
            {{{"hour", 6}}, kInvalidValue},
            {{{"date", date}, {"hour", 6}}, "2024-02-29T06:00"},
            {{{"date", date}, {"time", time}, {"day", 1}, {"second", 2}}, "2024-02-01T12:30:02"},
            {{{"date", instant}, {"time", time}}, "2021-07-01T12:30"},
            {{{"year", 2023}, {"time", instant}}, "2023-01-01T08:15"},
            {{{"datetime", instant}}, "2021-07-01T08:15"},
            {{{"datetime", instant}, {"week", 1}, {"hour", 0}}, "2021-01-07T00:15"},
            {{{"datetime", instant}, {"time", time}}, kInvalidValue},
            {{{"datetime", date}}, kInvalidType},
            {{{"time", time}}, kInvalidValue},
            {{{"year", 2023}, {"epochSeconds", 1}}, kInvalidValue},
        });
}

TEST(FromMapTest, MakesDateTimes) {
  const Temporal date = TemporalOf("date 2021-07-01");
  const Temporal time = TemporalOf("time 23:30-02:00");
  const Temporal winter = TemporalOf("datetime 2021-01-15T08:15[Europe/Berlin]");
  Check(Kind::kDateTime,
        {
            {{{"year", 2023}}, "2023-01-01T00:00Z"},
            {{{"year", 2023}, {"month", 7}, {"hour", 6}, {"timezone", "-03:30"}}, "2023-07-01T06:00-03:30"},
            {{{"year", 2023}, {"month", 7}, {"timezone", "Europe/Berlin"}}, "2023-07-01T00:00+02:00[Europe/Berlin]"},
            {{{"year", 1850}, {"timezone", "Europe/Berlin"}}, "1850-01-01T00:00+00:53:28[Europe/Berlin]"},
            {{{"date", date}, {"hour", 6}, {"timezone", "Asia/Tokyo"}}, "2021-07-01T06:00+09:00[Asia/Tokyo]"},
            {{{"date", winter}, {"hour", 6}}, "2021-01-15T06:00Z"},
            {{{"date", date}, {"time", time}}, "2021-07-01T23:30-02:00"},
            {{{"date", date}, {"time", time}, {"timezone", "Asia/Tokyo"}}, "2021-07-02T10:30+09:00[Asia/Tokyo]"},
            // The zone's offset is that of the new date.
            {{{"date", date}, {"time", winter}}, "2021-07-01T08:15+02:00[Europe/Berlin]"},
            {{{"date", date}, {"time", winter}, {"timezone", "Z"}}, "2021-07-01T06:15Z"},
            {{{"datetime", winter}, {"month", 7}}, "2021-07-15T08:15+02:00[Europe/Berlin]"},
            {{{"datetime", winter}, {"timezone", "America/New_York"}}, "2021-01-15T02:15-05:00[America/New_York]"},
            {{{"datetime", TemporalOf("localdatetime 2021-01-15T08:15")}, {"timezone", "+05:45"}},
             "2021-01-15T08:15+05:45"},
            {{{"datetime", TemporalOf("datetime 2021-10-31T02:30+01:00[Europe/Berlin]")}, {"second", 1}},
             "2021-10-31T02:30:01+01:00[Europe/Berlin]"},
            {{{"epochSeconds", 1'234'567'890}, {"nanosecond", 12}}, "2009-02-13T23:31:30.000000012Z"},
            {{{"epochMillis", -1}, {"timezone", "Asia/Tokyo"}}, "1970-01-01T08:59:59.999+09:00[Asia/Tokyo]"},
            {{{"epochMillis", 1}, {"epochSeconds", 1}}, kInvalidValue},
            {{{"epochMillis", 1}, {"nanosecond", 1'000'000}}, kInvalidValue},
            {{{"epochSeconds", 1}, {"hour", 1}}, kInvalidValue},
            {{{"epochSeconds", 1}, {"year", 1}}, kInvalidValue},
            {{{"epochSeconds", std::numeric_limits<int64_t>::max()}}, kOutOfRange},
            {{}, kInvalidValue},
        });
}

TEST(FromMapTest, MakesThePresentTimeOfAZone) {
  const Map map = {{"timezone", "Asia/Tokyo"}};
  EXPECT_EQ(TextOf(FromMap(Kind::kDate, map, kNow)), "2021-02-01");
  EXPECT_EQ(TextOf(FromMap(Kind::kLocalTime, map, kNow)), "07:30:00.5");
  EXPECT_EQ(TextOf(FromMap(Kind::kTime, map, kNow)), "07:30:00.5+09:00");
  EXPECT_EQ(TextOf(FromMap(Kind::kLocalDateTime, map, kNow)), "2021-02-01T07:30:00.5");
  EXPECT_EQ(TextOf(FromMap(Kind::kDateTime, map, kNow)), "2021-02-01T07:30:00.5+09:00[Asia/Tokyo]");
}

TEST(FromMapTest, MakesDurations) {
  Check(Kind::kDuration, {
                             {{{"years", 1}, {"quarters", 1}, {"months", 1}}, "P1Y4M"},
                             {{{"weeks", 1}, {"days", 1}}, "P8D"},
                             {{{"hours", 1}, {"minutes", 1}, {"seconds", 1}}, "PT1H1M1S"},
                             {{{"milliseconds", 1}, {"microseconds", 1}, {"nanoseconds", 1}}, "PT0.001001001S"},
                             {{{"seconds", 1}, {"milliseconds", -1'500}}, "PT-0.5S"},
                             {{{"minutes", 1}, {"seconds", -61}}, "PT-1S"},
                             {{{"days", -1}, {"hours", 1}}, "P-1DT1H"},
                             {{{"years", 0.25}}, "P3M"},
                             {{{"years", 12.3}}, "P12Y3M18DT6H17M27.6S"},  // 147.6 months.
                             {{{"months", 0.5}}, "P15DT5H14M33S"},
                             {{{"months", 0.5}, {"days", -10}}, "P5DT5H14M33S"},
                             {{{"weeks", 0.5}}, "P3DT12H"},
                             {{{"days", 0.1}}, "PT2H24M"},
                             {{{"days", -0.5}}, "PT-12H"},
                             {{{"seconds", 37.8}}, "PT37.8S"},
                             {{{"nanoseconds", 1.9}}, "PT0.000000001S"},
                             {{{"nanoseconds", std::numeric_limits<int64_t>::max()}}, "PT2562047H47M16.854775807S"},
                             {{{"years", std::numeric_limits<int64_t>::max()}}, kOutOfRange},
                             {{{"days", 1e19}}, kOutOfRange},
                             {{}, kInvalidValue},
                             {{{"day", 1}}, kInvalidValue},
                             {{{"days", "1"}}, kInvalidType},
                             {{{"days", TemporalOf("duration P1D")}}, kInvalidType},
                         });
}

TEST(SelectTest, TakesThePartsOfTheKind) {
  const struct {
    const char* value;
    Kind kind;
    const char* part;
  } kRows[] = {
      {"date 2021-07-01", Kind::kDate, "2021-07-01"},
      {"date 2021-07-01", Kind::kLocalTime, kInvalidType},
      {"date 2021-07-01", Kind::kTime, kInvalidType},
      {"date 2021-07-01", Kind::kLocalDateTime, "2021-07-01T00:00"},
      {"date 2021-07-01", Kind::kDateTime, "2021-07-01T00:00Z"},
      {"date 2021-07-01", Kind::kDuration, kInvalidType},
      {"localtime 12:30", Kind::kDate, kInvalidType},
      {"localtime 12:30", Kind::kTime, "12:30Z"},
      {"localtime 12:30", Kind::kDateTime, kInvalidType},
      {"time 12:30-02:00", Kind::kLocalTime, "12:30"},
      {"time 12:30-02:00", Kind::kTime, "12:30-02:00"},
      {"localdatetime 2021-07-01T12:30", Kind::kDate, "2021-07-01"},
      {"localdatetime 2021-07-01T12:30", Kind::kTime, "12:30Z"},
      {"localdatetime 2021-07-01T12:30", Kind::kDateTime, "2021-07-01T12:30Z"},
      {"datetime 2021-07-01T23:30[Europe/Berlin]", Kind::kDate, "2021-07-01"},
      {"datetime 2021-07-01T23:30[Europe/Berlin]", Kind::kLocalTime, "23:30"},
      {"datetime 2021-07-01T23:30[Europe/Berlin]", Kind::kTime, "23:30+02:00"},
      {"datetime 2021-07-01T23:30[Europe/Berlin]", Kind::kLocalDateTime, "2021-07-01T23:30"},
      {"datetime 2021-10-31T02:30+01:00[Europe/Berlin]", Kind::kDateTime, "2021-10-31T02:30+01:00[Europe/Berlin]"},
      {"duration P1D", Kind::kDuration, "P1D"},
      {"duration P1D", Kind::kDate, kInvalidType},
      {"duration P1D", Kind::kLocalTime, kInvalidType},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TextOf(Select(row.kind, TemporalOf(row.value))), row.part) << row.value << " " << FunctionName(row.kind);
  }
}

TEST(NowTest, IsInUtc) {
  EXPECT_EQ(TextOf(Now(Kind::kDate, kNow)), "2021-01-31");
  EXPECT_EQ(TextOf(Now(Kind::kLocalTime, kNow)), "22:30:00.5");
  EXPECT_EQ(TextOf(Now(Kind::kTime, kNow)), "22:30:00.5Z");
  EXPECT_EQ(TextOf(Now(Kind::kDateTime, kNow)), "2021-01-31T22:30:00.5Z");
  EXPECT_EQ(TextOf(Now(Kind::kDateTime, absl::FromUnixNanos(-1))), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(TextOf(Now(Kind::kDuration, kNow)), kInvalidType);
}

TEST(FromEpochTest, CountsFrom1970InUtc) {
  EXPECT_EQ(TextOf(FromEpoch(1'234'567'890, 5)), "2009-02-13T23:31:30.000000005Z");
  EXPECT_EQ(TextOf(FromEpoch(0, 1'500'000'000)), "1970-01-01T00:00:01.5Z");
  EXPECT_EQ(TextOf(FromEpoch(0, -1)), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(TextOf(FromEpochMillis(1'234'567'890'123)), "2009-02-13T23:31:30.123Z");
  EXPECT_EQ(TextOf(FromEpochMillis(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(TextOf(FromEpoch(std::numeric_limits<int64_t>::max(), 1'000'000'000)), kOutOfRange);
  EXPECT_EQ(TextOf(FromEpoch(std::numeric_limits<int64_t>::min(), 0)), kOutOfRange);
  EXPECT_EQ(TextOf(FromEpochMillis(std::numeric_limits<int64_t>::min())), "-292275055-05-16T16:47:04.192Z");
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
