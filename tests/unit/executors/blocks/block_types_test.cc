#include "executors/blocks/block_types.h"

#include <set>
#include <string>

#include "executors/blocks/block_data.h"
#include "gtest/gtest.h"

namespace toolgate::executors::blocks {
namespace {

TEST(BlockTypesTest, AreWellFormed) {
  std::set<std::string_view> names;
  for (const BlockType& type : BlockTypes()) {
    EXPECT_TRUE(names.insert(type.name).second) << type.name;
    EXPECT_EQ(FindBlockType(type.name), &type);
    EXPECT_FALSE(type.description.empty()) << type.name;
    EXPECT_TRUE(type.title_field.empty() || type.FindField(type.title_field) != nullptr) << type.name;
    for (const std::string_view parent : type.parents) EXPECT_NE(FindBlockType(parent), nullptr) << parent;
    std::set<std::string_view> fields;
    for (const Field& field : type.fields) {
      EXPECT_TRUE(fields.insert(field.name).second) << type.name << "." << field.name;
      EXPECT_FALSE(field.description.empty()) << type.name << "." << field.name;
      EXPECT_EQ(field.kind == FieldKind::kEnum, !field.values.empty()) << type.name << "." << field.name;
    }
    EXPECT_NE(type.FindField("meta"), nullptr);
    EXPECT_EQ(type.FindField("nothing"), nullptr);
  }
  EXPECT_EQ(FindBlockType("nothing"), nullptr);
}

TEST(DataSchemaTest, SaysWhatTheChecksHold) {
  const Json schema = DataSchema(*FindBlockType("heading"));
  EXPECT_EQ(schema["required"], Json({"content"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["content"]["maxLength"], 500);
  EXPECT_EQ(schema["properties"]["level"]["minimum"], 1);
  EXPECT_EQ(schema["properties"]["level"]["maximum"], 6);
  EXPECT_EQ(schema["properties"]["meta"]["type"], "object");
  EXPECT_EQ(DataSchema(*FindBlockType("todo"))["properties"]["priority"]["enum"],
            Json({"low", "medium", "high", "critical"}));
}

TEST(StatusFromNameTest, KnowsTheUsualWords) {
  for (const char* name : {"Done", "COMPLETED", "✔ done", "closed."}) EXPECT_EQ(StatusFromName(name), "done") << name;
  for (const char* name : {"In Progress", "in_progress", "in-progress", "Doing", "WIP"}) {
    EXPECT_EQ(StatusFromName(name), "in_progress") << name;
  }
  for (const char* name : {"To Do", "todo", "Backlog", "Ideas", ""}) EXPECT_EQ(StatusFromName(name), "todo") << name;
  EXPECT_EQ(KnownStatusFromName("Ideas"), "");
  EXPECT_EQ(KnownStatusFromName("undone"), "");
}

TEST(DescribeTest, ShortensByCharacters) {
  EXPECT_EQ(Describe("todo", {{"content", "Buy milk\nand more"}}), "todo \"Buy milk\"");
  EXPECT_EQ(Describe("divider", Json::object()), "divider");
  EXPECT_EQ(TitleOf("page", {{"title", "äöü"}}, 2), "äö…");
  EXPECT_EQ(TitleOf("page", {{"title", "äöü"}}, 3), "äöü");
}

}  // namespace
}  // namespace toolgate::executors::blocks
