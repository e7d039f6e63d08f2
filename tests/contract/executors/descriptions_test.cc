// The bounds that model APIs set to descriptions: OpenAI takes 1,024 characters of a function's.
#include <string>

#include "absl/strings/str_cat.h"
#include "executors/arguments.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"

namespace toolgate::executors {
namespace {

constexpr size_t kMaxDescription = 1024;
// Room for what renderings append to a property's: its bounds and its default.
constexpr size_t kMaxPropertyDescription = 900;

// Checks the descriptions in `schema`, however deep.
void CheckDescriptions(const Json& schema, const std::string& path) {
  if (!schema.is_structured()) return;
  for (const auto& [key, member] : schema.items()) {
    if (key == "description" && member.is_string()) {
      EXPECT_LE(CountCharacters(member.get<std::string>()), kMaxPropertyDescription) << path;
    }
    CheckDescriptions(member, absl::StrCat(path, "/", key));
  }
}

TEST(DescriptionsTest, FitIntoTheRequestsOfEveryModel) {
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  ASSERT_GE((*catalog)->tools().size(), 40u) << "all families are on";
  for (const Tool& tool : (*catalog)->tools()) {
    EXPECT_LE(CountCharacters(tool.definition.description), kMaxDescription) << tool.definition.id;
    CheckDescriptions(tool.definition.argument_schema, tool.definition.id);
  }
}

// A limit that the tool enforces is one that a model can keep to only if the schema tells it.
TEST(DescriptionsTest, TheSchemaTellsTheLengthOfTheMemory) {
  const auto catalog = registration::BuiltInCatalog();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const Json& schema = (*catalog)->Find("save_memory")->definition.argument_schema;
  EXPECT_EQ(schema["properties"]["memory"]["maxLength"], 4000);
}

}  // namespace
}  // namespace toolgate::executors
