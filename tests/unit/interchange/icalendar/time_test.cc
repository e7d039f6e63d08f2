#include "interchange/icalendar/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/zone_paths.h"

namespace toolgate::interchange::icalendar {
namespace {

TEST(IcalTimeTest, KnowsZonesUnderTheNamesThatProgramsGiveThem) {
  EXPECT_EQ(ZoneOfTzid("Europe/Berlin"), "Europe/Berlin");
  EXPECT_EQ(ZoneOfTzid("/freeassociation.sourceforge.net/America/Argentina/Ushuaia"), "America/Argentina/Ushuaia");
  EXPECT_EQ(ZoneOfTzid("/mozilla.org/20050126_1/europe/berlin"), "Europe/Berlin");
  EXPECT_EQ(ZoneOfTzid("Eastern Standard Time"), "America/New_York");
  EXPECT_EQ(ZoneOfTzid("Nowhere"), std::nullopt);
  EXPECT_EQ(ZoneOfTzid(""), std::nullopt);
  testing::ZonePaths paths;
  for (const std::string& name : paths.names()) {
    EXPECT_EQ(ZoneOfTzid(name), std::nullopt) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

TEST(IcalTimeTest, ReadsDurations) {
  EXPECT_EQ(*ParseIcalDuration("P1W"), 7 * 86'400);
  EXPECT_EQ(*ParseIcalDuration("-PT15M"), -900);
  EXPECT_EQ(*ParseIcalDuration("P1DT2H3M4S"), 86'400 + 2 * 3'600 + 184);
  for (const char* bad : {"", "P", "PT", "1D", "P1H", "PT1D", "P1", "P-1D", "P99999999999D", "PTT1H"}) {
    EXPECT_FALSE(ParseIcalDuration(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace toolgate::interchange::icalendar
