// Reasons why interchange/icalendar has its own parser and writer: each test shows a behaviour of libical 3.0.16 that
// must not happen to a calendar, next to that of our own code. If one of them fails with a newer libical, that part of
// our own code may be removed.
#include "tests/support/libical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "interchange/icalendar/text.h"
#include "interchange/icalendar/time.h"
#include "interchange/icalendar/zones.h"
#include "tests/support/calendars.h"

namespace toolgate::interchange::icalendar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;

std::string Calendar(const std::string& lines) {
  return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u1\r\n" + lines + "END:VEVENT\r\nEND:VCALENDAR\r\n";
}

icalcomponent* FirstEvent(const LibicalComponent& calendar) {
  return icalcomponent_get_first_component(calendar.get(), ICAL_VEVENT_COMPONENT);
}

TEST(LibicalTest, LeavesOutABrokenLineAndDoesNotSayWhichItWas) {
  const std::string text = Calendar("DTSTART:20260302T2500\r\nSUMMARY:x\r\n");
  const LibicalComponent read = LibicalRead(text);
  ASSERT_THAT(read.get(), NotNull());
  EXPECT_THAT(icalcomponent_get_first_property(FirstEvent(read), ICAL_DTSTART_PROPERTY), IsNull());
  EXPECT_STREQ(icalcomponent_get_summary(FirstEvent(read)), "x");
  EXPECT_THAT(std::string(Import(text).status.message()), HasSubstr("line 4: DTSTART is not a day"));
}

TEST(LibicalTest, GivesNoReasonWhereItReadsNothing) {
  for (const std::string& text : {std::string("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n"),
                                  std::string("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n")}) {
    icalerror_clear_errno();
    EXPECT_THAT(LibicalRead(text).get(), IsNull());
    EXPECT_EQ(icalerrno, ICAL_NO_ERROR);
    EXPECT_THAT(std::string(Import(text).status.message()), HasSubstr("line "));
  }
}

TEST(LibicalTest, ReadsDaysAndTimesThatThereAreNot) {
  for (const char* text : {"20260230", "20261301", "20260302T250000", "2026 3 2", "20260302T+9+0+0"}) {
    const icaltimetype time = icaltime_from_string(text);
    EXPECT_FALSE(icaltime_is_null_time(time)) << text;
    EXPECT_TRUE(icaltime_is_valid_time(time)) << text;
    EXPECT_FALSE(ParseIcalTime(text, {}).ok()) << text;
  }
}

TEST(LibicalTest, ReadsDurationsThatAreNoneOrTooLong) {
  for (const char* text : {"P", "PT", "P1", "PTT1H", "P99999999999D"}) {
    EXPECT_FALSE(icaldurationtype_is_bad_duration(icaldurationtype_from_string(text))) << text;
    EXPECT_FALSE(ParseIcalDuration(text).ok()) << text;
  }
  EXPECT_LT(icaldurationtype_as_int(icaldurationtype_from_string("P30000D")), 0);
  EXPECT_EQ(*ParseIcalDuration("P30000D"), int64_t{30'000} * 86'400);
}

TEST(LibicalTest, LosesTheCommaWithinACategory) {
  const LibicalComponent read = LibicalRead(Calendar("CATEGORIES:a\\,b,c\r\n"));
  EXPECT_STREQ(
      icalproperty_get_categories(icalcomponent_get_first_property(FirstEvent(read), ICAL_CATEGORIES_PROPERTY)),
      "a,b,c");
  EXPECT_THAT(LibicalText(read.get()), HasSubstr("CATEGORIES:a,b,c\r\n"));
  EXPECT_THAT(UnescapeIcalList("a\\,b,c"), ElementsAre("a,b", "c"));
}

// Of Debian's 596 zones it writes 99 with other offsets than they have had since 1970.
TEST(LibicalTest, WritesZonesWithOffsetsThatTheyNeverHad) {
  struct Row {
    const char* zone;
    absl::Time at;
  };
  for (const Row& row : {Row{"Europe/London", absl::FromCivil(absl::CivilDay(1977, 10, 24), absl::UTCTimeZone())},
                         Row{"Europe/Moscow", absl::FromCivil(absl::CivilDay(1982, 10, 2), absl::UTCTimeZone())}}) {
    absl::TimeZone zone;
    ASSERT_TRUE(absl::LoadTimeZone(row.zone, &zone));
    icalcomponent* theirs = icaltimezone_get_component(icaltimezone_get_builtin_timezone(row.zone));
    ASSERT_THAT(theirs, NotNull());
    EXPECT_NE(LibicalZone(LibicalText(theirs)).OffsetAt(row.at), zone.At(row.at).offset) << row.zone;
    std::string ours;
    AppendIcalZone(row.zone, zone, row.at, row.at, ours);
    EXPECT_EQ(LibicalZone(ours).OffsetAt(row.at), zone.At(row.at).offset) << row.zone;
  }
}

}  // namespace
}  // namespace toolgate::interchange::icalendar
