// Contract with clients of Bash: names, types and required lists.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::shell {
namespace {

TEST(BashContractTest, Holds) {
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const Tool* tool = (*catalog)->Find("Bash");
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  EXPECT_EQ(definition.category, Category::kExecute);
  EXPECT_EQ(definition.module, "shell");
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"shell:execute"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kAlways);
  EXPECT_TRUE(definition.annotations.destructive);
  EXPECT_TRUE(definition.annotations.reversible);
  EXPECT_FALSE(definition.annotations.read_only);
  EXPECT_FALSE(definition.annotations.open_world);
  const Json& arguments = definition.argument_schema;
  EXPECT_EQ(arguments["properties"]["command"]["type"], "string");
  EXPECT_EQ(arguments["properties"]["timeoutMs"]["type"], "integer");
  EXPECT_EQ(arguments["properties"]["cwd"]["type"], "string");
  EXPECT_EQ(arguments["properties"].size(), 3U);
  EXPECT_EQ(arguments["required"], Json({"command"}));
  EXPECT_EQ(arguments["additionalProperties"], false);
  for (const char* member : {"exitCode", "signal", "stdout", "stderr", "changes", "durationMs"}) {
    EXPECT_TRUE(definition.result_schema["properties"].contains(member)) << member;
  }
}

}  // namespace
}  // namespace toolgate::executors::shell
