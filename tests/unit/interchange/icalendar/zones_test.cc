#include "interchange/icalendar/zones.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/ucal.h>
#include <unicode/uenum.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/time_zones.h"
#include "tests/support/libical.h"

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
  // Until 2006 the rules were different.
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

TEST(IcalZonesTest, ARuleThatWasGivenUpEnds) {
  absl::TimeZone zone = FindTimeZone("America/Mexico_City")->zone;
  std::string text;
  AppendIcalZone("America/Mexico_City", zone, absl::FromCivil(absl::CivilDay(2015, 1, 10), zone), kNow, text);
  EXPECT_THAT(text, HasSubstr("DTSTART:20221030T020000\r\n"));  // The last one.
  EXPECT_THAT(text, Not(HasSubstr("RRULE")));
}

std::vector<std::string> AllZones() {
  std::vector<std::string> names;
  UErrorCode status = U_ZERO_ERROR;
  UEnumeration* zones = ucal_openTimeZones(&status);
  while (const char* name = uenum_next(zones, nullptr, &status)) names.emplace_back(name);
  uenum_close(zones);
  return names;
}

// Before and after each change of the clock; "" if libical agrees with the zone.
std::string FirstDifference(const std::string& name, absl::TimeZone zone, absl::Time first, absl::Time last) {
  std::string text;
  AppendIcalZone(name, zone, first, last, text);
  LibicalZone read(text);
  std::vector<absl::Time> moments = {first, last};
  absl::TimeZone::CivilTransition transition;
  for (absl::Time at = first; zone.NextTransition(at, &transition) && zone.At(transition.to).trans < last;) {
    at = zone.At(transition.to).trans;
    moments.insert(moments.end(), {at - absl::Seconds(1), at});
  }
  for (const absl::Time at : moments) {
    if (at >= first && read.OffsetAt(at) != zone.At(at).offset) return absl::StrCat(absl::FormatTime(at), "\n", text);
  }
  return "";
}

TEST(IcalZonesTest, LibicalReadsTheOffsetsOfEveryZone) {
  const auto year = [](int number) { return absl::FromCivil(absl::CivilYear(number), absl::UTCTimeZone()); };
  for (const std::string& name : AllZones()) {
    absl::TimeZone zone;
    if (!absl::LoadTimeZone(name, &zone)) continue;  // A name that only ICU knows.
    for (const auto& [first, last] : {std::pair(1970, 2045), std::pair(2013, 2026), std::pair(2026, 2026)}) {
      EXPECT_EQ(FirstDifference(name, zone, year(first), year(last)), "") << name << " from " << first;
    }
  }
}

}  // namespace
}  // namespace toolgate::interchange::icalendar
