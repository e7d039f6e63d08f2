#include "services/rendering/strict_schema.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::services::rendering {
namespace {

Json Read(const std::string& text) {
  const absl::StatusOr<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text << ": " << json.status();
  return json.ok() ? *json : Json();
}

// An object with one property `p`.
Json ObjectWith(const std::string& property, bool required) {
  Json schema = {{"type", "object"}, {"properties", {{"p", Read(property)}}}, {"additionalProperties", false}};
  if (required) schema["required"] = Json::array({"p"});
  return schema;
}

struct StrictCase {
  std::string name;
  bool required;
  std::string property;
  std::string openai;     // Empty: no strict form.
  std::string anthropic;  // The same.
};

class StrictSchemaTest : public ::testing::TestWithParam<StrictCase> {};

void ExpectProperty(const Json& schema, StrictDialect dialect, const std::string& expected) {
  const std::optional<StrictSchema> strict = MakeStrict(schema, dialect);
  ASSERT_EQ(strict.has_value(), !expected.empty());
  if (strict.has_value()) {
    EXPECT_EQ(strict->schema["properties"]["p"], Read(expected));
  }
}

TEST_P(StrictSchemaTest, HasTheFormOfEachDialect) {
  const Json schema = ObjectWith(GetParam().property, GetParam().required);
  ExpectProperty(schema, StrictDialect::kOpenAi, GetParam().openai);
  ExpectProperty(schema, StrictDialect::kAnthropic, GetParam().anthropic);
}

INSTANTIATE_TEST_SUITE_P(
    Properties, StrictSchemaTest,
    ::testing::ValuesIn(std::vector<StrictCase>{
        {"ARequiredText", true, R"({"type":"string","description":"A."})", R"({"type":"string","description":"A."})",
         R"({"type":"string","description":"A."})"},
        {"AnOptionalText", false, R"({"type":"string","description":"A."})",
         R"({"type":["string","null"],"description":"A. Null leaves it out."})",
         R"({"type":"string","description":"A."})"},
        {"ADefault", false, R"({"type":"boolean","default":true})",
         R"({"type":["boolean","null"],"description":"Null means true."})",
         R"({"type":"boolean","description":"Default: true."})"},
        {"LengthsBecomeWords", true, R"({"type":"string","minLength":1,"maxLength":9})",
         R"({"type":"string","description":"Not empty. At most 9 characters."})",
         R"({"type":"string","description":"Not empty. At most 9 characters."})"},
        {"APatternBecomesWords", true, R"({"type":"string","pattern":"^a+$"})",
         R"({"type":"string","description":"Matches the regular expression ^a+$ ."})",
         R"({"type":"string","description":"Matches the regular expression ^a+$ ."})"},
        {"AKnownFormat", true, R"({"type":"string","format":"date"})", R"({"type":"string","format":"date"})",
         R"({"type":"string","format":"date"})"},
        {"AFormatOfOneProvider", true, R"({"type":"string","format":"uri"})",
         R"({"type":"string","description":"Format: uri."})", R"({"type":"string","format":"uri"})"},
        {"RangesStayForOneProvider", true, R"({"type":"number","minimum":0.5,"exclusiveMaximum":9})",
         R"({"type":"number","minimum":0.5,"exclusiveMaximum":9})",
         R"({"type":"number","description":"At least 0.5. Less than 9."})"},
        {"WholeNumbers", true, R"({"type":"number","multipleOf":1})", R"({"type":"integer"})", R"({"type":"integer"})"},
        {"AnEnum", true, R"({"type":"string","enum":["a","b"]})", R"({"type":"string","enum":["a","b"]})",
         R"({"enum":["a","b"]})"},
        {"AnOptionalEnum", false, R"({"type":"string","enum":["a"]})",
         R"({"type":["string","null"],"enum":["a",null],"description":"Null leaves it out."})", R"({"enum":["a"]})"},
        {"AConstant", false, R"({"const":7})", R"({"enum":[7,null],"description":"Null leaves it out."})",
         R"({"const":7})"},
        {"AnArray", true, R"({"type":"array","items":{"type":"string","maxLength":3},"minItems":2,"uniqueItems":true})",
         R"({"type":"array","items":{"type":"string","description":"At most 3 characters."},"minItems":2,"description":"No item twice."})",
         R"({"type":"array","items":{"type":"string","description":"At most 3 characters."},"description":"At least 2 items. No item twice."})"},
        {"AnArrayThatIsNotEmpty", true, R"({"type":"array","items":{"type":"number"},"minItems":1})",
         R"({"type":"array","items":{"type":"number"},"minItems":1})",
         R"({"type":"array","items":{"type":"number"},"minItems":1})"},
        {"AnOptionalObject", false,
         R"({"type":"object","properties":{"x":{"type":"number"}},"additionalProperties":false,"minProperties":1})",
         R"({"type":["object","null"],"properties":{"x":{"type":["number","null"],"description":"Null leaves it out."}},"required":["x"],"additionalProperties":false,"description":"At least 1 members. Null leaves it out."})",
         R"({"type":"object","properties":{"x":{"type":"number"}},"required":[],"additionalProperties":false,"description":"At least 1 members."})"},
        {"Alternatives", false, R"({"anyOf":[{"type":"string"},{"type":"number"}]})",
         R"({"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}],"description":"Null leaves it out."})",
         R"({"anyOf":[{"type":"string"},{"type":"number"}]})"},
        {"TypesOfScalars", true, R"({"type":["string","number"]})", R"({"type":["string","number"]})",
         R"({"type":["string","number"]})"},
        {"ARequiredNull", true, R"({"type":["string","null"]})", R"({"type":["string","null"]})",
         R"({"type":["string","null"]})"},
        {"ANullWithAMeaning", false, R"({"type":["string","null"]})", "", R"({"type":["string","null"]})"},
        {"ANullInAnEnum", false, R"({"enum":["a",null]})", "", R"({"enum":["a",null]})"},
        {"AnnotationsAreDropped", true, R"({"type":"string","title":"T","examples":["x"],"$comment":"c"})",
         R"({"type":"string"})", R"({"type":"string"})"},
        {"AnyValue", true, R"({"description":"Anything."})", "", ""},
        {"AnOpenObject", true, R"({"type":"object","properties":{},"additionalProperties":true})", "", ""},
        {"AnObjectThatIsNotClosed", true, R"({"type":"object","properties":{}})", "", ""},
        {"AMap", true, R"({"type":"object","additionalProperties":{"type":"string"}})", "", ""},
        {"AnObjectOrNull", true, R"({"type":["object","null"],"properties":{},"additionalProperties":false})", "", ""},
        {"AnArrayOfAnything", true, R"({"type":"array"})", "", ""},
        {"ATuple", true, R"({"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"}})", "", ""},
        {"AReference", true, R"({"$ref":"#"})", "", ""},
        {"AnIntersection", true, R"({"type":"string","allOf":[{"minLength":1}]})", "", ""},
        {"ANegation", true, R"({"type":"string","not":{"const":"a"}})", "", ""},
        {"AnExclusiveAlternative", true, R"({"oneOf":[{"type":"string"},{"type":"number"}]})", "", ""},
        {"AnAlternativeAndAType", true, R"({"type":"string","anyOf":[{"const":"a"}]})", "", ""},
        {"AnAlternativeAndABound", true, R"({"anyOf":[{"type":"string"}],"minLength":1})", "", ""},
        {"AnEnumBesideAnotherType", true, R"({"type":"string","enum":["a",1]})", "", ""},
        {"AnEnumOfObjects", true, R"({"enum":[{}]})", "", ""},
        {"ARequiredPropertyThatIsNotDeclared", true,
         R"({"type":"object","properties":{},"required":["x"],"additionalProperties":false})", "", ""},
        {"ASchemaThatIsTrue", true, "true", "", ""},
    }),
    [](const auto& info) { return info.param.name; });

TEST(StrictSchemaSizeTest, OpenAiRequiresEveryProperty) {
  const Json schema = Read(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                              "required":["b"],"additionalProperties":false})");
  EXPECT_EQ(MakeStrict(schema, StrictDialect::kOpenAi)->schema["required"], Read(R"(["a","b"])"));
  const StrictSchema anthropic = *MakeStrict(schema, StrictDialect::kAnthropic);
  EXPECT_EQ(anthropic.schema["required"], Read(R"(["b"])"));
  EXPECT_EQ(anthropic.optional_properties, 1);
  EXPECT_EQ(anthropic.unions, 0);
}

TEST(StrictSchemaSizeTest, UnionsAreCounted) {
  const Json schema = Read(R"({"type":"object","properties":{"a":{"type":["string","null"]},
      "b":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}},"additionalProperties":false})");
  EXPECT_EQ(MakeStrict(schema, StrictDialect::kAnthropic)->unions, 2);
}

TEST(StrictSchemaSizeTest, TheRootIsAnObject) {
  for (const char* schema : {R"({"type":"string"})", R"({"anyOf":[{"type":"string"}]})", "{}", "true", "null"}) {
    EXPECT_FALSE(MakeStrict(Read(schema), StrictDialect::kOpenAi).has_value()) << schema;
    EXPECT_FALSE(MakeStrict(Read(schema), StrictDialect::kAnthropic).has_value()) << schema;
  }
}

Json Nested(int levels) {
  Json schema = {{"type", "string"}};
  for (int i = 1; i < levels; ++i) {
    schema = {{"type", "object"}, {"properties", {{"p", schema}}}, {"additionalProperties", false}};
  }
  return schema;
}

TEST(StrictSchemaSizeTest, NestingIsBounded) {
  EXPECT_TRUE(MakeStrict(Nested(10), StrictDialect::kOpenAi).has_value());
  EXPECT_FALSE(MakeStrict(Nested(11), StrictDialect::kOpenAi).has_value());
}

TEST(StrictSchemaSizeTest, OpenAiBoundsPropertiesAndEnums) {
  const auto with_enum = [](size_t values, size_t length) {
    Json list = Json::array();
    for (size_t i = 0; i < values; ++i) list.push_back(std::string(length, 'v') + std::to_string(i));
    return ObjectWith(DumpJson(Json{{"type", "string"}, {"enum", list}}), true);
  };
  EXPECT_TRUE(MakeStrict(with_enum(1000, 1), StrictDialect::kOpenAi).has_value());
  EXPECT_FALSE(MakeStrict(with_enum(1001, 1), StrictDialect::kOpenAi).has_value());
  EXPECT_TRUE(MakeStrict(with_enum(250, 100), StrictDialect::kOpenAi).has_value());
  EXPECT_FALSE(MakeStrict(with_enum(251, 100), StrictDialect::kOpenAi).has_value());
  EXPECT_FALSE(MakeStrict(with_enum(10, 12'001), StrictDialect::kOpenAi).has_value());
  Json wide = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  for (int i = 0; i < 5001; ++i) wide["properties"]["p" + std::to_string(i)] = {{"type", "string"}};
  EXPECT_FALSE(MakeStrict(wide, StrictDialect::kOpenAi).has_value());
  wide["properties"].erase("p0");
  EXPECT_TRUE(MakeStrict(wide, StrictDialect::kOpenAi).has_value());
}

}  // namespace
}  // namespace toolgate::services::rendering
