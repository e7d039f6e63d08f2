// Contract with clients of GraphQuery: name, types and required list.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors::code_graph {
namespace {

TEST(CodeGraphContractTest, GraphQueryHolds) {
  const std::shared_ptr<const Catalog> catalog = registration::BuiltInCatalog().value();
  const ToolDefinition& definition = catalog->Find("GraphQuery")->definition;
  const Json& arguments = definition.argument_schema;
  EXPECT_EQ(arguments["properties"]["query"]["type"], "string");
  EXPECT_EQ(arguments["properties"]["params"]["type"], "object");
  EXPECT_EQ(arguments["properties"].size(), 2u);
  EXPECT_EQ(arguments["required"], Json({"query"}));
  EXPECT_EQ(definition.result_schema["properties"]["rows"]["type"], "array");
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"graph:read"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kNever);
  EXPECT_TRUE(definition.annotations.read_only);
  EXPECT_FALSE(definition.annotations.open_world);
}

}  // namespace
}  // namespace toolgate::executors::code_graph
