// Contract with clients of generate_artifact: name, types, enum, maxima, required list and limits.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors::artifacts {
namespace {

TEST(ArtifactContractTest, GenerateArtifactHolds) {
  const std::shared_ptr<const Catalog> catalog = registration::BuiltInCatalog().value();
  const Tool* const tool = catalog->Find("generate_artifact");
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  const Json& arguments = definition.argument_schema;
  EXPECT_EQ(arguments["properties"]["type"]["enum"], Json({"react", "html", "svg", "code", "mermaid", "markdown"}));
  EXPECT_EQ(arguments["properties"]["prompt"]["type"], "string");
  EXPECT_EQ(arguments["properties"]["prompt"]["maxLength"], 10'000);
  EXPECT_EQ(arguments["properties"]["prompt"]["x-toolgate-injection"], "block");
  EXPECT_EQ(arguments["required"], Json({"type", "prompt"}));
  for (const char* member : {"artifactCode", "type", "title"}) {
    EXPECT_EQ(definition.result_schema["properties"][member]["type"], "string") << member;
  }
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"artifact:generate"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kNever);
  EXPECT_TRUE(definition.annotations.open_world);
  EXPECT_FALSE(definition.annotations.read_only);
  EXPECT_FALSE(definition.annotations.destructive);
  EXPECT_FALSE(definition.annotations.reversible);
  ASSERT_EQ(definition.limits.size(), 2u);
  EXPECT_EQ(definition.limits[0].audience, Audience::kGuest);
  EXPECT_EQ(definition.limits[0].max_calls, 5);
  EXPECT_EQ(definition.limits[0].window, absl::Hours(5));
  EXPECT_EQ(definition.limits[1].audience, Audience::kUser);
  EXPECT_EQ(definition.limits[1].max_calls, 50);
  EXPECT_EQ(definition.limits[1].window, absl::Hours(5));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
