#include "common/text/hex_digit.h"

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(HexDigitTest, HasAValueForDigitsOfEitherCaseAlone) {
  EXPECT_EQ(HexDigit('0'), 0);
  EXPECT_EQ(HexDigit('9'), 9);
  EXPECT_EQ(HexDigit('a'), 10);
  EXPECT_EQ(HexDigit('F'), 15);
  for (const char c : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xC3'}) EXPECT_EQ(HexDigit(c), -1) << c;
}

}  // namespace
}  // namespace toolgate::text
