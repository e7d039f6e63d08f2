#include "security/param_validation/inspect_schema.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kValid = R"({"valid":true,"errors":[]})";

TEST(SchemaInspectorTest, AnswersAVerdict) {
  SchemaInspector inspector;
  EXPECT_EQ(inspector.Inspect(R"({"schema":{"type":"string"},"data":"x"})"), kValid);
  EXPECT_EQ(inspector.Inspect(R"({"schema":{"type":"string"},"data":1})"),
            R"({"valid":false,"errors":[{"path":"","rule":"type","expected":"string","found":"integer"}]})");
  EXPECT_EQ(inspector.Inspect(R"({"schema":true,"data":null})"), kValid);
}

TEST(SchemaInspectorTest, MeansWhatTheStandardSaysUnlessAsked) {
  SchemaInspector inspector;
  EXPECT_EQ(
      inspector.Inspect(R"({"schema":{"properties":{"a":{"format":"date"}}},"data":{"a":"x","b":{"constructor":1}}})"),
      kValid);
  EXPECT_THAT(inspector.Inspect(R"({"schema":{"format":"date"},"data":"x","formats":true})"),
              HasSubstr(R"("rule":"format")"));
}

TEST(SchemaInspectorTest, GuardsArguments) {
  SchemaInspector inspector;
  const auto rule_of = [&](const std::string& rest) {
    const Json verdict =
        Json::parse(inspector.Inspect(R"({"as":"arguments","schema":{"properties":{"a":{"format":"date"},
        "n":{"default":1},"o":{"type":"object"}},"required":["n"]},)" +
                                      rest + "}"));
    return verdict["valid"] == true ? "valid" : verdict["errors"][0]["rule"].get<std::string>();
  };
  EXPECT_EQ(rule_of(R"("data":{})"), "valid");
  EXPECT_EQ(rule_of(R"("data":{"a":"x"})"), "format");
  EXPECT_EQ(rule_of(R"("data":{"b":1})"), "additionalProperties");
  EXPECT_EQ(rule_of(R"("data":{"o":{"__proto__":1}})"), "prototypeKey");
  EXPECT_EQ(rule_of(R"("data":[1])"), "type");
  EXPECT_EQ(rule_of(R"("data_json":"{\"n\":1,\"n\":2}")"), "json");
  EXPECT_EQ(rule_of(R"("data_json":"{\"n\":1}")"), "valid");
  EXPECT_EQ(rule_of(R"("data_json":"")"), "valid");
  EXPECT_EQ(rule_of(R"("data_json":" ")"), "json");
  EXPECT_EQ(rule_of(R"("data":{"o":null})"), "valid");
  EXPECT_EQ(rule_of(R"("data":{"b":null})"), "additionalProperties");
}

TEST(SchemaInspectorTest, ReadsRawText) {
  SchemaInspector inspector;
  EXPECT_EQ(inspector.Inspect(R"({"schema":{},"data_json":"[1,2]"})"), kValid);
  EXPECT_THAT(inspector.Inspect(R"({"schema":{},"data_json":"[1,]"})"), HasSubstr(R"("rule":"json")"));
  EXPECT_THAT(inspector.Inspect(R"({"schema":{},"data_json":""})"), HasSubstr(R"("rule":"json")"));
  EXPECT_THAT(inspector.Inspect(R"({"schema":{"properties":{"o":{"type":"object"}}},"data":{"o":null}})"),
              HasSubstr(R"("rule":"type")"));
}

TEST(SchemaInspectorTest, SaysWhatIsWrongWithALine) {
  SchemaInspector inspector;
  for (const char* const line : {"", "x", "[]", "{}", R"({"schema":{}})", R"({"data":1})",
                                 R"({"schema":{},"data":1,"data_json":"1"})", R"({"schema":{},"data_json":1})",
                                 R"({"schema":{},"data":1,"as":"text"})", R"({"schema":{"type":"x"},"data":1})"}) {
    EXPECT_THAT(inspector.Inspect(line), StartsWith(R"({"error":")")) << line;
  }
  EXPECT_THAT(inspector.Inspect(R"({"schema":{"type":"x"},"data":1})"), HasSubstr("the schema is refused: /type"));
}

TEST(SchemaInspectorTest, KeepsTheTwoReadingsOfASchemaApart) {
  SchemaInspector inspector;
  EXPECT_EQ(inspector.Inspect(R"({"schema":{"properties":{}},"data":{"a":1}})"), kValid);
  EXPECT_THAT(inspector.Inspect(R"({"schema":{"properties":{}},"data":{"a":1},"as":"arguments"})"),
              StartsWith(R"({"valid":false)"));
  EXPECT_EQ(inspector.Inspect(R"({"schema":{"properties":{}},"data":{"a":1}})"), kValid);
}

}  // namespace
}  // namespace toolgate::security::param_validation
