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

// What libical makes of the rule, from its first day on, without any of our shortcuts.
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
  // libical understands it, and writes it alike.
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
  // 2100 is none.
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
  std::string shifted;  // Empty: no rule says that.
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
        ShiftCase{"LastWorkday", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2026-03-31", 1, ""}),
    [](const auto& test) { return test.param.name; });

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
    if (frequency >= 2 && Pick(3) == 0) absl::StrAppend(&rule, ";BYMONTHDAY=", Numbers(31));
    if (Pick(4) == 0) absl::StrAppend(&rule, ";BYMONTH=", 1 + Pick(12), ",", 1 + Pick(12));
    // With weeks that begin on a Saturday libical 3.0.16 goes wrong: it leaves out days of the first week.
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
    // A start that is no day of the rule is read in several ways, by libical in one of its own.
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
