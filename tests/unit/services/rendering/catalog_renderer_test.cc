#include "services/rendering/catalog_renderer.h"

#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::rendering {
namespace {

using ::testing::ElementsAre;

Json Parsed(std::string_view text) {
  auto parsed = ParseJson(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status();
  return parsed.ok() ? *parsed : Json();
}

executors::Tool Search() {
  executors::Tool tool;
  executors::ToolDefinition& definition = tool.definition;
  definition.id = "browser.search";
  definition.display_name = "Search";
  definition.description = "Searches the web.";
  definition.category = executors::Category::kRead;
  definition.module = "search";
  definition.argument_schema =
      Parsed(R"({"type":"object","properties":{"query":{"type":"string","x-toolgate-injection":"flag"}},)"
             R"("required":["query"],"additionalProperties":false})");
  definition.result_schema = Parsed(R"({"type":"object","x-toolgate-sanitize":"text"})");
  definition.permissions = {"web:search"};
  definition.confirmation = executors::ConfirmationRule::kConditional;
  definition.limits = {{executors::Audience::kGuest, 5, absl::Minutes(1)}};
  definition.timeout = absl::Milliseconds(1500);
  definition.examples = {{"Find it", Json::array(), Parsed(R"({"query":"it"})"), Parsed("{}")}};
  definition.annotations = {true, false, true, true, false, true};
  return tool;
}

Json Render(const executors::Tool& tool, v1::CatalogFormat format) {
  return Parsed(RenderCatalog({&tool}, format).value());
}

constexpr char kPublicSchema[] =
    R"({"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false})";

TEST(CatalogRendererTest, NoFormatRendersNothing) {
  const auto tool = Search();
  EXPECT_EQ(RenderCatalog({&tool}, v1::CATALOG_FORMAT_UNSPECIFIED).value(), "");
}

TEST(CatalogRendererTest, AnUnknownFormatIsTheCallersFault) {
  const auto tool = Search();
  const auto rendered = RenderCatalog({&tool}, static_cast<v1::CatalogFormat>(99));
  ASSERT_FALSE(rendered.ok());
  EXPECT_EQ(GetToolError(rendered.status())->code, ErrorCode::kInvalidParams);
}

// A tool whose arguments have no strict form.
executors::Tool Open() {
  executors::Tool tool = Search();
  tool.definition.argument_schema = Parsed(R"({"type":"object","additionalProperties":true})");
  return tool;
}

TEST(CatalogRendererTest, OpenAiAndGlmShareAShapeButNeitherTheNameNorStrictMode) {
  const Json schema = Parsed(kPublicSchema);
  Json function = {{"name", "browser_search"}, {"description", "Searches the web."}, {"parameters", schema}};
  function["strict"] = true;
  Json expected = Json::array();
  expected.push_back({{"type", "function"}, {"function", function}});
  EXPECT_EQ(Render(Search(), v1::CATALOG_FORMAT_OPENAI), expected);
  expected[0]["function"].erase("strict");
  expected[0]["function"]["name"] = "browser.search";
  EXPECT_EQ(Render(Search(), v1::CATALOG_FORMAT_GLM), expected);
}

TEST(CatalogRendererTest, OpenAiResponsesHasTheFunctionItself) {
  Json expected = Json::array();
  expected.push_back({{"type", "function"},
                      {"name", "browser_search"},
                      {"description", "Searches the web."},
                      {"parameters", Parsed(kPublicSchema)},
                      {"strict", true}});
  EXPECT_EQ(Render(Search(), v1::CATALOG_FORMAT_OPENAI_RESPONSES), expected);
}

TEST(CatalogRendererTest, AToolWithoutAStrictFormHasItsOwnSchema) {
  const Json schema = Parsed(R"({"type":"object","additionalProperties":true})");
  const Json chat = Render(Open(), v1::CATALOG_FORMAT_OPENAI)[0]["function"];
  EXPECT_EQ(chat["strict"], false);
  EXPECT_EQ(chat["parameters"], schema);
  const Json responses = Render(Open(), v1::CATALOG_FORMAT_OPENAI_RESPONSES)[0];
  EXPECT_EQ(responses["strict"], false) << "absence means true there";
  EXPECT_EQ(responses["parameters"], schema);
  const Json anthropic = Render(Open(), v1::CATALOG_FORMAT_ANTHROPIC)[0];
  EXPECT_FALSE(anthropic.contains("strict"));
  EXPECT_EQ(anthropic["input_schema"], schema);
}

TEST(CatalogRendererTest, AnthropicHasAnInputSchema) {
  Json expected = Json::array();
  expected.push_back({{"name", "browser_search"},
                      {"description", "Searches the web."},
                      {"input_schema", Parsed(kPublicSchema)},
                      {"strict", true}});
  EXPECT_EQ(Render(Search(), v1::CATALOG_FORMAT_ANTHROPIC), expected);
}

TEST(CatalogRendererTest, AnthropicHasAtMostTwentyStrictTools) {
  const executors::Tool tool = Search();
  const std::vector<const executors::Tool*> tools(21, &tool);
  const Json rendered = Parsed(RenderCatalog(tools, v1::CATALOG_FORMAT_ANTHROPIC).value());
  for (size_t i = 0; i < 21; ++i) EXPECT_EQ(rendered[i].contains("strict"), i < 20) << i;
}

TEST(CatalogRendererTest, AnthropicsOptionalPropertiesOfStrictToolsAreBounded) {
  executors::Tool large = Search();
  Json properties = Json::object();
  for (int i = 0; i < 20; ++i) properties["p" + std::to_string(i)] = {{"type", "boolean"}};
  large.definition.argument_schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  executors::Tool small = large;
  small.definition.argument_schema =
      Parsed(R"({"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},)"
             R"("additionalProperties":false})");
  const Json rendered =
      Parsed(RenderCatalog({&large, &large, &small, &small, &small}, v1::CATALOG_FORMAT_ANTHROPIC).value());
  std::vector<bool> strict;
  for (const Json& tool : rendered) strict.push_back(tool.contains("strict"));
  EXPECT_THAT(strict, ElementsAre(true, false, true, true, false));
}

TEST(CatalogRendererTest, GeminiHasFunctionDeclarationsWithJsonSchema) {
  const Json rendered = Render(Search(), v1::CATALOG_FORMAT_GEMINI);
  ASSERT_TRUE(rendered.is_object());
  ASSERT_EQ(rendered["functionDeclarations"].size(), 1u);
  const Json& declaration = rendered["functionDeclarations"][0];
  EXPECT_EQ(declaration["name"], "browser.search");
  EXPECT_EQ(declaration["parametersJsonSchema"], Parsed(kPublicSchema));
  EXPECT_FALSE(declaration.contains("parameters")) << "the two exclude each other";
}

TEST(CatalogRendererTest, McpHasBothSchemasAndAllAnnotations) {
  const Json tool = Render(Search(), v1::CATALOG_FORMAT_MCP)[0];
  EXPECT_EQ(tool["name"], "browser.search");
  EXPECT_EQ(tool["title"], "Search");
  EXPECT_EQ(tool["inputSchema"], Parsed(kPublicSchema));
  EXPECT_EQ(tool["outputSchema"], Parsed(R"({"type":"object"})"));
  EXPECT_EQ(tool["annotations"], Parsed(R"({"title":"Search","readOnlyHint":true,"destructiveHint":false,)"
                                        R"("idempotentHint":true,"openWorldHint":true})"));
}

TEST(CatalogRendererTest, McpHasNoOutputSchemaForOtherThanObjects) {
  auto tool = Search();
  tool.definition.result_schema = Parsed(R"({"type":"array"})");
  EXPECT_FALSE(Render(tool, v1::CATALOG_FORMAT_MCP)[0].contains("outputSchema"));
}

TEST(CatalogRendererTest, AnEmptyCatalogueIsAnEmptyList) {
  EXPECT_EQ(RenderCatalog({}, v1::CATALOG_FORMAT_OPENAI).value(), "[]");
  EXPECT_EQ(RenderCatalog({}, v1::CATALOG_FORMAT_GEMINI).value(), R"({"functionDeclarations":[]})");
}

TEST(CatalogRendererTest, OwnAnnotationsAreStrippedFromSchemasOnly) {
  EXPECT_EQ(PublicSchema(Parsed(R"({
              "x-toolgate-sanitize": "text",
              "allOf": [{"x-toolgate-a": 1, "type": "string"}],
              "items": {"x-toolgate-a": 1},
              "$defs": {"D": {"x-toolgate-a": {"type": "object"}, "minLength": 1}},
              "properties": {"x-toolgate-property": {"x-toolgate-a": 1, "type": "object"}},
              "const": {"x-toolgate-value": 1},
              "enum": [{"x-toolgate-value": 1}],
              "default": {"x-toolgate-value": 1},
              "additionalProperties": false
            })")),
            Parsed(R"({
              "allOf": [{"type": "string"}],
              "items": {},
              "$defs": {"D": {"minLength": 1}},
              "properties": {"x-toolgate-property": {"type": "object"}},
              "const": {"x-toolgate-value": 1},
              "enum": [{"x-toolgate-value": 1}],
              "default": {"x-toolgate-value": 1},
              "additionalProperties": false
            })"));
}

TEST(CatalogRendererTest, AnExampleShowsNoTemplateOfItsSetup) {
  executors::Tool tool = Search();
  tool.definition.examples = {
      {"Find it", Parsed(R"([{"tool":"create_block","arguments":{},"as":"todo"}])"),
       Parsed(R"({"id":"{{ todo.blockId }}","steps":[{"q":"{{trigger.id}} {{todo.block.version}} {{"}],"n":1})"),
       Parsed(R"({"id":"x{{todo.blockId}}y"})")}};
  const v1::Tool shown = ToProto(tool);
  EXPECT_EQ(shown.examples(0).arguments_json(),
            R"({"id":"<id of todo>","steps":[{"q":"{{trigger.id}} <version of todo> {{"}],"n":1})");
  EXPECT_EQ(shown.examples(0).result_json(), R"({"id":"x<id of todo>y"})");
}

TEST(CatalogRendererTest, TheNativeFormHasEveryField) {
  const v1::Tool tool = ToProto(Search());
  const auto* descriptor = v1::Tool::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    const auto* reflection = tool.GetReflection();
    EXPECT_TRUE(field->is_repeated() ? reflection->FieldSize(tool, field) > 0 : reflection->HasField(tool, field))
        << field->name();
  }
  EXPECT_EQ(tool.id(), "browser.search");
  EXPECT_EQ(tool.category(), v1::TOOL_CATEGORY_READ);
  EXPECT_EQ(tool.confirmation(), v1::CONFIRMATION_RULE_CONDITIONAL);
  EXPECT_EQ(tool.argument_schema_json(), kPublicSchema);
  EXPECT_THAT(tool.required_permissions(), ElementsAre("web:search"));
  EXPECT_EQ(tool.limits(0).audience(), "guest");
  EXPECT_EQ(tool.limits(0).window().seconds(), 60);
  EXPECT_EQ(tool.timeout().seconds(), 1);
  EXPECT_EQ(tool.timeout().nanos(), 500'000'000);
  EXPECT_EQ(tool.examples(0).arguments_json(), R"({"query":"it"})");
  EXPECT_TRUE(tool.annotations().read_only());
  EXPECT_FALSE(tool.annotations().destructive());
  EXPECT_FALSE(tool.annotations().reversible());
  EXPECT_TRUE(tool.annotations().remembered());
}

}  // namespace
}  // namespace toolgate::services::rendering
