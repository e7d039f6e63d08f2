#include "executors/cypher/values/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "executors/cypher/temporal/construct.h"
#include "executors/cypher/temporal/parse.h"

namespace toolgate::executors::cypher::values {
namespace {

Value TemporalOf(temporal::Kind kind, std::string_view text) { return Value(*temporal::Parse(kind, text)); }

// One value or more of each type, in the order of ORDER BY.
std::vector<Value> Ascending() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {Value(Map{{"a", Value(1)}}),
          Value(Map{{"a", Value(2)}}),
          Value(Map{{"b", Value(0)}}),
          Value(Node{1}),
          Value(Node{2}),
          Value(Relationship{1, 1, 2}),
          Value(List{}),
          Value(List{Value("a")}),
          Value(List{Value(1)}),
          Value(List{Value(1), Value()}),
          Value(Path{.nodes = {{1}}, .relationships = {}}),
          TemporalOf(temporal::Kind::kDateTime, "2024-01-01T00:00Z"),
          TemporalOf(temporal::Kind::kLocalDateTime, "2024-01-01T00:00"),
          TemporalOf(temporal::Kind::kDate, "2023-01-01"),
          TemporalOf(temporal::Kind::kDate, "2024-01-01"),
          TemporalOf(temporal::Kind::kTime, "10:00Z"),
          TemporalOf(temporal::Kind::kLocalTime, "10:00"),
          TemporalOf(temporal::Kind::kDuration, "PT1H"),
          Value(""),
          Value("a"),
          Value(false),
          Value(true),
          Value(-std::numeric_limits<double>::infinity()),
          Value(std::numeric_limits<int64_t>::min()),
          Value(0),
          Value(0.5),
          Value(1),
          Value(int64_t{9007199254740992}),
          Value(int64_t{9007199254740993}),
          Value(std::numeric_limits<double>::infinity()),
          Value(nan),
          Value()};
}

TEST(ComparisonTest, OrderIsTotalAcrossTypes) {
  const std::vector<Value> values = Ascending();
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) EXPECT_EQ(Order(values[i], values[j]), i <=> j) << i << ", " << j;
  }
}

TEST(ComparisonTest, EquivalentValuesHashAlike) {
  const std::vector<std::pair<Value, Value>> pairs = {{Value(1), Value(1.0)},
                                                      {Value(0.0), Value(-0.0)},
                                                      {Value(std::nan("1")), Value(std::nan("2"))},
                                                      {Value(List{Value(1)}), Value(List{Value(1.0)})},
                                                      {Value(Map{{"a", Value()}}), Value(Map{{"a", Value()}})},
                                                      {Value(), Value()}};
  for (const auto& [a, b] : pairs) {
    EXPECT_TRUE(Equivalent(a, b));
    EXPECT_EQ(Hash(a), Hash(b));
  }
}

TEST(ComparisonTest, HashTellsTypesApart) {
  EXPECT_NE(Hash(Value("1")), Hash(Value(1)));
  EXPECT_NE(Hash(Value(Node{1})), Hash(Value(Relationship{1, 0, 0})));
}

TEST(ComparisonTest, EqualityFollowsThreeValuedLogic) {
  EXPECT_EQ(Equal(Value(), Value()), Ternary());
  EXPECT_EQ(Equal(Value(1), Value(1.0)), Ternary(true));
  EXPECT_EQ(Equal(Value(1), Value("1")), Ternary(false));
  EXPECT_EQ(Equal(Value(List{Value(1), Value()}), Value(List{Value(2), Value(3)})), Ternary(false));
  EXPECT_EQ(Equal(Value(List{Value(1), Value()}), Value(List{Value(1), Value(3)})), Ternary());
  EXPECT_EQ(Equal(Value(std::nan("")), Value(std::nan(""))), Ternary(false));
}

TEST(ComparisonTest, IntegersAndFloatsCompareExactly) {
  const auto compare = [](int64_t a, double b) { return *Compare(Value(a), Value(b)); };
  EXPECT_TRUE(std::is_gt(compare(9007199254740993, 9007199254740992.0)));
  EXPECT_TRUE(std::is_lt(compare(std::numeric_limits<int64_t>::max(), 0x1p63)));
  EXPECT_TRUE(std::is_eq(compare(std::numeric_limits<int64_t>::min(), -0x1p63)));
  EXPECT_TRUE(std::is_gt(compare(-1, -1.5)));
  EXPECT_TRUE(std::is_lt(compare(1, 1.5)));
}

TEST(ComparisonTest, ComparisonAcrossTypesIsUnknown) {
  EXPECT_FALSE(Compare(Value(1), Value("a")).has_value());
  EXPECT_FALSE(Compare(Value(), Value(1)).has_value());
  EXPECT_FALSE(Compare(Value(Map{}), Value(Map{})).has_value());
  EXPECT_EQ(Compare(Value(std::nan("")), Value(1)), std::partial_ordering::unordered);
}

Value RandomValue(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 5)) {
    case 0:
      return Value();
    case 1:
      return Value(random() % 2 == 0);
    case 2:
      return Value(static_cast<int64_t>(random() % 5));
    case 3:
      return Value(static_cast<double>(random() % 10) / 2);
    case 4:
      return Value(std::string(random() % 3, 'a'));
    case 5: {
      List list;
      for (size_t n = random() % 3; n > 0; --n) list.push_back(RandomValue(random, depth - 1));
      return Value(std::move(list));
    }
    default: {
      Map map;
      for (size_t n = random() % 3; n > 0; --n) map.emplace(std::string(n, 'k'), RandomValue(random, depth - 1));
      return Value(std::move(map));
    }
  }
}

TEST(ComparisonTest, OrderAndHashAgreeOnRandomValues) {
  std::mt19937 random(7);
  std::vector<Value> values;
  for (int i = 0; i < 120; ++i) values.push_back(RandomValue(random, 2));
  for (const Value& a : values) {
    for (const Value& b : values) {
      EXPECT_EQ(std::is_lt(Order(a, b)), std::is_gt(Order(b, a)));
      if (Equivalent(a, b)) {
        EXPECT_EQ(Hash(a), Hash(b));
      }
      if (Equal(a, b) == true) {
        EXPECT_TRUE(Equivalent(a, b));
      }
      for (const Value& c : values) {
        if (std::is_lteq(Order(a, b)) && std::is_lteq(Order(b, c))) {
          EXPECT_TRUE(std::is_lteq(Order(a, c)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::cypher::values
