// Contract with clients of browser.search: name, types, maximum, required list and limits.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors::web_search {
namespace {

TEST(WebSearchContractTest, BrowserSearchHolds) {
  const std::shared_ptr<const Catalog> catalog = registration::BuiltInCatalog().value();
  const Tool* const tool = catalog->Find("browser.search");
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  const Json& properties = definition.argument_schema["properties"];
  EXPECT_EQ(properties["query"]["type"], "string");
  EXPECT_EQ(properties["query"]["maxLength"], 500);
  EXPECT_EQ(properties["query"]["x-toolgate-injection"], "block");
  // maxResults is not part of the contract.
  EXPECT_EQ(properties["maxResults"]["type"], "integer");
  EXPECT_EQ(properties.size(), 2u);
  EXPECT_EQ(definition.argument_schema["required"], Json({"query"}));
  const Json& source = definition.result_schema["properties"]["sources"]["items"]["properties"];
  for (const char* const member : {"title", "url", "snippet"}) EXPECT_EQ(source[member]["type"], "string") << member;
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"web:search"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kNever);
  EXPECT_EQ(definition.provider, "web_search");
  EXPECT_TRUE(definition.annotations.open_world);
  EXPECT_TRUE(definition.annotations.read_only);
  ASSERT_EQ(definition.limits.size(), 2u);
  EXPECT_EQ(definition.limits[0].audience, Audience::kGuest);
  EXPECT_EQ(definition.limits[0].max_calls, 20);
  EXPECT_EQ(definition.limits[0].window, absl::Hours(5));
  EXPECT_EQ(definition.limits[1].audience, Audience::kUser);
  EXPECT_EQ(definition.limits[1].max_calls, 100);
  EXPECT_EQ(definition.limits[1].window, absl::Hours(5));
}

}  // namespace
}  // namespace toolgate::executors::web_search
