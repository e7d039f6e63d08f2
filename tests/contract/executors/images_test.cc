// Contract with clients of generate_image: name, types, enums, maxima, required list and limits.
#include <memory>
#include <string>
#include <vector>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors::images {
namespace {

TEST(ImagesContractTest, GenerateImageHolds) {
  const std::shared_ptr<const Catalog> catalog = registration::BuiltInCatalog().value();
  const Tool* const tool = catalog->Find("generate_image");
  ASSERT_NE(tool, nullptr);
  const ToolDefinition& definition = tool->definition;
  const Json& properties = definition.argument_schema["properties"];
  EXPECT_EQ(properties["prompt"]["type"], "string");
  EXPECT_EQ(properties["prompt"]["maxLength"], 2000);
  EXPECT_EQ(properties["prompt"]["x-toolgate-injection"], "block");
  EXPECT_EQ(properties["mode"]["enum"], Json({"generate", "edit"}));
  EXPECT_EQ(properties["mode"]["default"], "generate");
  EXPECT_EQ(properties["aspectRatio"]["enum"], Json({"1:1", "16:9", "9:16", "4:3", "3:4"}));
  EXPECT_EQ(properties["baseImage"]["type"], "string");
  EXPECT_EQ(definition.argument_schema["required"], Json({"prompt"}));
  EXPECT_EQ(definition.result_schema["properties"]["imageUrl"]["type"], "string");
  EXPECT_EQ(definition.result_schema["properties"]["imageData"]["type"], "string");
  EXPECT_EQ(definition.permissions, std::vector<std::string>{"image:generate"});
  EXPECT_EQ(definition.confirmation, ConfirmationRule::kNever);
  EXPECT_EQ(definition.provider, "image_model");
  EXPECT_TRUE(definition.annotations.open_world);
  EXPECT_FALSE(definition.annotations.read_only);
  EXPECT_FALSE(definition.annotations.destructive);
  EXPECT_FALSE(definition.annotations.reversible);
  ASSERT_EQ(definition.limits.size(), 2u);
  EXPECT_EQ(definition.limits[0].audience, Audience::kGuest);
  EXPECT_EQ(definition.limits[0].max_calls, 2);
  EXPECT_EQ(definition.limits[0].window, absl::Hours(5));
  EXPECT_EQ(definition.limits[1].audience, Audience::kUser);
  EXPECT_EQ(definition.limits[1].max_calls, 25);
  EXPECT_EQ(definition.limits[1].window, absl::Hours(5));
}

}  // namespace
}  // namespace toolgate::executors::images
