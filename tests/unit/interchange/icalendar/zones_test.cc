#include "interchange/icalendar/zones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/time_zones.h"

namespace toolgate::interchange::icalendar {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(1772442000);

TEST(IcalZonesTest, WritesTheRulesOfTheClock) {
  absl::TimeZone zone = FindTimeZone("Europe/Berlin")->zone;
  std::string text;
  AppendIcalZone("Europe/Berlin", zone, kNow, kNow, text);
  EXPECT_EQ(text,
            "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"
            "BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nTZNAME:CEST\r\n"
            "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\nEND:DAYLIGHT\r\n"
            "BEGIN:STANDARD\r\nDTSTART:20251026T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nTZNAME:CET\r\n"
            "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\r\nEND:STANDARD\r\n"
            "END:VTIMEZONE\r\n");
}

TEST(IcalZonesTest, WritesChangesWithoutARuleOneByOneAndAZoneWithoutChanges) {
  absl::TimeZone zone = FindTimeZone("America/New_York")->zone;
  std::string text;
  AppendIcalZone("America/New_York", zone, absl::FromCivil(absl::CivilDay(2006, 1, 10), zone), kNow, text);
  // Until 2006 other rules held than since.
  EXPECT_THAT(text,
              HasSubstr("DTSTART:20060402T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\nTZNAME:EDT\r\nEND:"));
  EXPECT_THAT(text,
              HasSubstr("DTSTART:20070311T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\nTZNAME:EDT\r\nRRULE:"));
  EXPECT_THAT(text, HasSubstr("RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"));
  zone = FindTimeZone("Asia/Tokyo")->zone;
  text.clear();
  AppendIcalZone("Asia/Tokyo", zone, kNow, kNow, text);
  EXPECT_THAT(text, HasSubstr("BEGIN:STANDARD\r\n"));
  EXPECT_THAT(text, HasSubstr("TZOFFSETTO:+0900"));
  EXPECT_THAT(text, Not(HasSubstr("RRULE")));
}

}  // namespace
}  // namespace toolgate::interchange::icalendar
