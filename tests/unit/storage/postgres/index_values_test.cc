#include "storage/postgres/index_values.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::storage::postgres {
namespace {

TEST(IndexValuesTest, BytesCompareAsValuesDo) {
  constexpr int64_t kBig = int64_t{1} << 53;
  const std::vector<IndexValue> ascending = {
      -std::numeric_limits<double>::infinity(),
      -1e300,
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::min() + 1,
      -static_cast<double>(kBig),
      -kBig + 1,
      -1.5,
      int64_t{-1},
      -0.5,
      int64_t{0},
      5e-324,
      0.5,
      int64_t{1},
      1.5,
      int64_t{2},
      kBig,
      kBig + 1,
      static_cast<double>(kBig) + 2,
      kBig + 3,
      std::numeric_limits<int64_t>::max() - 1,
      std::numeric_limits<int64_t>::max(),
      9223372036854775808.0,
      1e300,
      std::string(),
      std::string("\0", 1),
      std::string("A"),
      std::string("a"),
      std::string("ab"),
      std::string("b"),
      std::string("\xff"),
  };
  for (size_t i = 0; i + 1 < ascending.size(); ++i) {
    EXPECT_LT(IndexBytes(ascending[i]), IndexBytes(ascending[i + 1])) << i;
  }
}

TEST(IndexValuesTest, EqualNumbersHaveEqualBytes) {
  EXPECT_EQ(IndexBytes(int64_t{7}), IndexBytes(7.0));
  EXPECT_EQ(IndexBytes(0.0), IndexBytes(-0.0));
  EXPECT_EQ(IndexBytes(int64_t{1} << 60), IndexBytes(std::ldexp(1.0, 60)));
}

TEST(IndexValuesTest, ARangeOfOneKindHasNoValuesOfTheOther) {
  const ByteRange numbers = BytesOf({.low = int64_t{5}, .high = std::nullopt});
  EXPECT_GT(numbers.high, IndexBytes(1e308));
  EXPECT_LE(numbers.high, IndexBytes(std::string()));
  EXPECT_TRUE(numbers.without_high);
  const ByteRange strings = BytesOf({.low = std::nullopt, .high = std::string("m")});
  EXPECT_GT(strings.low, IndexBytes(1e308));
  EXPECT_LE(strings.low, IndexBytes(std::string()));
  EXPECT_FALSE(strings.without_high);
}

TEST(IndexValuesTest, NamesOfScopeAndFieldAreNotRunTogether) {
  EXPECT_NE(FieldNumber("ab", "c"), FieldNumber("a", "bc"));
  EXPECT_EQ(FieldNumber("ab", "c"), FieldNumber("ab", "c"));
}

}  // namespace
}  // namespace toolgate::storage::postgres
