#include "executors/cypher/values/value.h"

#include <gtest/gtest.h>

namespace toolgate::executors::cypher::values {
namespace {

TEST(ValueTest, KnowsItsType) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(true).is_boolean());
  EXPECT_TRUE(Value(1).is_integer());
  EXPECT_TRUE(Value(1.5).is_float());
  EXPECT_TRUE(Value("text").is_string());
  EXPECT_TRUE(Value(List{}).is_list());
  EXPECT_TRUE(Value(Map{}).is_map());
  EXPECT_TRUE(Value(Node{1}).is_node());
  EXPECT_TRUE(Value(Relationship{1, 2, 3}).is_relationship());
  EXPECT_TRUE(Value(Path{.nodes = {{1}}, .relationships = {}}).is_path());
  EXPECT_TRUE(Value(temporal::Temporal(temporal::Date())).is_temporal());
}

TEST(ValueTest, NamesItsTypeForMessages) {
  EXPECT_EQ(TypeName(Value()), "Null");
  EXPECT_EQ(TypeName(Value(1)), "Integer");
  EXPECT_EQ(TypeName(Value(Node{})), "Node");
  EXPECT_EQ(TypeName(Value(temporal::Temporal(temporal::Duration()))), "Duration");
}

TEST(ValueTest, CountsLevelsOfNesting) {
  Value value(1);
  EXPECT_EQ(value.depth(), 0);
  for (int depth = 1; depth <= 5; ++depth) {
    value = depth % 2 == 0 ? Value(List{value}) : Value(Map{{"k", value}});
    EXPECT_EQ(value.depth(), depth);
  }
}

TEST(ValueTest, MemoryGrowsWithContents) {
  EXPECT_GE(Value(std::string(1000, 'x')).MemoryBytes(), 1000u);
  EXPECT_GE(Value(List(100, Value(1))).MemoryBytes(), 100 * sizeof(Value));
  EXPECT_GT(Value(List{Value(std::string(1000, 'x'))}).MemoryBytes(), 1000u);
  EXPECT_GT(Value(Map{{"key", Value(std::string(1000, 'x'))}}).MemoryBytes(), 1000u);
}

TEST(ValueTest, CopiesShareContents) {
  const Value text("shared");
  const Value copy = text;
  EXPECT_EQ(&text.string(), &copy.string());
}

}  // namespace
}  // namespace toolgate::executors::cypher::values
