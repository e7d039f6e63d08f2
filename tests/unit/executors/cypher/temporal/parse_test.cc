#include "executors/cypher/temporal/parse.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TextOf;

struct ParseRow {
  const char* text;
  const char* value;
};

template <size_t N>
void CheckParsed(Kind kind, const ParseRow (&rows)[N]) {
  for (const ParseRow& row : rows) EXPECT_EQ(TextOf(Parse(kind, row.text)), row.value) << "'" << row.text << "'";
}

TEST(ParseTest, ReadsDates) {
  CheckParsed(Kind::kDate, {
                               {"2023-05-17", "2023-05-17"},
                               {"20230517", "2023-05-17"},
                               {"2023-05", "2023-05-01"},
                               {"202305", "2023-05-01"},
                               {"2023", "2023-01-01"},
                               {"2023-5-7", "2023-05-07"},
                               {"2023-W20-3", "2023-05-17"},
                               {"2023W203", "2023-05-17"},
                               {"2023-W20", "2023-05-15"},
                               {"2023W20", "2023-05-15"},
                               {"2020-W53-7", "2021-01-03"},
                               {"2023-Q2-47", "2023-05-17"},
                               {"2023Q247", "2023-05-17"},
                               {"2023-Q2", "2023-04-01"},
                               {"2023-137", "2023-05-17"},
                               {"2023137", "2023-05-17"},
                               {"0000-01-01", "0000-01-01"},
                               {"-0044-03-15", "-0044-03-15"},
                               {"-44-03-15", "-0044-03-15"},
                               {"+12345-01-02", "+12345-01-02"},
                               {"+2023", "2023-01-01"},
                               {"-999999999-01-01", "-999999999-01-01"},
                               {"+999999999-12-31", "+999999999-12-31"},
                               {"+999999999-W01-1", "+999999999-01-04"},
                           });
}

TEST(ParseTest, RefusesWhatIsNoDate) {
  CheckParsed(Kind::kDate, {
                               {"", kInvalidValue},
                               {" 2023-05-17", kInvalidValue},
                               {"2023-05-17 ", kInvalidValue},
                               {"2023-05-17T10:00", kInvalidValue},
                               {"2023-0517", kInvalidValue},
                               {"202305-17", kInvalidValue},
                               {"2023-", kInvalidValue},
                               {"2023-05-", kInvalidValue},
                               {"202305171", kInvalidValue},
                               {"2023-13-01", kInvalidValue},
                               {"2023-02-29", kInvalidValue},
                               {"2021-W53", kInvalidValue},
                               {"2023-W2", kInvalidValue},
                               {"2023-W20-8", kInvalidValue},
                               {"2023-W20-33", kInvalidValue},
                               {"2023-Q5", kInvalidValue},
                               {"2023-Q2-92", kInvalidValue},
                               {"2023-366", kInvalidValue},
                               {"12345-01-02", kInvalidValue},
                               {"+1000000000-01-01", kInvalidValue},
                               {"23-05-17", kInvalidValue},
                               {"2023-05-17-01", kInvalidValue},
                               {"2023/05/17", kInvalidValue},
                               {"--05-17", kInvalidValue},
                               {"today", kInvalidValue},
                           });
}

TEST(ParseTest, ReadsLocalTimes) {
  CheckParsed(Kind::kLocalTime, {
                                    {"06:45:12.25", "06:45:12.25"},
                                    {"064512.25", "06:45:12.25"},
                                    {"06:45:12,25", "06:45:12.25"},
                                    {"06:45:12", "06:45:12"},
                                    {"064512", "06:45:12"},
                                    {"6:5", "06:05"},
                                    {"0645", "06:45"},
                                    {"06", "06:00"},
                                    {"23:59:59.999999999", "23:59:59.999999999"},
                                    {"24:00", kInvalidValue},
                                    {"06:60", kInvalidValue},
                                    {"06:45.5", kInvalidValue},
                                    {"06.5", kInvalidValue},
                                    {"06:45:12.", kInvalidValue},
                                    {"06:45:12.1234567890", kInvalidValue},
                                    {"06:4512", kInvalidValue},
                                    {"0645:12", kInvalidValue},
                                    {"064", kInvalidValue},
                                    {"6", kInvalidValue},
                                    {"06:", kInvalidValue},
                                    {":45", kInvalidValue},
                                    {"", kInvalidValue},
                                    {"06:45Z", kInvalidValue},
                                });
}

TEST(ParseTest, ReadsTimes) {
  CheckParsed(Kind::kTime, {
                               {"06:45:12.25+0100", "06:45:12.25+01:00"},
                               {"064512Z", "06:45:12Z"},
                               {"06:45-03:30", "06:45-03:30"},
                               {"0645-00:00", "06:45Z"},
                               {"06+02", "06:00+02:00"},
                               {"06:45", "06:45Z"},
                               {"06:45-18:00", "06:45-18:00"},
                               {"06:45+00:53:28", "06:45+00:53:28"},
                               {"06:45+19:00", kInvalidValue},
                               {"06:45+1", kInvalidValue},
                               {"06:45Z+01:00", kInvalidValue},
                               {"06:45z", kInvalidValue},
                               {"06:45[Europe/Berlin]", kInvalidValue},
                               {"Z", kInvalidValue},
                               {"", kInvalidValue},
                           });
}

TEST(ParseTest, ReadsLocalDateTimes) {
  CheckParsed(Kind::kLocalDateTime, {
                                        {"2023-05-17T06:45:12.25", "2023-05-17T06:45:12.25"},
                                        {"2023-W20-3T064512.25", "2023-05-17T06:45:12.25"},
                                        {"2023137T06", "2023-05-17T06:00"},
                                        {"2023T0645", "2023-01-01T06:45"},
                                        {"2023-Q2T06:45", "2023-04-01T06:45"},
                                        {"-999999999-01-01", "-999999999-01-01T00:00"},
                                        {"2023-05-17T", kInvalidValue},
                                        {"T06:45", kInvalidValue},
                                        {"2023-05-17T06:45Z", kInvalidValue},
                                        {"2023-05-17 06:45", kInvalidValue},
                                        {"2023-05-17T06:45T06", kInvalidValue},
                                    });
}

TEST(ParseTest, ReadsDateTimes) {
  CheckParsed(Kind::kDateTime,
              {
                  {"2023-05-17T06:45:12.25+0100", "2023-05-17T06:45:12.25+01:00"},
                  {"2023-W20-3T064512.25Z", "2023-05-17T06:45:12.25Z"},
                  {"2023T064512-0100", "2023-01-01T06:45:12-01:00"},
                  {"2023-05-17T06:45", "2023-05-17T06:45Z"},
                  {"2023-05-17", "2023-05-17T00:00Z"},
                  {"2023-05-17T06:45[Asia/Kolkata]", "2023-05-17T06:45+05:30[Asia/Kolkata]"},
                  {"2023-05-17T06:45+05:30[Asia/Kolkata]", "2023-05-17T06:45+05:30[Asia/Kolkata]"},
                  {"2023-05-17T06:45+0530[asia/kolkata]", "2023-05-17T06:45+05:30[Asia/Kolkata]"},
                  {"2023-05-17[Asia/Tokyo]", "2023-05-17T00:00+09:00[Asia/Tokyo]"},
                  {"1850-01-01T12:00[Europe/Berlin]", "1850-01-01T12:00+00:53:28[Europe/Berlin]"},
                  {"1850-01-01T12:00+00:53:28[Europe/Berlin]", "1850-01-01T12:00+00:53:28[Europe/Berlin]"},
                  {"1850-01-01T12:00[America/New_York]", "1850-01-01T12:00-04:56:02[America/New_York]"},
                  {"2023-05-17T06:45+02:00[Asia/Kolkata]", kInvalidValue},
                  {"2021-03-28T02:30+01:00[Europe/Berlin]", kInvalidValue},
                  {"2023-05-17T06:45[+01:00]", "2023-05-17T06:45+01:00"},
                  {"2023-05-17T06:45[Europe/Atlantis]", kInvalidValue},
                  {"2023-05-17T06:45[../Berlin]", kInvalidValue},
                  {"2023-05-17T06:45[]", kInvalidValue},
                  {"2023-05-17T06:45[Asia/Tokyo", kInvalidValue},
                  {"2023-05-17T06:45[Asia/Tokyo]x", kInvalidValue},
                  {"2023-05-17T06:45+01:00x", kInvalidValue},
                  {"2023-05-17T06:45+[Asia/Tokyo]", kInvalidValue},
                  {"2023-05-17T[Asia/Tokyo]", kInvalidValue},
                  {"[Asia/Tokyo]", kInvalidValue},
                  {"", kInvalidValue},
              });
}

TEST(ParseTest, ReadsDurations) {
  CheckParsed(Kind::kDuration, {
                                   {"P1Y2M3W4DT5H6M7.8S", "P1Y2M25DT5H6M7.8S"},
                                   {"PT90M", "PT1H30M"},
                                   {"P0.5M", "P15DT5H14M33S"},
                                   {"P0.1D", "PT2H24M"},
                                   {"P1.5W", "P10DT12H"},
                                   {"PT0,5H", "PT30M"},
                                   {"PT0.000000001S", "PT0.000000001S"},
                                   {"PT-0.1S", "PT-0.1S"},
                                   {"P-1Y2DT-3H", "P-1Y2DT-3H"},
                                   {"-P1Y2D", "P-1Y-2D"},
                                   {"-P-1Y", "P1Y"},
                                   {"+P1D", "P1D"},
                                   {"p1dt2h", "P1DT2H"},
                                   {"P14M", "P1Y2M"},
                                   {"P2023-05-17T06:45:12.25", "P2023Y5M17DT6H45M12.25S"},
                                   {"P0001-00-02", "P1Y2D"},
                                   {"P20230517T064512.25", "P2023Y5M17DT6H45M12.25S"},
                                   {"P20230517", "P2023Y5M17D"},
                                   {"-P0001-02-03T00:00:01", "P-1Y-2M-3DT-1S"},
                                   {"P20230517D", "P20230517D"},
                                   {"PT9223372036854775807S", "PT2562047788015215H30M7S"},
                                   {"PT9223372036854775808S", kInvalidValue},
                                   {"P9223372036854775807W", kOutOfRange},
                               });
}

TEST(ParseTest, RefusesWhatIsNoDuration) {
  CheckParsed(Kind::kDuration, {
                                   {"", kInvalidValue},
                                   {"P", kInvalidValue},
                                   {"PT", kInvalidValue},
                                   {"P1YT", kInvalidValue},
                                   {"1Y", kInvalidValue},
                                   {"P1", kInvalidValue},
                                   {"PY", kInvalidValue},
                                   {"P1M1Y", kInvalidValue},
                                   {"P1D1D", kInvalidValue},
                                   {"P1H", kInvalidValue},
                                   {"PT1D", kInvalidValue},
                                   {"PT1H1HT1M", kInvalidValue},
                                   {"PT1ST1S", kInvalidValue},
                                   {"P1.D", kInvalidValue},
                                   {"P.5D", kInvalidValue},
                                   {"P1D ", kInvalidValue},
                                   {"P 1D", kInvalidValue},
                                   {"P--1D", kInvalidValue},
                                   {"P2023-13-01", kInvalidValue},
                                   {"P2023-05", kInvalidValue},
                                   {"P2023-05-17T", kInvalidValue},
                                   {"P2023-05-17T25:00", kInvalidValue},
                                   {"P2023-05-17X", kInvalidValue},
                               });
}

TEST(ParseTest, SaysWhatWouldBeRight) {
  const absl::Status status = Parse(Kind::kDate, "May 17").status();
  EXPECT_EQ(status.message(), "'May 17' is no date such as 2015-07-21, 20150721, 2015-W30-2 or 2015-202");
}

TEST(ParseTest, EveryTextLeadsBack) {
  for (const char* spec : {"date -0001-02-03", "date +123456-07-08", "localtime 01:02:03.000405", "time 23:59-12:34:56",
                           "localdatetime 0099-01-01T00:00:00.1", "datetime 1850-01-01T00:00[Europe/Berlin]",
                           "datetime 2021-10-31T02:30+01:00[Europe/Berlin]", "duration P-1Y3M-4DT5H-0.000000006S"}) {
    const Temporal value = ::toolgate::testing::TemporalOf(spec);
    const absl::StatusOr<Temporal> again = Parse(KindOf(value), ToString(value));
    ASSERT_TRUE(again.ok()) << spec << ": " << again.status();
    EXPECT_EQ(*again, value) << spec;
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
