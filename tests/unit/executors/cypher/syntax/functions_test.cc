#include "executors/cypher/syntax/functions.h"

#include <gtest/gtest.h>

#include <set>

namespace toolgate::executors::cypher::syntax {
namespace {

TEST(FunctionsTest, AreFoundInAnyCase) {
  ASSERT_NE(FindFunction("TOLOWER"), nullptr);
  EXPECT_EQ(FindFunction("TOLOWER")->name, "toLower");
  ASSERT_NE(FindFunction("Date.Truncate"), nullptr);
  EXPECT_EQ(FindFunction("Date.Truncate")->id, FunctionId::kDateTruncate);
  EXPECT_EQ(FindFunction("nothing"), nullptr);
  EXPECT_EQ(FindFunction(""), nullptr);
}

TEST(FunctionsTest, EachIdHasExactlyOneRow) {
  std::set<FunctionId> ids;
  for (const Function& function : Functions()) EXPECT_TRUE(ids.insert(function.id).second) << function.name;
  EXPECT_EQ(ids.size(), static_cast<size_t>(FunctionId::kTimestamp) + 1);
}

TEST(FunctionsTest, AggregatesAreMarked) {
  std::set<std::string_view> aggregates;
  for (const Function& function : Functions()) {
    if (function.aggregate) aggregates.insert(function.name);
  }
  EXPECT_EQ(aggregates, (std::set<std::string_view>{"avg", "collect", "count", "max", "min", "percentileCont",
                                                    "percentileDisc", "stDev", "stDevP", "sum"}));
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
