#include "executors/cypher/temporal/temporal.h"

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::TemporalOf;

TEST(TemporalTest, KindsHaveFunctions) {
  for (const Kind kind :
       {Kind::kDate, Kind::kLocalTime, Kind::kTime, Kind::kLocalDateTime, Kind::kDateTime, Kind::kDuration}) {
    EXPECT_EQ(KindOfFunction(FunctionName(kind)), kind);
  }
  EXPECT_EQ(FunctionName(Kind::kLocalDateTime), "localdatetime");
  EXPECT_EQ(KindOfFunction("timestamp"), std::nullopt);
  EXPECT_EQ(KindOf(TemporalOf("time 12:00")), Kind::kTime);
  EXPECT_EQ(KindOf(TemporalOf("duration P1D")), Kind::kDuration);
}

TEST(TemporalTest, ComparesWithinAKind) {
  const struct {
    const char *less, *greater;
  } kRows[] = {
      {"date 1999-12-31", "date 2000-01-01"},
      {"localtime 09:59:59.9", "localtime 10:00"},
      {"time 10:00+02:00", "time 09:00+00:30"},
      {"localdatetime 1999-12-31T23:59", "localdatetime 2000-01-01T00:00"},
      {"datetime 2000-01-01T00:00+02:00", "datetime 1999-12-31T23:00Z"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Compare(TemporalOf(row.less), TemporalOf(row.greater)), std::strong_ordering::less) << row.less;
    EXPECT_EQ(Compare(TemporalOf(row.greater), TemporalOf(row.less)), std::strong_ordering::greater) << row.less;
    EXPECT_EQ(Compare(TemporalOf(row.less), TemporalOf(row.less)), std::strong_ordering::equal) << row.less;
  }
}

TEST(TemporalTest, ComparesNeitherDurationsNorDifferentKinds) {
  EXPECT_EQ(Compare(TemporalOf("duration P1D"), TemporalOf("duration P2D")), std::nullopt);
  EXPECT_EQ(Compare(TemporalOf("duration P1D"), TemporalOf("duration P1D")), std::nullopt);
  EXPECT_EQ(Compare(TemporalOf("date 2000-01-01"), TemporalOf("localdatetime 2000-01-01T00:00")), std::nullopt);
}

TEST(TemporalTest, EqualsNoOtherKind) {
  EXPECT_NE(TemporalOf("date 2000-01-01"), TemporalOf("localdatetime 2000-01-01T00:00"));
  EXPECT_NE(TemporalOf("localtime 12:00"), TemporalOf("time 12:00Z"));
  EXPECT_EQ(TemporalOf("date 2000-01-01"), TemporalOf("date 1999-W52-6"));
}

TEST(TemporalTest, SortsDurationsAndKinds) {
  EXPECT_EQ(Order(TemporalOf("duration P1D"), TemporalOf("duration P1M")), std::strong_ordering::less);
  EXPECT_EQ(Order(TemporalOf("date 2000-01-01"), TemporalOf("localtime 00:00")), std::strong_ordering::less);
  EXPECT_EQ(Order(TemporalOf("duration PT0S"), TemporalOf("date 2000-01-01")), std::strong_ordering::greater);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
