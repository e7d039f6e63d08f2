#include "executors/cypher/temporal/duration.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TemporalOf;
using ::toolgate::testing::TextOf;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Duration DurationOf(const std::string& text) { return std::get<Duration>(TemporalOf("duration " + text)); }

TEST(DurationTest, WritesEachPartWithItsSign) {
  const struct {
    int64_t months, days, seconds, nanos;
    const char* text;
  } kRows[] = {
      {0, 0, 0, 0, "PT0S"},
      {14, 3, 3'661, 0, "P1Y2M3DT1H1M1S"},
      {12, 0, 0, 0, "P1Y"},
      {-14, 3, 0, 0, "P-1Y-2M3D"},
      {0, -3, 60, 0, "P-3DT1M"},
      {0, 0, 90'000, 0, "PT25H"},
      {0, 0, 0, 1, "PT0.000000001S"},
      {0, 0, 0, -1, "PT-0.000000001S"},
      {0, 0, 0, 250'000'000, "PT0.25S"},
      {0, 0, -1, 900'000'000, "PT-0.1S"},
      {0, 0, -1, 0, "PT-1S"},
      {0, 0, -2, 500'000'000, "PT-1.5S"},
      {0, 0, -60, 0, "PT-1M"},
      {0, 0, -61, 700'000'000, "PT-1M-0.3S"},
      {0, 0, -3'661, 0, "PT-1H-1M-1S"},
      {0, 0, -3'600, 1'000'000, "PT-59M-59.999S"},
      {0, 1, -1, 999'000'000, "P1DT-0.001S"},
      {0, 0, 1, 3'000'000'000, "PT4S"},
      {0, 0, 1, -2'500'000'000, "PT-1.5S"},
      {kMax, kMax, kMax, 0, "P768614336404564650Y7M9223372036854775807DT2562047788015215H30M7S"},
      {kMin, kMin, kMin, 0, "P-768614336404564650Y-8M-9223372036854775808DT-2562047788015215H-30M-8S"},
      {0, 0, kMax, 1'000'000'000, kOutOfRange},
      {0, 0, kMin, -1, kOutOfRange},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TextOf(Duration::Create(row.months, row.days, row.seconds, row.nanos)), row.text);
  }
}

TEST(DurationTest, HoldsNanosecondsThatAddToTheSeconds) {
  const Duration duration = *Duration::Create(0, 0, 0, -400'000'000);
  EXPECT_EQ(duration.seconds(), -1);
  EXPECT_EQ(duration.nanos(), 600'000'000);
}

TEST(DurationTest, AddsAndSubtractsPartByPart) {
  const struct {
    const char *a, *b, *sum, *difference;
  } kRows[] = {
      {"P1Y", "P3M", "P1Y3M", "P9M"},
      {"P1M", "P45D", "P1M45D", "P1M-45D"},
      {"PT50M", "PT20M", "PT1H10M", "PT30M"},
      {"P1D", "PT30H", "P1DT30H", "P1DT-30H"},
      {"PT0.7S", "PT0.9S", "PT1.6S", "PT-0.2S"},
      {"PT-0.7S", "PT0.9S", "PT0.2S", "PT-1.6S"},
      {"P2Y3DT4.5S", "P2Y3DT4.5S", "P4Y6DT9S", "PT0S"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(TextOf(DurationOf(row.a).Plus(DurationOf(row.b))), row.sum) << row.a << " " << row.b;
    EXPECT_EQ(TextOf(DurationOf(row.a).Minus(DurationOf(row.b))), row.difference) << row.a << " " << row.b;
  }
}

TEST(DurationTest, RefusesSumsThatExceed64Bits) {
  const Duration months = *Duration::Create(kMax, 0, 0, 0), days = *Duration::Create(0, kMin, 0, 0);
  const Duration seconds = *Duration::Create(0, 0, kMax, 999'999'999);
  EXPECT_EQ(TextOf(months.Plus(*Duration::Create(1, 0, 0, 0))), kOutOfRange);
  EXPECT_EQ(TextOf(days.Minus(*Duration::Create(0, 1, 0, 0))), kOutOfRange);
  EXPECT_EQ(TextOf(seconds.Plus(*Duration::Create(0, 0, 0, 1))), kOutOfRange);
  EXPECT_EQ(TextOf(days.Negated()), kOutOfRange);
  EXPECT_EQ(TextOf(seconds.Times(int64_t{2})), kOutOfRange);
  EXPECT_EQ(TextOf(months.Times(1.5)), kOutOfRange);
  EXPECT_EQ(TextOf(DurationOf("PT1S").DividedBy(1e-30)), kInvalidValue);
  EXPECT_EQ(TextOf(months.DividedBy(0.5)), kOutOfRange);
}

TEST(DurationTest, IsMultipliedByIntegers) {
  EXPECT_EQ(TextOf(DurationOf("P1M2DT3H4.5S").Times(int64_t{3})), "P3M6DT9H13.5S");
  EXPECT_EQ(TextOf(DurationOf("P1M2DT3H4.5S").Times(int64_t{-1})), "P-1M-2DT-3H-4.5S");
  EXPECT_EQ(TextOf(DurationOf("P1M2DT3H4.5S").Times(int64_t{0})), "PT0S");
  EXPECT_EQ(TextOf(DurationOf("PT0.000000001S").Times(kMax)), "PT2562047H47M16.854775807S");
}

TEST(DurationTest, CarriesFractionsIntoSmallerUnits) {
  const struct {
    const char* duration;
    double factor;
    const char* product;
  } kRows[] = {
      {"P1Y", 0.5, "P6M"},
      {"P1M", 0.5, "P15DT5H14M33S"},  // Half of 30.436875 days.
      {"P1M", 0.1, "P3DT1H2M54.6S"},  // 262974.6 seconds.
      {"P1D", 0.1, "PT2H24M"},
      {"P1D", 1.25, "P1DT6H"},
      {"PT1S", 0.3, "PT0.3S"},
      {"PT0.000000001S", 0.5, "PT0S"},
      {"PT0.000000003S", 0.5, "PT0.000000001S"},
      {"P-1M", 0.5, "P-15DT-5H-14M-33S"},
      {"P1M-10D", 0.5, "P10DT5H14M33S"},
      {"P1M-40D", 0.5, "P-4DT-18H-45M-27S"},  // 15.2184375 - 20 days.
      {"P1Y", -0.25, "P-3M"},
      {"PT1H", 1e-9, "PT0.0000036S"},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(TextOf(DurationOf(row.duration).Times(row.factor)), row.product) << row.duration;
}

TEST(DurationTest, IsDivided) {
  EXPECT_EQ(TextOf(DurationOf("P1Y").DividedBy(int64_t{8})), "P1M15DT5H14M33S");
  EXPECT_EQ(TextOf(DurationOf("P7D").DividedBy(int64_t{2})), "P3DT12H");
  EXPECT_EQ(TextOf(DurationOf("PT1S").DividedBy(int64_t{3})), "PT0.333333333S");
  EXPECT_EQ(TextOf(DurationOf("PT-1S").DividedBy(int64_t{3})), "PT-0.333333333S");
  EXPECT_EQ(TextOf(DurationOf("PT1S").DividedBy(int64_t{-4})), "PT-0.25S");
  EXPECT_EQ(TextOf(DurationOf("PT1S").DividedBy(0.1)), "PT10S");
  EXPECT_EQ(TextOf(DurationOf("P3M").DividedBy(1.5)), "P2M");
  EXPECT_EQ(TextOf(DurationOf("P3M").DividedBy(-1.5)), "P-2M");
}

TEST(DurationTest, IsDividedByNoZeroAndScaledByNothingInfinite) {
  const Duration day = DurationOf("P1D");
  EXPECT_EQ(TextOf(day.DividedBy(int64_t{0})), kInvalidValue);
  EXPECT_EQ(TextOf(day.DividedBy(0.0)), kInvalidValue);
  EXPECT_EQ(TextOf(day.DividedBy(kMin)), kInvalidValue);
  EXPECT_EQ(TextOf(day.DividedBy(std::numeric_limits<double>::quiet_NaN())), kInvalidValue);
  EXPECT_EQ(TextOf(day.Times(std::numeric_limits<double>::infinity())), kInvalidValue);
  EXPECT_EQ(TextOf(day.Times(1e300)), kInvalidValue);
}

TEST(DurationTest, EqualsOnlyTheSameParts) {
  EXPECT_EQ(DurationOf("PT60M"), DurationOf("PT1H"));
  EXPECT_EQ(DurationOf("P12M"), DurationOf("P1Y"));
  EXPECT_NE(DurationOf("P1D"), DurationOf("PT24H"));
  EXPECT_NE(DurationOf("P1M"), DurationOf("P30D"));
}

TEST(DurationTest, IsSortedByAverageLength) {
  const char* const kAscending[] = {"P-1Y", "PT-1S", "PT0S", "PT0.1S", "PT24H", "P1D", "P30D", "P1M", "P31D", "P1Y"};
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      EXPECT_EQ(DurationOf(kAscending[i]) < DurationOf(kAscending[j]), i < j) << kAscending[i] << " " << kAscending[j];
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
