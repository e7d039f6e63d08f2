#include "executors/cypher/functions/arithmetic.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher::functions {
namespace {

using values::List;
using values::Map;
using values::Value;

std::string KindOf(const absl::StatusOr<Value>& result) {
  return result.ok() ? "" : syntax::GetCypherError(result.status())->kind;
}

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(ArithmeticTest, IntegersOverflowWithAnError) {
  EXPECT_EQ(KindOf(Add(Value(kMax), Value(1))), "ArithmeticError");
  EXPECT_EQ(KindOf(Subtract(Value(kMin), Value(1))), "ArithmeticError");
  EXPECT_EQ(KindOf(Multiply(Value(kMax), Value(2))), "ArithmeticError");
  EXPECT_EQ(KindOf(Divide(Value(kMin), Value(-1))), "ArithmeticError");
  EXPECT_EQ(KindOf(Negate(Value(kMin))), "ArithmeticError");
  EXPECT_EQ(Modulo(Value(kMin), Value(-1))->integer(), 0);
}

TEST(ArithmeticTest, IntegersAreNotDividedByZero) {
  EXPECT_EQ(KindOf(Divide(Value(1), Value(0))), "ArithmeticError");
  EXPECT_EQ(KindOf(Modulo(Value(1), Value(0))), "ArithmeticError");
  EXPECT_EQ(Divide(Value(1.0), Value(0))->floating(), std::numeric_limits<double>::infinity());
}

TEST(ArithmeticTest, NullMakesNull) {
  for (const auto& operation : {Add, Subtract, Multiply, Divide, Modulo, Power}) {
    EXPECT_TRUE(operation(Value(), Value(1))->is_null());
    EXPECT_TRUE(operation(Value(List{}), Value())->is_null());
  }
}

TEST(ArithmeticTest, UndefinedOperandsAreTypeErrors) {
  const Value map(Map{});
  for (const auto& operation : {Add, Subtract, Multiply, Divide, Modulo, Power}) {
    EXPECT_EQ(KindOf(operation(map, Value(1))), "TypeError");
    EXPECT_EQ(KindOf(operation(Value(true), map)), "TypeError");
  }
}

TEST(ArithmeticTest, SubscriptsAndSlicesAgree) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    List list;
    for (size_t n = random() % 5; n > 0; --n) list.emplace_back(static_cast<int64_t>(random() % 9));
    const Value value(list);
    const Value from(static_cast<int64_t>(random() % 13) - 6);
    const Value to(static_cast<int64_t>(random() % 13) - 6);
    const Value slice = *Slice(value, &from, &to);
    const auto size = static_cast<int64_t>(list.size());
    const int64_t begin = from.integer() < 0 ? from.integer() + size : from.integer();
    const int64_t end = to.integer() < 0 ? to.integer() + size : to.integer();
    int64_t expected = 0;
    for (int64_t i = 0; i < size; ++i) expected += i >= begin && i < end;
    EXPECT_EQ(static_cast<int64_t>(slice.list().size()), expected);
    EXPECT_EQ(Subscript(value, from)->is_null(), begin < 0 || begin >= size);
  }
}

TEST(ArithmeticTest, MembershipFollowsEquality) {
  const Value list(List{Value(1), Value(), Value(List{Value(2)})});
  EXPECT_TRUE(In(Value(1.0), list)->boolean());
  EXPECT_TRUE(In(Value(List{Value(2)}), list)->boolean());
  EXPECT_TRUE(In(Value(3), list)->is_null());
  EXPECT_FALSE(In(Value(), Value(List{}))->boolean());
  EXPECT_EQ(KindOf(In(Value(1), Value(1))), "TypeError");
}

}  // namespace
}  // namespace toolgate::executors::cypher::functions
