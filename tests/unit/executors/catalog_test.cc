#include "executors/catalog.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors {
namespace {

using ::testing::HasSubstr;

ToolDefinition Definition(std::string id, bool read_only = true) {
  ToolDefinition definition;
  definition.id = std::move(id);
  definition.argument_schema = {{"type", "object"}};
  definition.result_schema = {{"type", "object"}};
  definition.annotations.read_only = read_only;
  return definition;
}

ToolHandlers Reader(std::string_view id) {
  return {id, ReadHandler([](ToolContext&, storage::ReadView&) { return ToolOutput(); })};
}

ToolHandlers Writer(std::string_view id) {
  return {id, WriteHandler([](ToolContext&, storage::Transaction&) { return ToolOutput(); })};
}

std::string Problem(std::vector<ToolDefinition> definitions, std::vector<ToolHandlers> handlers) {
  const auto catalog = Catalog::Create(std::move(definitions), handlers);
  EXPECT_EQ(catalog.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(catalog.status().message());
}

TEST(CatalogTest, OrdersByIdAndFindsByIdAndAlias) {
  const auto catalog =
      Catalog::Create({Definition("web.search"), Definition("add", false)}, {Reader("web.search"), Writer("add")});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  ASSERT_EQ((*catalog)->tools().size(), 2u);
  EXPECT_EQ((*catalog)->tools()[0].definition.id, "add");
  EXPECT_EQ((*catalog)->tools()[1].index, 1u);
  EXPECT_EQ((*catalog)->ids(), (std::vector<std::string>{"add", "web.search"}));
  EXPECT_EQ((*catalog)->Find("web.search"), &(*catalog)->tools()[1]);
  EXPECT_EQ((*catalog)->Find("web_search"), &(*catalog)->tools()[1]);
  EXPECT_EQ((*catalog)->Find("search"), nullptr);
  EXPECT_FALSE((*catalog)->tools()[0].read_only());
}

TEST(CatalogTest, RefusesExecutorsThatThisBuildCannotRunYet) {
  for (const auto& [kind, name] :
       std::vector<std::pair<ExecutorKind, std::string>>{{ExecutorKind::kHttp, "http"},
                                                         {ExecutorKind::kGrpc, "grpc"},
                                                         {ExecutorKind::kMcp, "mcp"},
                                                         {ExecutorKind::kProcess, "process"}}) {
    ToolDefinition definition = Definition("a");
    definition.kind = kind;
    for (const bool with_handler : {false, true}) {
      EXPECT_THAT(
          Problem({definition}, with_handler ? std::vector{Reader("a")} : std::vector<ToolHandlers>()),
          HasSubstr("tool \"a\" has an executor of the kind \"" + name + "\", which this build cannot run yet"));
    }
  }
}

TEST(CatalogTest, RefusesWhatDoesNotFitTogether) {
  EXPECT_THAT(Problem({Definition("a"), Definition("a")}, {Reader("a")}), HasSubstr("two definitions"));
  EXPECT_THAT(Problem({Definition("a")}, {Reader("a"), Reader("a")}), HasSubstr("two handlers"));
  EXPECT_THAT(Problem({Definition("a")}, {}), HasSubstr("no handler"));
  EXPECT_THAT(Problem({}, {Reader("a")}), HasSubstr("no definition"));
  EXPECT_THAT(Problem({Definition("a.b"), Definition("a_b")}, {Reader("a.b"), Reader("a_b")}), HasSubstr("same alias"));
  EXPECT_THAT(Problem({Definition("a")}, {Writer("a")}), HasSubstr("readOnly"));
  EXPECT_THAT(Problem({Definition("a", false)}, {Reader("a")}), HasSubstr("readOnly"));
  EXPECT_THAT(Problem({Definition("a")}, {{"a", ReadHandler()}}), HasSubstr("empty handler"));
  ToolDefinition asks = Definition("a", false);
  asks.confirmation = ConfirmationRule::kAlways;
  EXPECT_THAT(Problem({asks}, {Writer("a")}), HasSubstr("no preview"));
  ToolHandlers empty = Writer("a");
  empty.preview = WorkspacePreview(nullptr);
  EXPECT_THAT(Problem({asks}, {empty}), HasSubstr("an empty preview"));
}

TEST(CatalogTest, APreviewHasTheKindOfItsTool) {
  const WorkspacePreview in_workspace = [](ToolContext&, storage::ReadView&) { return Preview(); };
  const EffectPreview outside = [](ToolContext&, EffectSession&) { return Preview(); };
  ToolHandlers effect{"a", EffectHandler([](ToolContext&, EffectSession&) { return Acted(); })};
  effect.recover = [](ToolContext&, EffectSession&) { return Recovered(); };
  effect.preview = in_workspace;
  EXPECT_THAT(Problem({Definition("a", false)}, {effect}), HasSubstr("make it an EffectPreview"));
  effect.preview = outside;
  EXPECT_TRUE(Catalog::Create({Definition("a", false)}, {effect}).ok());
  ToolHandlers writer = Writer("a");
  writer.preview = outside;
  EXPECT_THAT(Problem({Definition("a", false)}, {writer}), HasSubstr("make it a WorkspacePreview"));
  writer.preview = in_workspace;
  EXPECT_TRUE(Catalog::Create({Definition("a", false)}, {writer}).ok());
}

TEST(CatalogTest, AToolWithASwitchAsksIt) {
  ToolDefinition switched = Definition("a");
  switched.switch_name = "late";
  const ToolSwitch late{"late", [](const Caller& caller, storage::ReadView&) { return caller.user_id == "owl"; }};
  const ToolSwitch early{"early", [](const Caller& caller, storage::ReadView&) { return true; }};
  const auto catalog = Catalog::Create({switched, Definition("b")}, {Reader("a"), Reader("b")}, {early, late});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_TRUE((*catalog)->Find("b")->is_on == nullptr);
  EXPECT_TRUE((*catalog)->Find("a")->is_on != nullptr);
  EXPECT_THAT(Problem({switched}, {Reader("a")}), HasSubstr("tool \"a\" names the switch \"late\", which nothing"));
}

TEST(CatalogTest, VersionFollowsTheDefinitions) {
  const auto version = [](ToolDefinition definition) {
    const auto catalog = Catalog::Create({std::move(definition)}, {Reader("a")});
    EXPECT_TRUE(catalog.ok());
    return (*catalog)->version();
  };
  const std::string base = version(Definition("a"));
  EXPECT_EQ(base.size(), 16u);
  EXPECT_EQ(base, version(Definition("a")));
  ToolDefinition described = Definition("a");
  described.description = "More";
  EXPECT_NE(base, version(described));
  ToolDefinition limited = Definition("a");
  limited.limits.push_back({Audience::kAny, 1, absl::Hours(1)});
  EXPECT_NE(base, version(limited));
  ToolDefinition remembered = Definition("a");
  remembered.annotations.remembered = true;
  EXPECT_NE(base, version(remembered));
  ToolDefinition shown = Definition("a");
  shown.result_event = ResultEvent::kWebSearch;
  EXPECT_NE(base, version(shown));
}

TEST(AliasTest, HasOnlyCharactersThatEveryProviderTakes) {
  EXPECT_EQ(AliasOf("browser.search"), "browser_search");
  EXPECT_EQ(AliasOf("Read"), "Read");
  EXPECT_EQ(AliasOf("a-b_9"), "a-b_9");
}

}  // namespace
}  // namespace toolgate::executors
