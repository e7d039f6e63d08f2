// Contract with clients of Read, Write and Edit: names, types and required lists.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors::files {
namespace {

class FilesContractTest : public ::testing::Test {
 protected:
  const ToolDefinition& Find(std::string_view id) const { return catalog_->Find(id)->definition; }
  static Json Types(const Json& schema) {
    Json types = Json::object();
    for (const auto& [name, property] : schema["properties"].items()) types[name] = property["type"];
    return types;
  }

  std::shared_ptr<const Catalog> catalog_ = registration::BuiltInCatalog().value();
};

TEST_F(FilesContractTest, ReadHolds) {
  const ToolDefinition& read = Find("Read");
  EXPECT_EQ(Types(read.argument_schema), Json({{"file", "string"},
                                               {"offset", "integer"},
                                               {"column", "integer"},
                                               {"limit", "integer"},
                                               {"lineNumbers", "boolean"}}));
  EXPECT_EQ(read.argument_schema["required"], Json({"file"}));
  EXPECT_EQ(read.result_schema["properties"]["content"]["type"], "string");
  EXPECT_EQ(read.permissions, std::vector<std::string>{"file:read"});
  EXPECT_EQ(read.confirmation, ConfirmationRule::kNever);
  EXPECT_TRUE(read.annotations.read_only);
  EXPECT_FALSE(read.annotations.open_world);
}

TEST_F(FilesContractTest, WriteHolds) {
  const ToolDefinition& write = Find("Write");
  EXPECT_EQ(Types(write.argument_schema), Json({{"file", "string"}, {"content", "string"}}));
  EXPECT_EQ(write.argument_schema["required"], Json({"file", "content"}));
  EXPECT_EQ(write.result_schema["properties"]["bytes"]["type"], "number");
  EXPECT_EQ(write.permissions, std::vector<std::string>{"file:write"});
}

TEST_F(FilesContractTest, EditHolds) {
  const ToolDefinition& edit = Find("Edit");
  EXPECT_EQ(Types(edit.argument_schema),
            Json({{"file", "string"}, {"oldText", "string"}, {"newText", "string"}, {"replaceAll", "boolean"}}));
  EXPECT_EQ(edit.argument_schema["required"], Json({"file", "oldText", "newText"}));
}

TEST_F(FilesContractTest, ChangesAskAndCanBeUndone) {
  for (const char* const id : {"Write", "Edit"}) {
    const ToolDefinition& definition = Find(id);
    EXPECT_EQ(definition.confirmation, ConfirmationRule::kAlways) << id;
    EXPECT_TRUE(definition.annotations.destructive) << id;
    EXPECT_TRUE(definition.annotations.reversible) << id;
    EXPECT_FALSE(definition.annotations.read_only) << id;
    EXPECT_FALSE(definition.annotations.open_world) << id;
    EXPECT_EQ(definition.argument_schema["additionalProperties"], false) << id;
  }
}

}  // namespace
}  // namespace toolgate::executors::files
