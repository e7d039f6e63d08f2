#include "executors/cypher/functions/aggregates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher::functions {
namespace {

using syntax::FunctionId;
using values::List;
using values::Value;

Value Of(FunctionId function, const std::vector<Value>& values, bool distinct = false) {
  const std::unique_ptr<Aggregate> aggregate = MakeAggregate(function, distinct);
  for (const Value& value : values) EXPECT_TRUE(aggregate->Add(value).ok());
  return *aggregate->Result();
}

TEST(AggregatesTest, NullsDoNotCount) {
  const std::vector<Value> values = {Value(), Value(2), Value(), Value(4)};
  EXPECT_EQ(Of(FunctionId::kCount, values).integer(), 2);
  EXPECT_EQ(Of(FunctionId::kSum, values).integer(), 6);
  EXPECT_EQ(Of(FunctionId::kAvg, values).floating(), 3.0);
  EXPECT_EQ(Of(FunctionId::kMin, values).integer(), 2);
  EXPECT_EQ(Of(FunctionId::kMax, values).integer(), 4);
  EXPECT_EQ(Of(FunctionId::kCollect, values).list().size(), 2u);
}

TEST(AggregatesTest, CountStarCountsRows) {
  const std::unique_ptr<Aggregate> aggregate = MakeCountStar();
  EXPECT_TRUE(aggregate->Add(Value()).ok());
  EXPECT_TRUE(aggregate->Add(Value(1)).ok());
  EXPECT_EQ(aggregate->Result()->integer(), 2);
}

TEST(AggregatesTest, NoRowsHaveAResult) {
  EXPECT_EQ(Of(FunctionId::kCount, {}).integer(), 0);
  EXPECT_EQ(Of(FunctionId::kSum, {}).integer(), 0);
  EXPECT_TRUE(Of(FunctionId::kAvg, {}).is_null());
  EXPECT_TRUE(Of(FunctionId::kMin, {}).is_null());
  EXPECT_TRUE(Of(FunctionId::kPercentileCont, {}).is_null());
  EXPECT_EQ(Of(FunctionId::kStDev, {}).floating(), 0.0);
  EXPECT_TRUE(Of(FunctionId::kCollect, {}).list().empty());
}

TEST(AggregatesTest, DistinctCountsEquivalentValuesOnce) {
  const std::vector<Value> values = {Value(1), Value(1.0), Value(2), Value(2)};
  EXPECT_EQ(Of(FunctionId::kCount, values, true).integer(), 2);
  EXPECT_EQ(Of(FunctionId::kSum, values, true).integer(), 3);
}

TEST(AggregatesTest, PercentilesAgreeWithTheirDefinition) {
  std::mt19937 random(3);
  for (int size = 1; size < 20; ++size) {
    std::vector<Value> values;
    std::vector<double> sorted;
    for (int i = 0; i < size; ++i) {
      sorted.push_back(static_cast<double>(random() % 100));
      values.emplace_back(sorted.back());
    }
    std::sort(sorted.begin(), sorted.end());
    for (const double fraction : {0.0, 0.1, 0.5, 0.9, 1.0}) {
      for (const FunctionId function : {FunctionId::kPercentileCont, FunctionId::kPercentileDisc}) {
        const std::unique_ptr<Aggregate> aggregate = MakeAggregate(function, false);
        ASSERT_TRUE(aggregate->SetParameter(Value(fraction)).ok());
        for (const Value& value : values) ASSERT_TRUE(aggregate->Add(value).ok());
        const double result = aggregate->Result()->number();
        // As many values as the fraction demands are not greater.
        const auto below = std::upper_bound(sorted.begin(), sorted.end(), result) - sorted.begin();
        EXPECT_GE(below, std::floor(fraction * (size - 1)));
        EXPECT_GE(result, sorted.front());
        EXPECT_LE(result, sorted.back());
      }
    }
  }
}

TEST(AggregatesTest, APercentileBeyondItsRangeIsRefused) {
  for (const double fraction : {-0.1, 1.1, std::nan("")}) {
    const absl::Status status = MakeAggregate(FunctionId::kPercentileDisc, false)->SetParameter(Value(fraction));
    EXPECT_EQ(syntax::GetCypherError(status)->detail, "NumberOutOfRange");
  }
}

TEST(AggregatesTest, TextsHaveNoSum) {
  EXPECT_EQ(syntax::GetCypherError(MakeAggregate(FunctionId::kSum, false)->Add(Value("x")))->kind, "TypeError");
}

TEST(AggregatesTest, TellsWhatItKeeps) {
  EXPECT_EQ(MakeAggregate(FunctionId::kSum, false)->KeptBytes(Value(1)), 0u);
  EXPECT_GT(MakeAggregate(FunctionId::kCollect, false)->KeptBytes(Value(std::string(500, 'x'))), 500u);
  const std::unique_ptr<Aggregate> distinct = MakeAggregate(FunctionId::kCount, true);
  EXPECT_GT(distinct->KeptBytes(Value(1)), 0u);
  ASSERT_TRUE(distinct->Add(Value(1)).ok());
  EXPECT_EQ(distinct->KeptBytes(Value(1)), 0u);
}

}  // namespace
}  // namespace toolgate::executors::cypher::functions
