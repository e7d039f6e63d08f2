// Contract with clients of db_query: names, types and required lists.
#include <memory>

#include "executors/registration/registration.h"
#include "executors/sql/sql_tools.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::sql {
namespace {

using ::testing::HasSubstr;

TEST(DbQueryContractTest, Holds) {
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const Tool* tool = (*catalog)->Find("db_query");
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  EXPECT_EQ(definition.category, Category::kExecute);
  EXPECT_EQ(definition.module, "memory");
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"sql:execute"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kConditional);
  EXPECT_TRUE(definition.annotations.destructive);
  EXPECT_TRUE(definition.annotations.reversible);
  EXPECT_FALSE(definition.annotations.read_only);
  EXPECT_FALSE(definition.annotations.open_world);
  const Json& arguments = definition.argument_schema;
  EXPECT_EQ(arguments["properties"].size(), 1u);
  EXPECT_EQ(arguments["properties"]["sql"]["type"], "string");
  EXPECT_EQ(arguments["required"], Json({"sql"}));
  EXPECT_EQ(arguments["additionalProperties"], false);
  for (const char* member : {"rows", "affectedRows", "success"}) {
    EXPECT_TRUE(definition.result_schema["properties"].contains(member)) << member;
  }
}

TEST(DbQueryContractTest, TheDescriptionNamesTheBoundsThatHold) {
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const std::string& description = (*catalog)->Find("db_query")->definition.description;
  config::v1::Families settings;
  ASSERT_TRUE(AddDefaults({SqlFamily()}, settings).ok());
  const engine::SqlLimits limits = LimitsOf(settings.GetExtension(SqlSettings::sql));
  EXPECT_EQ(limits.max_rows, 1000);
  EXPECT_THAT(description, HasSubstr("1,000"));
  EXPECT_EQ(limits.max_answer_bytes, 256 << 10);
  EXPECT_THAT(description, HasSubstr("256 KiB"));
  EXPECT_EQ(limits.max_time, absl::Seconds(5));
  EXPECT_THAT(description, HasSubstr("5 seconds"));
  EXPECT_EQ(limits.max_database_bytes, 16 << 20);
  EXPECT_THAT(description, HasSubstr("16 MiB"));
}

}  // namespace
}  // namespace toolgate::executors::sql
