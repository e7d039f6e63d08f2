#include "executors/cypher/values/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace toolgate::executors::cypher::values {
namespace {

TEST(JsonTest, KeepsTypes) {
  const Value value = FromJson(*ParseJson(R"({"i": 1, "f": 1.0, "s": "x", "b": true, "n": null, "l": [1, {"k": 2}]})"));
  EXPECT_TRUE(value.map().at("i").is_integer());
  EXPECT_TRUE(value.map().at("f").is_float());
  EXPECT_EQ(value.map().at("s").string(), "x");
  EXPECT_TRUE(value.map().at("b").boolean());
  EXPECT_TRUE(value.map().at("n").is_null());
  EXPECT_EQ(value.map().at("l").list()[1].map().at("k").integer(), 2);
}

TEST(JsonTest, IntegersBeyond64BitsBecomeFloats) {
  EXPECT_EQ(FromJson(*ParseJson("9223372036854775807")).integer(), 9223372036854775807);
  EXPECT_EQ(FromJson(*ParseJson("9223372036854775808")).floating(), 0x1p63);
}

TEST(JsonTest, FloatsWithoutANumberAreText) {
  EXPECT_EQ(DumpJson(FloatJson(1)), "1.0");
  EXPECT_EQ(DumpJson(FloatJson(std::nan(""))), "\"NaN\"");
  EXPECT_EQ(DumpJson(FloatJson(-INFINITY)), "\"-Infinity\"");
}

}  // namespace
}  // namespace toolgate::executors::cypher::values
