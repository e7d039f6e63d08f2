#include "executors/json_template.h"

#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gtest/gtest.h"

namespace toolgate::executors {
namespace {

Json Parse(const std::string& text) {
  const absl::StatusOr<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? *json : Json();
}

Json Scope() {
  return Parse(R"({"context": {"name": "Apollo", "n": 3, "list": ["a", "b"], "none": null, "evil": "{{context.n}}"},
                   "steps": [{"blockId": "b1", "deep": {"x": true}}, [7]]})");
}

struct Row {
  std::string name;
  std::string value;
  std::string expected;  // Empty: refused.
};

class JsonTemplateTest : public ::testing::TestWithParam<Row> {};

TEST_P(JsonTemplateTest, Expands) {
  const absl::StatusOr<Json> result = ExpandTemplates(Parse(GetParam().value), Scope());
  if (GetParam().expected.empty()) {
    ASSERT_TRUE(GetToolError(result.status()).has_value());
    EXPECT_EQ(GetToolError(result.status())->code, ErrorCode::kInvalidParams);
    return;
  }
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DumpJson(*result), DumpJson(Parse(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(Values, JsonTemplateTest,
                         ::testing::ValuesIn(std::vector<Row>{
                             {"NoTemplate", R"({"a": ["x", 1, null, true]})", R"({"a": ["x", 1, null, true]})"},
                             {"WithinText", R"("Hello {{context.name}}!")", R"("Hello Apollo!")"},
                             {"WholeKeepsNumber", R"("{{context.n}}")", "3"},
                             {"WholeKeepsList", R"({"tags": "{{context.list}}"})", R"({"tags": ["a", "b"]})"},
                             {"WholeKeepsNull", R"("{{context.none}}")", "null"},
                             {"NumberWithinText", R"("n={{context.n}}")", R"("n=3")"},
                             {"ListWithinText", R"("{{context.list}}!")", R"("[\"a\",\"b\"]!")"},
                             {"ArrayIndex", R"("{{steps.0.blockId}}")", R"("b1")"},
                             {"DeepPath", R"("{{steps.0.deep.x}}")", "true"},
                             {"IndexOfIndex", R"("{{steps.1.0}}")", "7"},
                             {"BlanksInside", R"("{{ context.n }}")", "3"},
                             {"Several", R"("{{context.n}}{{context.n}}")", R"("33")"},
                             {"InsertedTextIsNotExpanded", R"("{{context.evil}}")", R"("{{context.n}}")"},
                             {"KeysAreLeftAlone", R"({"{{context.n}}": 1})", R"({"{{context.n}}": 1})"},
                             {"Unclosed", R"("{{context.n")", R"("{{context.n")"},
                             {"SingleBraces", R"("{context.n}")", R"("{context.n}")"},
                             {"UnknownKey", R"("{{context.other}}")", ""},
                             {"UnknownRoot", R"("{{secrets}}")", ""},
                             {"IndexBeyondTheEnd", R"("{{steps.2}}")", ""},
                             {"NegativeIndex", R"("{{steps.-1}}")", ""},
                             {"IntoAString", R"("{{context.name.0}}")", ""},
                             {"EmptyPath", R"("{{}}")", ""},
                             {"EmptySegment", R"("{{context..name}}")", ""},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(JsonTemplateTest, RefusesToGrowBeyondItsBound) {
  Json scope = {{"big", std::string(kMaxExpandedBytes / 2, 'x')}};
  EXPECT_TRUE(ExpandTemplates(Json("{{big}}{{big}}"), scope).ok());
  const absl::StatusOr<Json> result = ExpandTemplates(Json::array({"{{big}}", "{{big}}", "{{big}}"}), scope);
  ASSERT_TRUE(GetToolError(result.status()).has_value());
  EXPECT_EQ(GetToolError(result.status())->code, ErrorCode::kInvalidParams);
}

TEST(JsonTemplateTest, LeavesForeignTemplatesWhenAsked) {
  const absl::StatusOr<Json> result =
      ExpandKnownTemplates(Json("{{page.id}} {{context.x}} {{page.id}}"), {{"page", {{"id", "p"}}}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, "p {{context.x}} p");
  EXPECT_FALSE(ExpandKnownTemplates(Json("{{page.other}}"), {{"page", {{"id", "p"}}}}).ok());
}

}  // namespace
}  // namespace toolgate::executors
