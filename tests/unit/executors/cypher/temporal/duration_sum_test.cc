#include "executors/cypher/temporal/duration_sum.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kOutOfRange;
using ::toolgate::testing::TextOf;

constexpr Decimal kHalf{0, Decimal::kOne / 2};
constexpr Decimal kMost{std::numeric_limits<int64_t>::max(), 0};

TEST(DurationSumTest, AddsPartsOfAllSizes) {
  DurationSum sum;
  sum.AddMonths(Decimal{1, 0}, 12);
  sum.AddMonths(Decimal{1, 0}, 3);
  sum.AddDays(kHalf, 7);
  sum.AddSeconds(kHalf, 60);
  sum.AddFractionsOfSecond(Decimal{1'500, 0}, 1'000);
  EXPECT_EQ(TextOf(sum.Build()), "P1Y3M3DT12H31.5S");
}

TEST(DurationSumTest, LosesNothingBelowANanosecondUntilTheEnd) {
  DurationSum sum;
  for (int i = 0; i < 2; ++i) sum.AddFractionsOfSecond(kHalf, 1'000'000'000);
  EXPECT_EQ(TextOf(sum.Build()), "PT0.000000001S");
  sum.AddFractionsOfSecond(kHalf, 1'000'000'000);
  EXPECT_EQ(TextOf(sum.Build()), "PT0.000000001S");
}

TEST(DurationSumTest, RemembersThatAPartExceeded64Bits) {
  DurationSum years, days, seconds, carried;
  years.AddMonths(kMost, 12);
  years.AddMonths(kMost.Negated(), 12);
  EXPECT_EQ(TextOf(years.Build()), kOutOfRange);
  days.AddDays(kMost, 1);
  days.AddDays(kHalf, 2);
  EXPECT_EQ(TextOf(days.Build()), kOutOfRange);
  seconds.AddSeconds(kMost, 3'600);
  EXPECT_EQ(TextOf(seconds.Build()), kOutOfRange);
  carried.AddDays(kMost, 1);
  carried.AddMonths(kHalf, 1);
  EXPECT_EQ(TextOf(carried.Build()), kOutOfRange);
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
