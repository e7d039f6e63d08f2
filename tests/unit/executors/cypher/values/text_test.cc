#include "executors/cypher/values/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace toolgate::executors::cypher::values {
namespace {

TEST(TextTest, FloatsKeepAPointOrAnExponent) {
  EXPECT_EQ(FloatText(1), "1.0");
  EXPECT_EQ(FloatText(-0.0), "-0.0");
  EXPECT_EQ(FloatText(0.1), "0.1");
  EXPECT_EQ(FloatText(1234567.5), "1234567.5");
  EXPECT_EQ(FloatText(1e7), "1.0E7");
  EXPECT_EQ(FloatText(1.5e300), "1.5E300");
  EXPECT_EQ(FloatText(0.00015), "1.5E-4");
  EXPECT_EQ(FloatText(std::numeric_limits<double>::infinity()), "Infinity");
  EXPECT_EQ(FloatText(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(FloatText(std::nan("")), "NaN");
}

TEST(TextTest, FloatsReadBackExactly) {
  for (const double number : {0.1, 1.0 / 3, 1e22, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(std::strtod(FloatText(number).c_str(), nullptr), number);
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::values
