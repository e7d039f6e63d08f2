#include "executors/blocks/recurrence.h"

#include <libical/ical.h>

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/dates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::blocks {
namespace {

using ::testing::HasSubstr;

absl::CivilDay Day(const std::string& text) {
  const auto day = ParseStoredDate(text);
  EXPECT_TRUE(day.ok()) << text;
  return day->day;
}

Recurrence Rule(const std::string& text) {
  auto rule = Recurrence::Parse(text);
  EXPECT_TRUE(rule.ok()) << text << ": " << rule.status();
  return *rule;
}

std::vector<std::string> Days(const Recurrence& rule, absl::CivilDay start, absl::CivilDay from, absl::CivilDay to) {
  std::vector<std::string> days;
  rule.Visit(start, from, to, [&](absl::CivilDay day) {
    days.push_back(FormatDay(day));
    return true;
  });
  return days;
}

// libical's days of the rule, from its first day on.
std::vector<std::string> LibicalDays(const std::string& rule, absl::CivilDay start, absl::CivilDay from,
                                     absl::CivilDay to) {
  icalrecurrencetype recurrence = icalrecurrencetype_from_string(rule.c_str());
  icaltimetype begin = icaltime_null_date();
  begin.hour = begin.minute = begin.second = 0;
  begin.year = static_cast<int>(start.year());
  begin.month = start.month();
  begin.day = start.day();
  std::vector<std::string> days;
  icalrecur_iterator* iterator = icalrecur_iterator_new(recurrence, begin);
  for (icaltimetype next = icalrecur_iterator_next(iterator); !icaltime_is_null_time(next);
       next = icalrecur_iterator_next(iterator)) {
    const absl::CivilDay day(next.year, next.month, next.day);
    if (day > to) break;
    if (day >= from) days.push_back(FormatDay(day));
  }
  icalrecur_iterator_free(iterator);
  icalrecurrencetype_clear(&recurrence);
  return days;
}

struct TextCase {
  std::string written;
  std::string normal;
};

class NormalFormTest : public ::testing::TestWithParam<TextCase> {};

TEST_P(NormalFormTest, IsTheSameForRulesThatAreAlike) {
  const Recurrence rule = Rule(GetParam().written);
  EXPECT_EQ(rule.ToString(), GetParam().normal);
  EXPECT_EQ(Rule(rule.ToString()), rule);
  // libical understands it, and writes the same.
  icalrecurrencetype read = icalrecurrencetype_from_string(rule.ToString().c_str());
  char* const text = icalrecurrencetype_as_string_r(&read);
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(std::string(text), rule.ToString());
  free(text);
  icalrecurrencetype_clear(&read);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, NormalFormTest,
    ::testing::Values(
        TextCase{"FREQ=DAILY", "FREQ=DAILY"}, TextCase{"RRULE:freq=weekly;byday=we,mo;", "FREQ=WEEKLY;BYDAY=MO,WE"},
        TextCase{" FREQ=DAILY;INTERVAL=1;WKST=MO ", "FREQ=DAILY"}, TextCase{"FREQ=YEARLY;WKST=SU", "FREQ=YEARLY"},
        TextCase{"BYDAY=+1MO,-1FR;FREQ=MONTHLY", "FREQ=MONTHLY;BYDAY=1MO,-1FR"},
        TextCase{"FREQ=YEARLY;INTERVAL=2;UNTIL=20301231T225959Z", "FREQ=YEARLY;UNTIL=20301231;INTERVAL=2"},
        TextCase{"FREQ=MONTHLY;COUNT=10;BYMONTHDAY=-1,15", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=-1,15"},
        TextCase{"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"},
        TextCase{"FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "FREQ=YEARLY;BYDAY=MO;BYWEEKNO=20"},
        TextCase{"FREQ=YEARLY;BYYEARDAY=1,-1;BYMONTH=1,12", "FREQ=YEARLY;BYYEARDAY=-1,1;BYMONTH=1,12"},
        TextCase{"FREQ=WEEKLY;BYDAY=TU,SU;BYSETPOS=1;WKST=SU", "FREQ=WEEKLY;BYDAY=SU,TU;BYSETPOS=1;WKST=SU"},
        TextCase{"FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;WKST=SU"}),
    [](const auto& test) { return absl::StrCat("Rule", test.index); });

struct BadCase {
  std::string name;
  std::string written;
  std::string message;
};

class BadRuleTest : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadRuleTest, IsRefusedWithWhatWouldBeRight) {
  const auto rule = Recurrence::Parse(GetParam().written);
  ASSERT_FALSE(rule.ok());
  EXPECT_THAT(std::string(rule.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, BadRuleTest,
    ::testing::Values(BadCase{"Empty", "", "FREQ=WEEKLY;BYDAY=MO,WE"}, BadCase{"OnlyTheName", "RRULE:", "FREQ=WEEKLY"},
                      BadCase{"Words", "every monday", "NAME=VALUE"}, BadCase{"NoFrequency", "INTERVAL=2", "no FREQ"},
                      BadCase{"Hourly", "FREQ=HOURLY", "at most once a day"},
                      BadCase{"Secondly", "FREQ=SECONDLY;INTERVAL=5", "once a day"},
                      BadCase{"Minutely", "FREQ=MINUTELY", "once a day"},
                      BadCase{"UnknownFrequency", "FREQ=FORTNIGHTLY", "FREQ that does not exist"},
                      BadCase{"UnknownPart", "FREQ=DAILY;EVERY=2", "unknown part \"EVERY\""},
                      BadCase{"Twice", "FREQ=DAILY;FREQ=WEEKLY", "FREQ twice"},
                      BadCase{"EmptyPart", "FREQ=DAILY;;COUNT=2", "NAME=VALUE"},
                      BadCase{"EmptyValue", "FREQ=DAILY;COUNT=", "NAME=VALUE"},
                      BadCase{"IntervalZero", "FREQ=DAILY;INTERVAL=0", "from 1 to 9999"},
                      BadCase{"CountTooLarge", "FREQ=DAILY;COUNT=10001", "from 1 to 10000"},
                      BadCase{"CountNegative", "FREQ=DAILY;COUNT=-1", "COUNT"},
                      BadCase{"CountAndUntil", "FREQ=DAILY;COUNT=2;UNTIL=20260101", "both COUNT and UNTIL"},
                      BadCase{"UntilNoDay", "FREQ=DAILY;UNTIL=20260230", "day that exists"},
                      BadCase{"UntilShort", "FREQ=DAILY;UNTIL=2026", "YYYYMMDD"},
                      BadCase{"UntilBadTime", "FREQ=DAILY;UNTIL=20260101T12", "YYYYMMDD"},
                      BadCase{"WeekdayName", "FREQ=WEEKLY;BYDAY=MONDAY", "MO, TU, WE"},
                      BadCase{"OrdinalInWeekly", "FREQ=WEEKLY;BYDAY=2MO", "only FREQ=MONTHLY and YEARLY"},
                      BadCase{"OrdinalZero", "FREQ=MONTHLY;BYDAY=0MO", "MO, TU, WE"},
                      BadCase{"MonthDayZero", "FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"},
                      BadCase{"MonthDayBeyond", "FREQ=MONTHLY;BYMONTHDAY=32", "1 to 31"},
                      BadCase{"NegativeMonth", "FREQ=YEARLY;BYMONTH=-1", "1 to 12"},
                      BadCase{"MonthDayInWeekly", "FREQ=WEEKLY;BYMONTHDAY=1", "use FREQ=MONTHLY"},
                      BadCase{"YearDayInMonthly", "FREQ=MONTHLY;BYYEARDAY=1", "only FREQ=YEARLY"},
                      BadCase{"WeekNoInMonthly", "FREQ=MONTHLY;BYWEEKNO=1", "only FREQ=YEARLY"},
                      BadCase{"SetPosAlone", "FREQ=MONTHLY;BYSETPOS=1", "another BY part"},
                      BadCase{"Hour", "FREQ=DAILY;BYHOUR=9,17", "at most once a day"},
                      BadCase{"OtherCalendar", "RSCALE=CHINESE;FREQ=YEARLY", "Gregorian"},
                      BadCase{"Plus", "FREQ=DAILY;INTERVAL=++1", "whole number"}),
    [](const auto& test) { return test.param.name; });

using Texts = std::vector<std::string>;

TEST(RecurrenceTest, EndOfMonthLeavesOutMonthsThatLackTheDay) {
  EXPECT_EQ(Days(Rule("FREQ=MONTHLY"), Day("2026-01-31"), Day("2026-01-01"), Day("2026-07-31")),
            (Texts{"2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"}));
  EXPECT_EQ(Days(Rule("FREQ=MONTHLY;BYMONTHDAY=-1"), Day("2026-01-31"), Day("2026-01-01"), Day("2026-04-30")),
            (Texts{"2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"}));
}

TEST(RecurrenceTest, February29thComesInLeapYears) {
  EXPECT_EQ(Days(Rule("FREQ=YEARLY"), Day("2024-02-29"), Day("2024-01-01"), Day("2036-12-31")),
            (Texts{"2024-02-29", "2028-02-29", "2032-02-29", "2036-02-29"}));
  // 2100 is not a leap year.
  EXPECT_EQ(Days(Rule("FREQ=YEARLY"), Day("2024-02-29"), Day("2094-01-01"), Day("2105-12-31")),
            (Texts{"2096-02-29", "2104-02-29"}));
}

TEST(RecurrenceTest, NumberedWeekdays) {
  EXPECT_EQ(Days(Rule("FREQ=MONTHLY;BYDAY=2TU"), Day("2026-03-10"), Day("2026-03-01"), Day("2026-05-31")),
            (Texts{"2026-03-10", "2026-04-14", "2026-05-12"}));
  EXPECT_EQ(Days(Rule("FREQ=MONTHLY;BYDAY=5MO"), Day("2026-03-30"), Day("2026-03-01"), Day("2026-08-31")),
            (Texts{"2026-03-30", "2026-06-29", "2026-08-31"}));
  EXPECT_EQ(Days(Rule("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH"), Day("2026-11-26"), Day("2026-01-01"), Day("2028-12-31")),
            (Texts{"2026-11-26", "2027-11-25", "2028-11-23"}));
}

TEST(RecurrenceTest, WeeksBeginWhereTheRuleSays) {
  // The classic of RFC 5545: WKST decides which days fall into the same fortnight.
  const absl::CivilDay start = Day("1997-08-05");
  EXPECT_EQ(Days(Rule("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU"), start, start, Day("1997-08-31")),
            (Texts{"1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"}));
  EXPECT_EQ(Days(Rule("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU"), start, start, Day("1997-08-31")),
            (Texts{"1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"}));
}

TEST(RecurrenceTest, AWeekMayBeginOnASaturday) {
  const absl::CivilDay start = Day("2027-01-12");  // A Tuesday, in the week from January 9th on.
  EXPECT_EQ(Days(Rule("FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,TU,WE;WKST=SA"), start, start, Day("2027-02-28")),
            (Texts{"2027-01-12", "2027-01-13", "2027-01-31", "2027-02-02", "2027-02-03", "2027-02-21", "2027-02-23",
                   "2027-02-24"}));
}

TEST(RecurrenceTest, VisitStopsWhenAsked) {
  int seen = 0;
  Rule("FREQ=DAILY").Visit(Day("2026-01-01"), Day("2026-01-01"), Day("9999-12-31"), [&](absl::CivilDay) {
    return ++seen < 3;
  });
  EXPECT_EQ(seen, 3);
}

TEST(RecurrenceTest, FirstIsTheStartOrTheNextDayOfTheRule) {
  EXPECT_EQ(Rule("FREQ=WEEKLY;BYDAY=MO").First(Day("2026-03-04")), Day("2026-03-09"));
  EXPECT_EQ(Rule("FREQ=WEEKLY;BYDAY=MO").First(Day("2026-03-09")), Day("2026-03-09"));
  EXPECT_EQ(Rule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30").First(Day("2026-01-01")), std::nullopt);
  EXPECT_EQ(Rule("FREQ=DAILY;UNTIL=20260101").First(Day("2026-01-02")), std::nullopt);
}

TEST(RecurrenceTest, LastIsTheDayOnWhichItEnds) {
  EXPECT_EQ(Rule("FREQ=DAILY").Last(Day("2026-03-01")), std::nullopt);
  EXPECT_EQ(Rule("FREQ=DAILY;COUNT=3").Last(Day("2026-03-01")), Day("2026-03-03"));
  EXPECT_EQ(Rule("FREQ=MONTHLY;UNTIL=20260430").Last(Day("2026-01-31")), Day("2026-03-31"));
  EXPECT_EQ(Rule("FREQ=YEARLY;UNTIL=20311231").Last(Day("2024-02-29")), Day("2028-02-29"));
  EXPECT_EQ(Rule("FREQ=WEEKLY;BYDAY=MO;UNTIL=20260303").Last(Day("2026-03-04")), std::nullopt);
}

TEST(RecurrenceTest, CountsDaysBeforeAnother) {
  const Recurrence rule = Rule("FREQ=WEEKLY;BYDAY=MO,TH;COUNT=6");
  EXPECT_EQ(rule.CountBefore(Day("2026-03-02"), Day("2026-03-02")), 0);
  EXPECT_EQ(rule.CountBefore(Day("2026-03-02"), Day("2026-03-09")), 2);
  EXPECT_TRUE(rule.Has(Day("2026-03-02"), Day("2026-03-19")));
  EXPECT_FALSE(rule.Has(Day("2026-03-02"), Day("2026-03-23"))) << "the seventh";
  EXPECT_FALSE(rule.Has(Day("2026-03-02"), Day("2026-03-03")));
}

struct ShiftCase {
  std::string name;
  std::string rule;
  std::string start;
  int days;
  std::string shifted;  // Empty: no rule expresses that.
};

class ShiftTest : public ::testing::TestWithParam<ShiftCase> {};

TEST_P(ShiftTest, MovesEveryDayOrNone) {
  const ShiftCase& row = GetParam();
  const Recurrence rule = Rule(row.rule);
  const absl::CivilDay start = *rule.First(Day(row.start));
  const auto shifted = rule.Shifted(start, row.days);
  EXPECT_EQ(shifted.has_value() ? shifted->ToString() : "", row.shifted);
  if (!shifted.has_value()) return;
  Texts moved;
  for (const std::string& day : Days(rule, start, start, start + 3000)) moved.push_back(FormatDay(Day(day) + row.days));
  EXPECT_EQ(Days(*shifted, start + row.days, start + row.days, start + 3000 + row.days), moved);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ShiftTest,
    ::testing::Values(
        ShiftCase{"Not", "FREQ=MONTHLY;BYDAY=2TU", "2026-03-10", 0, "FREQ=MONTHLY;BYDAY=2TU"},
        ShiftCase{"Daily", "FREQ=DAILY;INTERVAL=3;COUNT=5", "2026-03-01", 1, "FREQ=DAILY;COUNT=5;INTERVAL=3"},
        ShiftCase{"Until", "FREQ=DAILY;UNTIL=20260310", "2026-03-01", -2, "FREQ=DAILY;UNTIL=20260308"},
        ShiftCase{"Weekdays", "FREQ=WEEKLY;BYDAY=MO,FR", "2026-03-02", 1, "FREQ=WEEKLY;BYDAY=TU,SA"},
        ShiftCase{"OverTheWeekend", "FREQ=WEEKLY;BYDAY=MO,SU", "2026-03-02", 1, "FREQ=WEEKLY;BYDAY=MO,TU"},
        ShiftCase{"Fortnight", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "2026-03-02", 3,
                  "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH,MO;WKST=TH"},
        ShiftCase{"DayOfMonth", "FREQ=MONTHLY;BYMONTHDAY=10,20", "2026-03-10", 5, "FREQ=MONTHLY;BYMONTHDAY=15,25"},
        ShiftCase{"DayOfMonthByStart", "FREQ=MONTHLY", "2026-03-10", 5, "FREQ=MONTHLY"},
        ShiftCase{"AcrossTheMonthsEnd", "FREQ=MONTHLY", "2026-03-28", 5, ""},
        ShiftCase{"The31st", "FREQ=MONTHLY", "2026-01-31", -1, ""},
        ShiftCase{"LastDay", "FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", -1, "FREQ=MONTHLY;BYMONTHDAY=-2"},
        ShiftCase{"LastDayOverTheEnd", "FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", 1, "FREQ=MONTHLY;BYMONTHDAY=1"},
        ShiftCase{"SecondTuesdayByAWeek", "FREQ=MONTHLY;BYDAY=2TU", "2026-03-10", 7, "FREQ=MONTHLY;BYDAY=3TU"},
        ShiftCase{"SecondTuesdayByADay", "FREQ=MONTHLY;BYDAY=2TU", "2026-03-10", 1, ""},
        ShiftCase{"Yearly", "FREQ=YEARLY", "2026-06-15", 20, "FREQ=YEARLY"},
        ShiftCase{"YearlyOverFebruary", "FREQ=YEARLY", "2026-02-20", 20, ""},
        ShiftCase{"YearlyOverNewYear", "FREQ=YEARLY", "2026-12-25", 10, "FREQ=YEARLY"},
        ShiftCase{"YearlyByParts", "FREQ=YEARLY;BYMONTHDAY=25;BYMONTH=12", "2026-12-25", 10,
                  "FREQ=YEARLY;BYMONTHDAY=4;BYMONTH=1"},
        ShiftCase{"LastOfAWeek", "FREQ=WEEKLY;BYDAY=SA,FR;BYSETPOS=-1", "2026-03-07", 1,
                  "FREQ=WEEKLY;BYDAY=SA,SU;BYSETPOS=-1;WKST=TU"},
        ShiftCase{"LastWorkday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-03-31", 1, ""}),
    [](const auto& test) { return test.param.name; });

// ---- Rules and their days -------------------------------------------------------------------------------------------

struct DaysCase {
  std::string rule;
  Texts days;  // The first ones; all, if there are fewer than seven.
};

class DaysTest : public ::testing::TestWithParam<DaysCase> {};

TEST_P(DaysTest, AreThoseOfTheRfc) {
  const Recurrence rule = Rule(GetParam().rule);
  const absl::CivilDay start = Day(GetParam().days.front());
  Texts days;
  rule.Visit(start, start, Day("9999-12-31"), [&](absl::CivilDay day) {
    days.push_back(FormatDay(day));
    return days.size() < GetParam().days.size();
  });
  EXPECT_EQ(days, GetParam().days) << rule.ToString();
  // They are the same for a query of a later stretch only.
  const absl::CivilDay third = Day(days[2]);
  EXPECT_EQ(Days(rule, start, third, Day(days.back())), Texts(days.begin() + 2, days.end()));
}

// The days are those that python-dateutil gives, except in the second list, where it differs from RFC 5545 or the RFC
// says nothing.
INSTANTIATE_TEST_SUITE_P(
    Rules, DaysTest,
    ::testing::Values(
        DaysCase{"FREQ=WEEKLY;BYDAY=SA,FR;BYSETPOS=-1",
                 {"2026-03-07", "2026-03-14", "2026-03-21", "2026-03-28", "2026-04-04", "2026-04-11", "2026-04-18"}},
        DaysCase{"FREQ=WEEKLY;BYDAY=MO,WE,SU;BYSETPOS=1;WKST=SU",
                 {"2026-03-01", "2026-03-08", "2026-03-15", "2026-03-22", "2026-03-29", "2026-04-05", "2026-04-12"}},
        DaysCase{"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;BYSETPOS=1,-1",
                 {"2026-03-02", "2026-03-06", "2026-03-16", "2026-03-20", "2026-03-30", "2026-04-03", "2026-04-13"}},
        DaysCase{"FREQ=WEEKLY;BYMONTH=1,12;BYDAY=MO,FR",
                 {"2026-01-02", "2026-01-05", "2026-01-09", "2026-01-12", "2026-01-16", "2026-01-19", "2026-01-23"}},
        DaysCase{"FREQ=WEEKLY;BYMONTH=2",
                 {"2026-02-03", "2026-02-10", "2026-02-17", "2026-02-24", "2027-02-02", "2027-02-09", "2027-02-16"}},
        DaysCase{"FREQ=DAILY;BYMONTHDAY=-1,10,29",
                 {"2026-01-10", "2026-01-29", "2026-01-31", "2026-02-10", "2026-02-28", "2026-03-10", "2026-03-29"}},
        DaysCase{"FREQ=DAILY;INTERVAL=2;BYMONTHDAY=1,-1",
                 {"2026-01-01", "2026-01-31", "2026-02-28", "2026-04-01", "2026-05-01", "2026-05-31", "2026-06-30"}},
        DaysCase{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
                 {"2032-02-29", "2060-02-29", "2088-02-29", "2128-02-29", "2156-02-29", "2184-02-29", "2224-02-29"}},
        DaysCase{"FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR",
                 {"2026-02-13", "2026-03-13", "2026-11-13", "2027-08-13", "2028-10-13", "2029-04-13", "2029-07-13"}},
        DaysCase{"FREQ=DAILY;INTERVAL=10;BYMONTH=1,3",
                 {"2026-01-01", "2026-01-11", "2026-01-21", "2026-01-31", "2026-03-02", "2026-03-12", "2026-03-22"}},
        DaysCase{"FREQ=DAILY;BYDAY=SA,SU;BYSETPOS=-1",
                 {"2026-03-07", "2026-03-08", "2026-03-14", "2026-03-15", "2026-03-21", "2026-03-22", "2026-03-28"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
                 {"2026-03-31", "2026-04-30", "2026-05-29", "2026-06-30", "2026-07-31", "2026-08-31", "2026-09-30"}},
        DaysCase{"FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1,30;BYSETPOS=-2",
                 {"2026-01-30", "2026-03-30", "2026-05-30", "2026-07-30", "2027-01-30", "2027-03-30", "2027-05-30"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3",
                 {"1997-09-04", "1997-10-07", "1997-11-06", "1997-12-04", "1998-01-07", "1998-02-05", "1998-03-05"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
                 {"1998-02-13", "1998-03-13", "1998-11-13", "1999-08-13", "2000-10-13", "2001-04-13", "2001-07-13"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
                 {"1997-09-13", "1997-10-11", "1997-11-08", "1997-12-13", "1998-01-10", "1998-02-07", "1998-03-07"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=1MO,-1MO;BYSETPOS=2",
                 {"2026-01-26", "2026-02-23", "2026-03-30", "2026-04-27", "2026-05-25", "2026-06-29", "2026-07-27"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=2TU,2WE;BYMONTHDAY=8,9,10,11,12",
                 {"2026-02-10", "2026-02-11", "2026-03-10", "2026-03-11", "2026-04-08", "2026-05-12", "2026-06-09"}},
        DaysCase{"FREQ=MONTHLY;BYMONTH=2,3;BYMONTHDAY=-31,-29",
                 {"2026-03-01", "2026-03-03", "2027-03-01", "2027-03-03", "2028-02-01", "2028-03-01", "2028-03-03"}},
        DaysCase{"FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=3",
                 {"2026-01-31", "2026-07-31", "2026-10-31", "2027-01-31", "2027-07-31", "2027-10-31", "2028-01-31"}},
        DaysCase{"FREQ=YEARLY;BYMONTHDAY=15",
                 {"2026-05-15", "2026-06-15", "2026-07-15", "2026-08-15", "2026-09-15", "2026-10-15", "2026-11-15"}},
        DaysCase{"FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=31",
                 {"2026-10-31", "2026-12-31", "2028-01-31", "2028-03-31", "2028-05-31", "2028-07-31", "2028-08-31"}},
        DaysCase{"FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR",
                 {"2026-02-13", "2026-03-13", "2026-11-13", "2027-08-13", "2028-10-13", "2029-04-13", "2029-07-13"}},
        DaysCase{"FREQ=YEARLY;BYMONTHDAY=1,-1;BYSETPOS=2,-2",
                 {"2026-01-31", "2026-12-01", "2027-01-31", "2027-12-01", "2028-01-31", "2028-12-01", "2029-01-31"}},
        DaysCase{"FREQ=YEARLY;BYYEARDAY=-1,365;BYSETPOS=-1",
                 {"2026-12-31", "2027-12-31", "2028-12-31", "2029-12-31", "2030-12-31", "2031-12-31", "2032-12-31"}},
        DaysCase{"FREQ=YEARLY;BYYEARDAY=1,100,200;INTERVAL=3",
                 {"1997-01-01", "1997-04-10", "1997-07-19", "2000-01-01", "2000-04-09", "2000-07-18", "2003-01-01"}},
        DaysCase{"FREQ=YEARLY;BYYEARDAY=366,-366",
                 {"2024-01-01", "2024-12-31", "2028-01-01", "2028-12-31", "2032-01-01", "2032-12-31", "2036-01-01"}},
        DaysCase{"FREQ=YEARLY;BYYEARDAY=60,-306;BYMONTH=2",
                 {"2028-02-29", "2032-02-29", "2036-02-29", "2040-02-29", "2044-02-29", "2048-02-29", "2052-02-29"}},
        DaysCase{"FREQ=YEARLY;BYYEARDAY=1,2,3,4,5,6,7;BYDAY=MO",
                 {"2026-01-05", "2027-01-04", "2028-01-03", "2029-01-01", "2030-01-07", "2031-01-06", "2032-01-05"}},
        DaysCase{"FREQ=YEARLY;BYDAY=20MO",
                 {"1997-05-19", "1998-05-18", "1999-05-17", "2000-05-15", "2001-05-14", "2002-05-20", "2003-05-19"}},
        DaysCase{"FREQ=YEARLY;BYDAY=-53SU,1SU,53TH",
                 {"2026-01-04", "2026-12-31", "2027-01-03", "2028-01-02", "2029-01-07", "2030-01-06", "2031-01-05"}},
        DaysCase{"FREQ=YEARLY;BYDAY=MO;BYSETPOS=10,-10",
                 {"2026-03-09", "2026-10-26", "2027-03-08", "2027-10-25", "2028-03-06", "2028-10-23", "2029-03-05"}},
        DaysCase{"FREQ=YEARLY;BYDAY=SU;BYMONTH=4,10;BYSETPOS=-1",
                 {"2026-10-25", "2027-10-31", "2028-10-29", "2029-10-28", "2030-10-27", "2031-10-26", "2032-10-31"}},
        DaysCase{"FREQ=YEARLY;BYDAY=-1SU;BYMONTH=4,10",
                 {"2026-04-26", "2026-10-25", "2027-04-25", "2027-10-31", "2028-04-30", "2028-10-29", "2029-04-29"}},
        DaysCase{"FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;INTERVAL=4",
                 {"1996-11-05", "2000-11-07", "2004-11-02", "2008-11-04", "2012-11-06", "2016-11-08", "2020-11-03"}},
        DaysCase{"FREQ=YEARLY;BYMONTH=1,6",
                 {"2026-01-31", "2027-01-31", "2028-01-31", "2029-01-31", "2030-01-31", "2031-01-31", "2032-01-31"}},
        DaysCase{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
                 {"2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
                 {"1997-05-12", "1998-05-11", "1999-05-17", "2000-05-15", "2001-05-14", "2002-05-13", "2003-05-12"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU",
                 {"2025-12-29", "2026-01-04", "2027-01-04", "2027-01-10", "2028-01-03", "2028-01-09", "2029-01-01"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=-1,1;BYDAY=TH;WKST=SU",
                 {"2026-01-08", "2026-12-31", "2027-01-07", "2027-12-30", "2028-01-06", "2028-12-28", "2029-01-04"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=10,11;BYDAY=WE,TH;BYMONTH=3",
                 {"2026-03-04", "2026-03-05", "2026-03-11", "2026-03-12", "2027-03-10", "2027-03-11", "2027-03-17"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=FR;BYMONTHDAY=1",
                 {"2027-01-01", "2038-01-01", "2044-01-01", "2049-01-01", "2055-01-01", "2066-01-01", "2072-01-01"}}),
    [](const auto& test) { return absl::StrCat("Rule", test.index); });

INSTANTIATE_TEST_SUITE_P(
    OwnReading, DaysTest,
    ::testing::Values(
        // The set is that of the whole week, even if the first occurrence is not its first day.
        DaysCase{"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;BYSETPOS=2,-1",
                 {"2026-03-04", "2026-03-06", "2026-03-18", "2026-03-20"}},
        DaysCase{"FREQ=MONTHLY;BYDAY=2TU,WE;BYMONTHDAY=8,9,10,11,12,13,14",
                 {"2026-01-13", "2026-01-14", "2026-02-10", "2026-02-11"}},
        // Week 1 of 2026 begins in 2025, and is nevertheless a week of 2026.
        DaysCase{"FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO", {"2025-12-29", "2028-01-03", "2029-12-31"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=1,2;BYDAY=MO,SU;BYSETPOS=1", {"2025-12-29", "2027-01-04", "2028-01-03"}},
        DaysCase{"FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO,SU",
                 {"2026-12-28", "2027-01-03", "2032-12-27", "2033-01-02", "2037-12-28", "2038-01-03", "2043-12-28"}},
        // On the weekday of the start.
        DaysCase{"FREQ=YEARLY;BYWEEKNO=20", {"2026-05-13", "2027-05-19", "2028-05-17"}}),
    [](const auto& test) { return absl::StrCat("Rule", test.index); });

TEST(RecurrenceTest, RareRulesEndWithTheLastYear) {
  // February 29th is a Sunday thirteen times in 400 years.
  const Recurrence rare = Rule("FREQ=DAILY;COUNT=10000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU");
  const absl::CivilDay start = Day("2032-02-29");
  EXPECT_EQ(rare.Last(start), Day("9976-02-29"));
  EXPECT_EQ(rare.CountBefore(start, Day("9999-12-31")), 259);
  for (const char* same : {"FREQ=MONTHLY;COUNT=10000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
                           "FREQ=YEARLY;COUNT=10000;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU"}) {
    EXPECT_EQ(Rule(same).Last(start), rare.Last(start)) << same;
    EXPECT_EQ(Rule(same).CountBefore(start, Day("9999-12-31")), 259) << same;
  }
}

// ---- Against libical ------------------------------------------------------------------------------------------------

class RuleMaker {
 public:
  explicit RuleMaker(unsigned seed) : random_(seed) {}

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  std::string Make() {
    static const char* const kFrequencies[] = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
    const int frequency = Pick(4);
    std::string rule = absl::StrCat("FREQ=", kFrequencies[frequency]);
    if (Pick(3) == 0) absl::StrAppend(&rule, ";INTERVAL=", 1 + Pick(5));
    if (Pick(2) == 0) absl::StrAppend(&rule, ";BYDAY=", Weekdays(frequency >= 2 && Pick(2) == 0));
    const bool by_month_day = frequency >= 2 && Pick(3) == 0;
    if (by_month_day) absl::StrAppend(&rule, ";BYMONTHDAY=", Numbers(31));
    // Without BYMONTH, libical 3.0.16 looks for days of a year's months in only one month.
    const bool by_month = Pick(4) == 0 || (by_month_day && frequency == 3);
    if (by_month) absl::StrAppend(&rule, ";BYMONTH=", 1 + Pick(12), ",", 1 + Pick(12));
    // With weeks that begin on a Saturday, libical 3.0.16 is wrong: it omits days of the first week.
    if (Pick(3) == 0) absl::StrAppend(&rule, ";WKST=", Pick(2) == 0 ? "SU" : "MO");
    return rule;
  }

 private:
  static constexpr const char* kNames[] = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};

  std::string Weekdays(bool numbered) {
    std::string list;
    for (int i = 1 + Pick(3); i > 0; --i) {
      const int ordinal = 1 + Pick(4);
      absl::StrAppend(&list, list.empty() ? "" : ",", numbered ? absl::StrCat(Pick(2) == 0 ? "-" : "", ordinal) : "",
                      kNames[Pick(7)]);
    }
    return list;
  }

  std::string Numbers(int max) {
    std::string list;
    for (int i = 1 + Pick(3); i > 0; --i) {
      absl::StrAppend(&list, list.empty() ? "" : ",", Pick(3) == 0 ? "-" : "", 1 + Pick(max));
    }
    return list;
  }

  std::mt19937 random_;
};

TEST(RecurrenceTest, HasTheDaysThatLibicalHas) {
  RuleMaker maker(7);
  int with_days = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string text = maker.Make();
    const auto rule = Recurrence::Parse(text);
    ASSERT_TRUE(rule.ok()) << text << ": " << rule.status();
    // There are several interpretations of a start that is not a day of the rule, and libical has its own.
    const std::optional<absl::CivilDay> first = rule->First(Day("2023-01-01") + maker.Pick(1500));
    if (!first.has_value()) continue;
    const absl::CivilDay start = *first;
    const absl::CivilDay from = start + maker.Pick(900);
    const absl::CivilDay to = from + maker.Pick(500);
    const Texts days = Days(*rule, start, from, to);
    ASSERT_EQ(days, LibicalDays(rule->ToString(), start, from, to))
        << rule->ToString() << " from " << FormatDay(start) << " within " << FormatDay(from) << " and "
        << FormatDay(to);
    with_days += days.empty() ? 0 : 1;
  }
  EXPECT_GT(with_days, 150) << "most rules must have something to compare";
}

TEST(RecurrenceTest, EndsWhereLibicalEnds) {
  RuleMaker maker(11);
  for (int i = 0; i < 150; ++i) {
    const int count = 1 + maker.Pick(30);
    const std::string text = absl::StrCat(maker.Make(), ";COUNT=", count);
    const Recurrence rule = Rule(text);
    const std::optional<absl::CivilDay> first = rule.First(Day("2024-01-01") + maker.Pick(800));
    if (!first.has_value()) continue;
    const absl::CivilDay start = *first;
    const Texts days = LibicalDays(rule.ToString(), start, start, start + 366 * 60);
    if (days.size() < static_cast<size_t>(count)) continue;  // Beyond the years that are compared.
    ASSERT_EQ(FormatDay(*rule.Last(start)), days.back()) << text << " from " << FormatDay(start);
    const Recurrence until = rule.WithUntil(Day(days.back()) + maker.Pick(3));
    ASSERT_EQ(FormatDay(*until.Last(start)).substr(0, 4), days.back().substr(0, 4)) << until.ToString();
  }
}

}  // namespace
}  // namespace toolgate::executors::blocks
