#include "executors/cypher/temporal/truncate.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidType;
using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

struct TruncateRow {
  const char* unit;
  const char* value;
  std::vector<Component> map;
  const char* result;
};

void CheckTruncated(Kind kind, const std::vector<TruncateRow>& rows) {
  for (const TruncateRow& row : rows) {
    EXPECT_EQ(TextOf(Truncate(kind, row.unit, TemporalOf(row.value), row.map)), row.result)
        << FunctionName(kind) << ".truncate " << row.unit << " " << row.value;
  }
}

TEST(TruncateTest, CutsDates) {
  CheckTruncated(Kind::kDate, {
                                  {"millennium", "date 2987-08-19", {}, "2000-01-01"},
                                  {"century", "date 1899-08-19", {}, "1800-01-01"},
                                  {"decade", "date 1999-08-19", {}, "1990-01-01"},
                                  {"year", "date 1999-08-19", {}, "1999-01-01"},
                                  {"weekYear", "date 2021-01-02", {}, "2019-12-30"},
                                  {"weekYear", "date 2021-01-04", {}, "2021-01-04"},
                                  {"quarter", "date 1999-08-19", {}, "1999-07-01"},
                                  {"month", "date 1999-08-19", {}, "1999-08-01"},
                                  {"week", "date 2021-01-01", {}, "2020-12-28"},
                                  {"day", "date 1999-08-19", {}, "1999-08-19"},
                                  {"MONTH", "date 1999-08-19", {}, "1999-08-01"},
                                  {"century", "date -0001-08-19", {}, "-0100-01-01"},
                                  {"month", "localdatetime 1999-08-19T12:00", {}, "1999-08-01"},
                                  {"month", "datetime 1999-08-19T12:00+02:00", {}, "1999-08-01"},
                                  {"millennium", "date -999999999-05-05", {}, kInvalidValue},
                                  {"week", "date -999999999-01-01", {}, "-999999999-01-01"},
                                  {"hour", "date 1999-08-19", {}, kInvalidValue},
                                  {"fortnight", "date 1999-08-19", {}, kInvalidValue},
                                  {"", "date 1999-08-19", {}, kInvalidValue},
                                  {"day", "localtime 12:00", {}, kInvalidValue},
                                  {"day", "duration P1D", {}, kInvalidType},
                              });
}

TEST(TruncateTest, SetsSingleFieldsAfterwards) {
  CheckTruncated(Kind::kDate,
                 {
                     {"year", "date 1999-08-19", {{"month", 3}}, "1999-03-01"},
                     {"decade", "date 1999-08-19", {{"day", 7}}, "1990-01-07"},
                     {"month", "date 1999-08-19", {{"day", 31}}, "1999-08-31"},
                     {"month", "date 1999-09-19", {{"day", 31}}, kInvalidValue},
                     {"week", "date 2021-01-01", {{"dayOfWeek", 7}}, "2021-01-03"},
                     {"weekYear", "date 2021-01-04", {{"week", 2}}, "2021-01-11"},
                     {"quarter", "date 1999-08-19", {{"dayOfQuarter", 92}}, "1999-09-30"},
                     {"month", "date 1999-08-19", {{"hour", 1}}, kInvalidValue},
                     {"month", "date 1999-08-19", {{"day", "1"}}, kInvalidType},
                     {"month", "date 1999-08-19", {{"timezone", "Z"}}, kInvalidValue},
                     {"month", "date 1999-08-19", {{"date", TemporalOf("date 2000-01-01")}}, kInvalidValue},
                 });
}

TEST(TruncateTest, CutsTimesOfDay) {
  CheckTruncated(Kind::kLocalTime, {
                                       {"day", "localtime 12:34:56.123456789", {}, "00:00"},
                                       {"hour", "localtime 12:34:56.123456789", {}, "12:00"},
                                       {"minute", "localtime 12:34:56.123456789", {}, "12:34"},
                                       {"second", "localtime 12:34:56.123456789", {}, "12:34:56"},
                                       {"millisecond", "localtime 12:34:56.123456789", {}, "12:34:56.123"},
                                       {"microsecond", "localtime 12:34:56.123456789", {}, "12:34:56.123456"},
                                       {"hour", "datetime 1999-08-19T12:34+02:00", {{"second", 7}}, "12:00:07"},
                                       {"week", "localtime 12:34", {}, kInvalidValue},
                                       {"hour", "date 1999-08-19", {}, kInvalidValue},
                                       {"day", "date 1999-08-19", {}, kInvalidValue},
                                   });
  CheckTruncated(Kind::kTime,
                 {
                     {"hour", "time 12:34-02:00", {}, "12:00-02:00"},
                     {"hour", "localtime 12:34", {}, "12:00Z"},
                     {"hour", "time 12:34-02:00", {{"timezone", "+01:00"}}, "12:00+01:00"},
                     {"hour", "time 12:34-02:00", {{"timezone", "Europe/Berlin"}}, kInvalidValue},
                     {"hour", "localdatetime 2021-07-01T12:34", {{"timezone", "Europe/Berlin"}}, "12:00+02:00"},
                     {"day", "datetime 2021-07-01T12:34[Europe/Berlin]", {}, "00:00+02:00"},
                 });
}

TEST(TruncateTest, KeepsThePartsOfASecondAboveTheOneThatIsSet) {
  CheckTruncated(Kind::kLocalTime,
                 {
                     {"second", "localtime 12:34:56.123456789", {{"nanosecond", 5}}, "12:34:56.000000005"},
                     {"millisecond", "localtime 12:34:56.123456789", {{"nanosecond", 5}}, "12:34:56.123000005"},
                     {"millisecond", "localtime 12:34:56.123456789", {{"microsecond", 5}}, "12:34:56.123005"},
                     {"millisecond", "localtime 12:34:56.123456789", {{"millisecond", 5}}, "12:34:56.005"},
                     {"microsecond", "localtime 12:34:56.123456789", {{"nanosecond", 5}}, "12:34:56.123456005"},
                     {"microsecond", "localtime 12:34:56.123456789", {{"nanosecond", 1'000}}, kInvalidValue},
                 });
}

TEST(TruncateTest, CutsDatesWithTimes) {
  CheckTruncated(Kind::kLocalDateTime,
                 {
                     {"decade", "localdatetime 1999-08-19T12:34:56", {}, "1990-01-01T00:00"},
                     {"day", "localdatetime 1999-08-19T12:34:56", {{"hour", 5}}, "1999-08-19T05:00"},
                     {"minute", "localdatetime 1999-08-19T12:34:56", {}, "1999-08-19T12:34"},
                     {"minute", "localdatetime 1999-08-19T12:34:56", {{"day", 1}}, "1999-08-01T12:34"},
                     {"month", "date 1999-08-19", {}, "1999-08-01T00:00"},
                     {"minute", "date 1999-08-19", {}, kInvalidValue},
                     {"hour", "time 12:00", {}, kInvalidValue},
                 });
}

TEST(TruncateTest, KeepsTheLocalTimeInAnotherZone) {
  CheckTruncated(
      Kind::kDateTime,
      {
          {"year", "datetime 2021-07-15T12:34[Europe/Berlin]", {}, "2021-01-01T00:00+01:00[Europe/Berlin]"},
          {"hour", "datetime 2021-07-15T12:34[Europe/Berlin]", {}, "2021-07-15T12:00+02:00[Europe/Berlin]"},
          {"hour", "datetime 2021-07-15T12:34[Europe/Berlin]", {{"timezone", "-03:00"}}, "2021-07-15T12:00-03:00"},
          {"hour", "datetime 2021-10-31T02:34+01:00[Europe/Berlin]", {}, "2021-10-31T02:00+01:00[Europe/Berlin]"},
          {"month",
           "localdatetime 2021-07-15T12:34",
           {{"timezone", "Asia/Tokyo"}},
           "2021-07-01T00:00+09:00[Asia/Tokyo]"},
          {"month", "date 2021-07-15", {}, "2021-07-01T00:00Z"},
          {"day", "datetime 2021-07-15T12:34+02:00", {{"nanosecond", 3}}, "2021-07-15T00:00:00.000000003+02:00"},
          {"day", "datetime 2021-07-15T12:34+02:00", {{"epochSeconds", 3}}, kInvalidValue},
      });
}

TEST(TruncateTest, MakesNoDurations) {
  EXPECT_EQ(TextOf(Truncate(Kind::kDuration, "day", TemporalOf("duration P1D"), {})), kInvalidType);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
