#include "executors/cypher/temporal/zone.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"
#include "tests/support/zone_paths.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::TextOf;

TEST(ZoneTest, ReadsOffsetsAndNames) {
  const struct {
    const char* text;
    const char* zone;
  } kRows[] = {
      {"Z", "Z"},
      {"+00:00", "Z"},
      {"-00:00", "Z"},
      {"+01", "+01:00"},
      {"-0330", "-03:30"},
      {"+05:45", "+05:45"},
      {"-01:02:03", "-01:02:03"},
      {"+010203", "+01:02:03"},
      {"+01:00:00", "+01:00"},
      {"+18:00", "+18:00"},
      {"-18:00", "-18:00"},
      {"+18:00:01", kInvalidValue},
      {"+19", kInvalidValue},
      {"+1", kInvalidValue},
      {"+01:60", kInvalidValue},
      {"+01:0", kInvalidValue},
      {"+0102:03", kInvalidValue},
      {"+01:02:03:04", kInvalidValue},
      {"01:00", kInvalidValue},
      {"+", kInvalidValue},
      {"", kInvalidValue},
      {"Asia/Tokyo", "Asia/Tokyo"},
      {"europe/berlin", "Europe/Berlin"},
      {"UTC", "UTC"},
      {"Europe/Atlantis", kInvalidValue},
      {"/etc/localtime", kInvalidValue},
  };
  for (const auto& row : kRows) EXPECT_EQ(TextOf(Zone::Parse(row.text)), row.zone) << row.text;
}

TEST(ZoneTest, OpensNoPath) {
  ::toolgate::testing::ZonePaths paths;
  for (const std::string& name : paths.names()) {
    EXPECT_EQ(TextOf(Zone::Parse(name)), kInvalidValue) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

TEST(ZoneTest, KnowsTheOffsetAtAnInstant) {
  const Zone berlin = *Zone::Parse("Europe/Berlin");
  EXPECT_EQ(berlin.OffsetAt(1'616'893'199), 3'600);           // 2021-03-28T00:59:59Z.
  EXPECT_EQ(berlin.OffsetAt(1'616'893'200), 7'200);           // 2021-03-28T01:00:00Z.
  EXPECT_EQ(berlin.OffsetAt(-3'786'825'600), 3'208);          // 1850: local mean time, +00:53:28.
  EXPECT_EQ(berlin.OffsetAt(31'556'889'864'403'199), 3'600);  // The last second of the year 999999999.
  EXPECT_EQ(Zone::FromOffset(-90)->OffsetAt(0), -90);
}

TEST(ZoneTest, ChoosesAnOffsetForALocalTime) {
  const Zone berlin = *Zone::Parse("Europe/Berlin");
  const int64_t twice = 1'635'647'400;    // 2021-10-31T02:30, on both sides of the change.
  const int64_t skipped = 1'616'898'600;  // 2021-03-28T02:30.
  EXPECT_EQ(berlin.OffsetAtLocal(twice, std::nullopt), 7'200);
  EXPECT_EQ(berlin.OffsetAtLocal(twice, 3'600), 3'600);
  EXPECT_EQ(berlin.OffsetAtLocal(twice, 7'200), 7'200);
  EXPECT_EQ(berlin.OffsetAtLocal(twice, 0), 7'200);
  EXPECT_EQ(berlin.OffsetAtLocal(skipped, std::nullopt), 3'600);
  EXPECT_EQ(berlin.OffsetAtLocal(skipped, 7'200), 3'600);
  EXPECT_EQ(Zone().OffsetAtLocal(twice, 3'600), 0);
}

TEST(ZoneTest, OffsetsAreBounded) {
  EXPECT_EQ(TextOf(Zone::FromOffset(64'800)), "+18:00");
  EXPECT_EQ(TextOf(Zone::FromOffset(64'801)), kInvalidValue);
  EXPECT_EQ(TextOf(Zone::FromOffset(-64'801)), kInvalidValue);
}

TEST(ZoneTest, AnOffsetEqualsNoName) {
  EXPECT_NE(Zone(), *Zone::Parse("UTC"));
  EXPECT_EQ(*Zone::Parse("+01:00"), *Zone::Parse("+0100"));
  EXPECT_EQ(*Zone::Parse("ASIA/TOKYO"), *Zone::Parse("Asia/Tokyo"));
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
