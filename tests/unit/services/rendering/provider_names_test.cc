#include "services/rendering/provider_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::rendering {
namespace {

using ::testing::HasSubstr;

std::vector<executors::Tool> OneTool(const std::string& id) {
  std::vector<executors::Tool> tools(1);
  tools[0].definition.id = id;
  return tools;
}

TEST(ProviderNamesTest, DotsBecomeUnderscoresWhereTheyAreIllegal) {
  EXPECT_EQ(ProviderName(Provider::kOpenAi, "browser.search"), "browser_search");
  EXPECT_EQ(ProviderName(Provider::kAnthropic, "browser.search"), "browser_search");
  EXPECT_EQ(ProviderName(Provider::kGemini, "browser.search"), "browser.search");
  EXPECT_EQ(ProviderName(Provider::kGlm, "browser.search"), "browser.search");
  EXPECT_EQ(ProviderName(Provider::kMcp, "browser.search"), "browser.search");
}

TEST(ProviderNamesTest, NamesThatAllProvidersTakePass) {
  for (const std::string& id : {std::string("get_block"), std::string("browser.search"), std::string("Read"),
                                std::string("_x-1"), std::string(64, 'a')}) {
    EXPECT_TRUE(CheckProviderNames(OneTool(id)).ok()) << id;
  }
}

TEST(ProviderNamesTest, TwoToolsWithOneNameForAProviderAreRefused) {
  std::vector<executors::Tool> tools(3);
  tools[0].definition.id = "browser.search";
  tools[1].definition.id = "search";
  tools[2].definition.id = "browser_search";
  const absl::Status status = CheckProviderNames(tools);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("\"browser.search\" and \"browser_search\" have the same name \"browser_search\" for OpenAI"));
}

TEST(ProviderNamesTest, ANameThatOneProviderRefusesIsNamedWithIt) {
  struct Row {
    std::string id;
    std::string provider;
  };
  for (const Row& row : {Row{std::string(65, 'a'), "OpenAI"}, Row{"", "OpenAI"}, Row{"1st", "Gemini"},
                         Row{"-x", "Gemini"}, Row{"a b", "Gemini"}}) {
    const absl::Status status = CheckProviderNames(OneTool(row.id));
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.id;
    EXPECT_THAT(std::string(status.message()), HasSubstr("\"" + row.id + "\": " + row.provider));
  }
}

}  // namespace
}  // namespace toolgate::services::rendering
