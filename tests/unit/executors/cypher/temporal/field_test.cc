#include "executors/cypher/temporal/field.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TemporalOf;

// A number as it is, a string in quotes, an error's detail word.
std::string Read(const char* spec, const std::string& name) {
  const absl::StatusOr<Field> field = FieldOf(TemporalOf(spec), name);
  if (!field.ok()) return DetailOf(field.status());
  if (const auto* const number = std::get_if<int64_t>(&*field)) return absl::StrCat(*number);
  return "'" + std::get<std::string>(*field) + "'";
}

using Fields = std::vector<std::pair<const char*, const char*>>;

const Fields kDate = {{"year", "2021"},     {"quarter", "1"},     {"month", "1"},   {"week", "53"},
                      {"weekYear", "2020"}, {"day", "3"},         {"weekDay", "7"}, {"dayOfWeek", "7"},
                      {"ordinalDay", "3"},  {"dayOfQuarter", "3"}};
const Fields kTime = {{"hour", "4"},        {"minute", "5"},         {"second", "6"},
                      {"millisecond", "7"}, {"microsecond", "7008"}, {"nanosecond", "7008009"}};
const Fields kBerlin = {{"timezone", "'Europe/Berlin'"}, {"offset", "'+01:00'"},
                        {"offsetMinutes", "60"},         {"offsetSeconds", "3600"},
                        {"epochSeconds", "1609643106"},  {"epochMillis", "1609643106007"}};
const Fields kOffset = {
    {"timezone", "'-01:00:30'"}, {"offset", "'-01:00:30'"}, {"offsetMinutes", "-60"}, {"offsetSeconds", "-3630"}};

void CheckFields(const char* spec, const Fields& fields) {
  for (const auto& [name, value] : fields) EXPECT_EQ(Read(spec, name), value) << spec << " " << name;
}

void CheckNone(const char* spec, const Fields& fields) {
  for (const auto& [name, value] : fields) EXPECT_EQ(Read(spec, name), kInvalidValue) << spec << " " << name;
}

TEST(FieldTest, DatesHaveTheirOwn) {
  CheckFields("date 2021-01-03", kDate);
  CheckNone("date 2021-01-03", kTime);
  CheckNone("date 2021-01-03", kBerlin);
}

TEST(FieldTest, TimesHaveTheirOwn) {
  CheckFields("localtime 04:05:06.007008009", kTime);
  CheckNone("localtime 04:05:06.007008009", kDate);
  CheckNone("localtime 04:05:06.007008009", kOffset);
  CheckFields("time 04:05:06.007008009-01:00:30", kTime);
  CheckFields("time 04:05:06.007008009-01:00:30", kOffset);
  EXPECT_EQ(Read("time 04:05", "timezone"), "'Z'");
}

TEST(FieldTest, DatesWithTimesHaveBoth) {
  CheckFields("localdatetime 2021-01-03T04:05:06.007008009", kDate);
  CheckFields("localdatetime 2021-01-03T04:05:06.007008009", kTime);
  CheckNone("localdatetime 2021-01-03T04:05:06.007008009", kBerlin);
  CheckFields("datetime 2021-01-03T04:05:06.007008009[Europe/Berlin]", kDate);
  CheckFields("datetime 2021-01-03T04:05:06.007008009[Europe/Berlin]", kTime);
  CheckFields("datetime 2021-01-03T04:05:06.007008009[Europe/Berlin]", kBerlin);
  CheckFields("datetime 2021-01-03T04:05:06-01:00:30", kOffset);
}

TEST(FieldTest, TheEpochIsFlooredBefore1970) {
  CheckFields("datetime 1969-12-31T23:59:59.9999Z", {{"epochSeconds", "-1"}, {"epochMillis", "-1"}});
  CheckFields("datetime 1969-12-31T23:59:58.25Z", {{"epochSeconds", "-2"}, {"epochMillis", "-1750"}});
}

TEST(FieldTest, DurationsHaveWholeUnitsAndRests) {
  CheckFields("duration P3Y11M20DT25H2M3.004005006S", {{"years", "3"},
                                                       {"quarters", "15"},
                                                       {"months", "47"},
                                                       {"weeks", "2"},
                                                       {"days", "20"},
                                                       {"hours", "25"},
                                                       {"minutes", "1502"},
                                                       {"seconds", "90123"},
                                                       {"milliseconds", "90123004"},
                                                       {"microseconds", "90123004005"},
                                                       {"nanoseconds", "90123004005006"},
                                                       {"quartersOfYear", "3"},
                                                       {"monthsOfQuarter", "2"},
                                                       {"monthsOfYear", "11"},
                                                       {"daysOfWeek", "6"},
                                                       {"minutesOfHour", "2"},
                                                       {"secondsOfMinute", "3"},
                                                       {"millisecondsOfSecond", "4"},
                                                       {"microsecondsOfSecond", "4005"},
                                                       {"nanosecondsOfSecond", "4005006"}});
}

TEST(FieldTest, SecondsOfNegativeDurationsAreFloored) {
  CheckFields("duration PT-0.1S", {{"seconds", "-1"},
                                   {"nanosecondsOfSecond", "900000000"},
                                   {"milliseconds", "-100"},
                                   {"nanoseconds", "-100000000"}});
}

TEST(FieldTest, RefusesNumbersThatExceed64Bits) {
  EXPECT_EQ(Read("duration PT9223372036854775807S", "nanoseconds"), kOutOfRange);
  EXPECT_EQ(Read("duration PT9223372036854775807S", "milliseconds"), kOutOfRange);
  EXPECT_EQ(Read("duration PT9223372036854775807S", "seconds"), "9223372036854775807");
}

TEST(FieldTest, NamesAreExact) {
  for (const char* name : {"", "Year", "yea", "years", "week_year"}) {
    EXPECT_EQ(Read("date 2021-01-03", name), kInvalidValue) << name;
  }
  EXPECT_EQ(FieldOf(TemporalOf("date 2021-01-03"), "hour").status().message(), "a date has no field 'hour'");
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
