#include "executors/cypher/temporal/decimal.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/support/temporal_text.h"

namespace toolgate::executors::cypher::temporal {
namespace {

using ::toolgate::testing::kInvalidValue;
using ::toolgate::testing::kOutOfRange;

TEST(DecimalTest, TakesADoubleAsItIsWritten) {
  const struct {
    double number;
    Decimal decimal;
  } kRows[] = {
      {0.0, {0, 0}},
      {0.1, {0, Decimal::kOne / 10}},
      {-0.1, {0, -Decimal::kOne / 10}},
      {2.5, {2, Decimal::kOne / 2}},
      {-7.25, {-7, -Decimal::kOne / 4}},
      {1e18, {1'000'000'000'000'000'000, 0}},
      {1e-18, {0, 1}},
      {1e-19, {0, 0}},
      {std::numeric_limits<double>::denorm_min(), {0, 0}},
  };
  for (const auto& row : kRows) EXPECT_EQ(*Decimal::FromDouble(row.number), row.decimal) << row.number;
}

TEST(DecimalTest, RefusesWhatExceeds64Bits) {
  for (const double number : {1e19, -1e19, 9'223'372'036'854'775'808.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::max()}) {
    EXPECT_EQ(DetailOf(Decimal::FromDouble(number).status()), kOutOfRange) << number;
  }
  EXPECT_EQ(DetailOf(Decimal::Parse("9223372036854775808").status()), kOutOfRange);
  EXPECT_EQ(DetailOf(Decimal::Parse("-9223372036854775808").status()), kOutOfRange);
}

TEST(DecimalTest, ReadsSignPointAndComma) {
  EXPECT_EQ(*Decimal::Parse("+1.5"), (Decimal{1, Decimal::kOne / 2}));
  EXPECT_EQ(*Decimal::Parse("-1,5"), (Decimal{-1, -Decimal::kOne / 2}));
  EXPECT_EQ(*Decimal::Parse("-0.5"), (Decimal{0, -Decimal::kOne / 2}));
  EXPECT_EQ(*Decimal::Parse("0.1234567890123456789"), (Decimal{0, 123'456'789'012'345'678}));
  for (const char* text : {"", "-", ".5", "1.", "1.5.5", "1 ", " 1", "1e3", "--1", "x"}) {
    EXPECT_EQ(DetailOf(Decimal::Parse(text).status()), kInvalidValue) << text;
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::temporal
