#include "executors/code_graph/index/graph_schema.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

TEST(GraphSchemaTest, NamesLabelsAndTypesBothWays) {
  for (int i = 1; i < kSymbolLabels; ++i) {
    const auto label = static_cast<SymbolLabel>(i);
    EXPECT_EQ(FindSymbolLabel(LabelName(label)), label);
  }
  for (int i = 0; i < kRelationshipTypes; ++i) {
    const auto type = static_cast<RelationshipType>(i);
    EXPECT_EQ(FindRelationshipType(TypeName(type)), type);
  }
  EXPECT_EQ(FindSymbolLabel(""), std::nullopt);
  EXPECT_EQ(FindSymbolLabel("Symbol"), std::nullopt);
  EXPECT_EQ(FindRelationshipType("calls"), std::nullopt);
}

TEST(GraphSchemaTest, GivesKindsTheirLabels) {
  EXPECT_EQ(LabelOf("function", "", "C"), SymbolLabel::kFunction);
  EXPECT_EQ(LabelOf("function", "class", "C++"), SymbolLabel::kMethod);
  EXPECT_EQ(LabelOf("function", "namespace", "C++"), SymbolLabel::kFunction);
  EXPECT_EQ(LabelOf("member", "class", "Python"), SymbolLabel::kMethod);
  EXPECT_EQ(LabelOf("member", "struct", "C"), SymbolLabel::kField);
  EXPECT_EQ(LabelOf("alias", "", "TypeScript"), SymbolLabel::kType);
  EXPECT_EQ(LabelOf("alias", "", "Sh"), SymbolLabel::kNone);
  EXPECT_EQ(LabelOf("chapter", "", "Markdown"), SymbolLabel::kNone);
}

TEST(GraphSchemaTest, DescribesEverythingOnce) {
  std::set<std::string> names;
  for (const SchemaElement& element : SchemaElements()) {
    EXPECT_TRUE(names.emplace(element.name).second) << element.name;
    EXPECT_FALSE(element.description.empty()) << element.name;
  }
  for (int i = 1; i < kSymbolLabels; ++i) {
    EXPECT_TRUE(names.contains(std::string(LabelName(static_cast<SymbolLabel>(i)))));
  }
  for (int i = 0; i < kRelationshipTypes; ++i) {
    EXPECT_TRUE(names.contains(std::string(TypeName(static_cast<RelationshipType>(i)))));
  }
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
