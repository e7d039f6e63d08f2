#include "common/time_zones.h"

#include <unistd.h>

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"
#include "tests/support/zone_paths.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;

std::string NameOf(const TimeZones& zones, std::string_view name) {
  const auto found = zones.Find(name);
  return found.has_value() ? std::string(found->name) : "";
}

void Write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

TEST(FindTimeZoneTest, FindsZonesAndLinks) {
  for (const char* name : {"UTC", "Europe/Berlin", "Asia/Calcutta", "US/Pacific", "Etc/GMT+12", "EST5EDT", "GMT0",
                           "America/Argentina/ComodRivadavia"}) {
    const auto found = FindTimeZone(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->name, name);
  }
  const absl::TimeZone berlin = FindTimeZone("Europe/Berlin")->zone;
  EXPECT_EQ(berlin.At(absl::FromUnixSeconds(1'780'000'000)).offset, 7'200);
}

TEST(FindTimeZoneTest, IgnoresCaseAndAnswersTheSpellingOfTheDatabase) {
  EXPECT_EQ(FindTimeZone("europe/BERLIN")->name, "Europe/Berlin");
  EXPECT_EQ(FindTimeZone("utc")->name, "UTC");
  EXPECT_EQ(FindTimeZone("america/port-au-prince")->name, "America/Port-au-Prince");
}

TEST(FindTimeZoneTest, FindsNothingElse) {
  // The loader accepts all of them, or did.
  for (const char* name : {"", "localtime", "posixrules", "libc:localtime", "file:UTC", "Fixed/UTC+01:00:00", "UTC0",
                           "posix/Europe/Berlin", "Europe/../Europe/Berlin", "Europe//Berlin", "./Europe/Berlin",
                           " Europe/Berlin", "Europe/Berlin ", "Europe/Berlin/", "Europe", "Mars/Olympus"}) {
    EXPECT_FALSE(FindTimeZone(name).has_value()) << name;
  }
  EXPECT_FALSE(FindTimeZone(std::string("Europe/Berlin\0", 14)).has_value());
}

TEST(FindTimeZoneTest, OpensNoPath) {
  testing::ZonePaths paths;
  for (const std::string& name : paths.names()) {
    EXPECT_FALSE(FindTimeZone(name).has_value()) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

int64_t ResidentBytes() {
  int64_t total = 0;
  int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(FindTimeZoneTest, KeepsNothingOfALongName) {
  std::string name(3'500'000, 'a');
  FindTimeZone(name);
  const int64_t before = ResidentBytes();
  for (int i = 0; i < 100; ++i) {
    name[static_cast<size_t>(i)] = 'b';
    EXPECT_FALSE(FindTimeZone(name).has_value());
  }
  EXPECT_LT(ResidentBytes() - before, int64_t{50} * 1024 * 1024);
}

TEST(TimeZonesTest, ReadsZonesAndLinksOfTheSource) {
  const testing::TempDir dir;
  Write(dir.path() + "/tzdata.zi",
        "# version 2025b\nR d 1916 o - Jun 14 23s 1 S\nZ Europe/Berlin 0:53:28 - LMT 1893 Ap\n1 c CE%sT\n"
        "L Europe/Berlin Europe/Copenhagen\nZ ../../etc/passwd 0 - x\nZ\nL\nL Asia/Tokyo\n");
  const TimeZones zones(dir.path());
  EXPECT_TRUE(zones.status().ok()) << zones.status();
  EXPECT_EQ(NameOf(zones, "Europe/berlin"), "Europe/Berlin");
  EXPECT_EQ(NameOf(zones, "europe/copenhagen"), "Europe/Copenhagen");
  EXPECT_EQ(NameOf(zones, "utc"), "UTC");
  EXPECT_EQ(NameOf(zones, "Asia/Tokyo"), "");
  EXPECT_EQ(NameOf(zones, "../../etc/passwd"), "");
}

TEST(TimeZonesTest, ReadsTheTablesWithoutTheSource) {
  const testing::TempDir dir;
  Write(dir.path() + "/zone.tab", "#code\tcoordinates\tTZ\nDK\t+5540+01235\tEurope/Copenhagen\n");
  Write(dir.path() + "/zone1970.tab", "DE,DK,NO\t+5230+01322\tEurope/Berlin\tmost of Germany\n");
  const TimeZones zones(dir.path());
  EXPECT_TRUE(zones.status().ok()) << zones.status();
  EXPECT_EQ(NameOf(zones, "europe/copenhagen"), "Europe/Copenhagen");
  EXPECT_EQ(NameOf(zones, "europe/berlin"), "Europe/Berlin");
  EXPECT_EQ(NameOf(zones, "Asia/Tokyo"), "");
}

TEST(TimeZonesTest, KnowsOnlyUtcWithoutAnyAndSaysWhatToInstall) {
  const testing::TempDir dir;
  const TimeZones zones(dir.path());
  EXPECT_EQ(zones.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(zones.status().message()),
              AllOf(HasSubstr(dir.path()), HasSubstr("tzdata.zi"), HasSubstr("install the package tzdata")));
  EXPECT_EQ(NameOf(zones, "UTC"), "UTC");
  EXPECT_EQ(NameOf(zones, "Europe/Berlin"), "");
}

TEST(TimeZonesTest, FindsNoNameWhoseFileIsMissing) {
  const testing::TempDir dir;
  Write(dir.path() + "/tzdata.zi", "Z Nowhere/Land 0 - NWL\n");
  EXPECT_EQ(NameOf(TimeZones(dir.path()), "Nowhere/Land"), "");
}

}  // namespace
}  // namespace toolgate
