#include "security/param_validation/json_schema.h"

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Json Read(std::string_view text) { return Json::parse(text); }

std::unique_ptr<const JsonSchema> Compiled(std::string_view schema, const JsonSchemaOptions& options = {}) {
  auto compiled = JsonSchema::Compile(Read(schema), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? *std::move(compiled) : nullptr;
}

// "path|rule|expected|found" of each row.
std::vector<std::string> Rows(const JsonSchema& schema, std::string_view value) {
  std::vector<std::string> rows;
  for (const Violation& row : schema.Validate(Read(value))) {
    rows.push_back(row.path + "|" + row.rule + "|" + row.expected + "|" + row.found);
  }
  return rows;
}

struct Refused {
  std::string_view name;
  std::string_view schema;
  std::string_view begins;  // The pointer of the faulty place.
};

class SchemaRefusalTest : public ::testing::TestWithParam<Refused> {};

TEST_P(SchemaRefusalTest, NamesTheOffendingKeyword) {
  const auto compiled = JsonSchema::Compile(Read(GetParam().schema));
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(compiled.status().message()), StartsWith(std::string(GetParam().begins) + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    Table, SchemaRefusalTest,
    ::testing::Values(
        Refused{"NotASchema", "3", "the root"}, Refused{"UnknownType", R"({"type":"text"})", "/type"},
        Refused{"EmptyTypes", R"({"type":[]})", "/type"},
        Refused{"Nested", R"({"properties":{"a/b":{"items":{"type":1}}}})", "/properties/a~1b/items/type"},
        Refused{"EnumNotAList", R"({"enum":"a"})", "/enum"},
        Refused{"NegativeLength", R"({"minLength":-1})", "/minLength"},
        Refused{"FractionalLength", R"({"maxItems":1.5})", "/maxItems"},
        Refused{"MinimumNotANumber", R"({"minimum":"1"})", "/minimum"},
        Refused{"MultipleOfZero", R"({"multipleOf":0})", "/multipleOf"},
        Refused{"UniqueItemsNotAFlag", R"({"uniqueItems":1})", "/uniqueItems"},
        Refused{"RequiredNotNames", R"({"required":[1]})", "/required"},
        Refused{"RequiredFlag", R"({"required":true})", "/required"},
        Refused{"DependentRequired", R"({"dependentRequired":{"a":"b"}})", "/dependentRequired/a"},
        Refused{"EmptyAllOf", R"({"allOf":[]})", "/allOf"}, Refused{"AnyOfNotAList", R"({"anyOf":{}})", "/anyOf"},
        Refused{"ItemsList", R"({"items":[{}]})", "/items"}, Refused{"BadPattern", R"({"pattern":"a("})", "/pattern"},
        Refused{"BadPatternProperty", R"({"patternProperties":{"(":{}}})", "/patternProperties/("},
        Refused{"PropertiesNotAnObject", R"({"properties":[]})", "/properties"},
        Refused{"PropertyNotASchema", R"({"properties":{"a":1}})", "/properties/a"},
        Refused{"BranchNotASchema", R"({"anyOf":[{},true,"x"]})", "/anyOf/2"},
        Refused{"DefinitionNotASchema", R"({"$defs":{"a/b":null}})", "/$defs/a~1b"},
        Refused{"PrefixItemNotASchema", R"({"prefixItems":[{},[]]})", "/prefixItems/1"},
        Refused{"PatternPropertyNotASchema", R"({"patternProperties":{"^a":1}})", "/patternProperties/^a"},
        Refused{"DependentNotASchema", R"({"dependentSchemas":{"a":[]}})", "/dependentSchemas/a"},
        Refused{"SameAnchor", R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})", "/$defs/a/$anchor"},
        Refused{"SameDynamicAnchor", R"({"$dynamicAnchor":"x","items":{"$dynamicAnchor":"x"}})",
                "/items/$dynamicAnchor"},
        Refused{"SameAnchorOfBothKinds", R"({"$anchor":"x","items":{"$dynamicAnchor":"x"}})", "/items/$dynamicAnchor"},
        Refused{"SameId", R"({"$defs":{"a":{"$id":"http://x/a"},"b":{"$id":"http://x/a"}}})", "/$defs/a/$id"},
        Refused{"IdOfTheRoot", R"({"$id":"http://x/a","items":{"$id":"http://x/a"}})", "/items/$id"},
        Refused{"InsideAnEmbeddedResource",
                R"({"$defs":{"q":{"$id":"http://x/z","properties":{"a":{"type":"text"}}}}})",
                "http://x/z#/properties/a/type"},
        Refused{"AnchorInsideAnEmbeddedResource", R"({"$defs":{"q":{"$id":"http://x/z","items":{"$anchor":1}}}})",
                "http://x/z#/items/$anchor"},
        Refused{"DanglingPointer", R"({"$ref":"#/$defs/none"})", "/$ref"},
        Refused{"DanglingAnchor", R"({"$ref":"#none"})", "/$ref"},
        Refused{"NothingIsFetched", R"({"$ref":"https://example.com/schema.json"})", "/$ref"},
        Refused{"RefNotAString", R"({"$ref":1})", "/$ref"}, Refused{"BadAnchor", R"({"$anchor":"a b"})", "/$anchor"},
        Refused{"IdWithFragment", R"({"$id":"https://example.com/a#b"})", "/$id"},
        Refused{"UnknownDialect", R"({"$schema":"https://example.com/dialect"})", "/$schema"},
        Refused{"UnusedDefinition", R"({"$defs":{"a":{"type":"text"}}})", "/$defs/a/type"},
        Refused{"RefersToItself", R"({"$ref":"#"})", "the root"},
        Refused{"ThenRefersToItself", R"({"then":{"$ref":"#"},"if":true})", "the root"},
        Refused{"ElseRefersToItself", R"({"else":{"$ref":"#"},"if":{"type":"null"}})", "the root"},
        Refused{"DependentRefersToItself", R"({"dependentSchemas":{"a":{"$ref":"#"}}})", "the root"},
        Refused{"DynamicallyRefersToItself", R"({"$dynamicAnchor":"n","allOf":[{"$dynamicRef":"#n"}]})", "the root"},
        Refused{"EmbeddedRefersToItself", R"({"$defs":{"q":{"$id":"http://x/z","not":{"$ref":"#"}}}})", "http://x/z#"},
        Refused{"RefersInACircle",
                R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}})",
                "/$defs/a"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(JsonSchemaTest, StrictlyRefusesWhatWouldHoldNothing) {
  const struct {
    std::string_view schema;
    std::string_view problem;
  } rows[] = {
      {R"({"propertys":{}})", R"(/propertys: is no keyword; did you mean "properties"?)"},
      {R"({"properties":{"a":{"requird":["b"]}}})",
       R"(/properties/a/requird: is no keyword; did you mean "required"?)"},
      {R"({"allOf":[{"MinLength":2}]})", R"(/allOf/0/MinLength: is no keyword; did you mean "minLength"?)"},
      {R"({"$defs":{"a":{"nullable":true}}})", "/$defs/a/nullable: is no keyword, and would hold nothing"},
      {R"({"additionalItems":false})", "/additionalItems: is no keyword"},
      {R"({"x-toolgate-permision":"task:assign"})",
       R"(/x-toolgate-permision: is no keyword; did you mean "x-toolgate-permission"?)"},
      {R"({"format":"uuuid"})", R"(/format: is no known format; did you mean "uuid"?)"},
      {R"({"items":{"format":"int32"}})",
       "/items/format: is no known format, and would hold nothing; known are date, "},
  };
  for (const auto& row : rows) {
    const auto compiled = JsonSchema::Compile(Read(row.schema), {.assert_formats = true, .strict = true});
    EXPECT_EQ(compiled.status().code(), absl::StatusCode::kInvalidArgument) << row.schema;
    EXPECT_THAT(std::string(compiled.status().message()), StartsWith(std::string(row.problem)));
    EXPECT_NE(Compiled(row.schema, {.assert_formats = true}), nullptr) << "the standard ignores it";
  }
}

TEST(JsonSchemaTest, StrictlyTakesEveryKeywordOfItsDraft) {
  const JsonSchemaOptions strict{.assert_formats = true, .strict = true};
  EXPECT_NE(Compiled(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})", strict), nullptr);
  // Parts that are not schemas may use any names.
  EXPECT_NE(Compiled(R"({"x-mine":1,"x-toolgate-injection":"off","title":"t","description":"d","deprecated":true,
      "readOnly":true,"writeOnly":false,"examples":[{"foo":1}],"default":{"foo":1},"$comment":"c",
      "contentEncoding":"base64","contentMediaType":"text/plain","contentSchema":{"foo":1},"const":{"foo":1},
      "enum":[{"foo":1}],"properties":{"foo":{}},"dependentRequired":{"foo":["bar"]}})",
                     strict),
            nullptr);
  EXPECT_NE(Compiled(R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.com/s",
      "items":[{}],"additionalItems":false})",
                     strict),
            nullptr);
}

TEST(JsonSchemaTest, SaysThatAPatternCannotBeMatchedInLinearTime) {
  for (const char* const schema : {R"({"pattern":"(?=a)b"})", R"({"pattern":"(a)\\1"})", R"({"pattern":"(?<!a)b"})"}) {
    const auto compiled = JsonSchema::Compile(Read(schema));
    EXPECT_EQ(compiled.status().code(), absl::StatusCode::kUnimplemented) << schema;
    EXPECT_THAT(std::string(compiled.status().message()), StartsWith("/pattern: ")) << schema;
  }
}

TEST(JsonSchemaTest, RefersToTheDocumentsItIsGiven) {
  SchemaDocuments documents;
  documents.emplace("https://example.com/a.json",
                    Read(R"({"$id":"https://example.com/other","$defs":{"n":{"type":"number"}}})"));
  const JsonSchemaOptions options{.documents = &documents};
  EXPECT_TRUE(Compiled(R"({"$ref":"https://example.com/a.json#/$defs/n"})", options)->IsValid(1));
  EXPECT_FALSE(Compiled(R"({"$ref":"https://example.com/other#/$defs/n"})", options)->IsValid("1"));
}

TEST(JsonSchemaTest, ValidatesSchemasByTheirMetaschema) {
  const auto schema = Compiled(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})");
  EXPECT_TRUE(schema->IsValid(Read(R"({"type":"object","properties":{"a":{"minLength":1}}})")));
  EXPECT_FALSE(schema->IsValid(Read(R"({"properties":{"a":{"minLength":-1}}})")));
}

struct Explained {
  std::string_view name;
  std::string_view schema;
  std::string_view value;
  std::vector<std::string> rows;
};

class ViolationTest : public ::testing::TestWithParam<Explained> {};

TEST_P(ViolationTest, SaysPathRuleExpectedAndFound) {
  const auto schema = Compiled(GetParam().schema, {.assert_formats = true});
  EXPECT_EQ(Rows(*schema, GetParam().value), GetParam().rows);
  EXPECT_FALSE(schema->IsValid(Read(GetParam().value)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ViolationTest,
    ::testing::Values(
        Explained{"Type", R"({"type":"string"})", "12", {"|type|string|integer"}},
        Explained{"Types", R"({"type":["string","null"]})", "1.5", {"|type|string or null|number"}},
        Explained{"Enum",
                  R"({"enum":["todo","done"]})",
                  R"("secret!")",
                  {R"(|enum|one of "todo", "done"|string of 7 characters)"}},
        Explained{"Const", R"({"const":{"a":1}})", "[1]", {R"(|const|{"a":1}|array of 1 item)"}},
        Explained{"Minimum", R"({"items":{"minimum":3}})", "[3,2]", {"/1|minimum|at least 3|integer"}},
        Explained{"Maximum", R"({"maximum":2.5})", "3", {"|maximum|at most 2.5|integer"}},
        Explained{"Exclusive",
                  R"({"exclusiveMinimum":0,"exclusiveMaximum":0})",
                  "0",
                  {"|exclusiveMinimum|more than 0|integer", "|exclusiveMaximum|less than 0|integer"}},
        Explained{
            "DateOrWords",
            R"({"x-toolgate-format":"date-or-words"})",
            R"("next blursday")",
            {"|format|YYYY-MM-DD, an RFC 3339 date-time, or words such as today, tomorrow, next monday, in 3 days, "
             "+2w|string of 13 characters"}},
        Explained{"Whole", R"({"multipleOf":1})", "5.5", {"|multipleOf|a whole number|number"}},
        Explained{"MultipleOf", R"({"multipleOf":0.01})", "1.005", {"|multipleOf|a multiple of 0.01|number"}},
        Explained{
            "MinLength", R"({"minLength":2})", R"("ü")", {"|minLength|at least 2 characters|string of 1 character"}},
        Explained{
            "MaxLength", R"({"maxLength":1})", R"("üü")", {"|maxLength|at most 1 character|string of 2 characters"}},
        Explained{"Pattern",
                  R"({"pattern":"^a+$"})",
                  R"("b")",
                  {R"(|pattern|text that matches "^a+$"|string of 1 character)"}},
        Explained{"Format",
                  R"({"format":"date"})",
                  R"("2025-02-30")",
                  {"|format|date, for example 2026-01-31|string of 10 characters"}},
        Explained{"Items", R"({"minItems":2})", "[1]", {"|minItems|at least 2 items|array of 1 item"}},
        Explained{"Unique",
                  R"({"uniqueItems":true})",
                  R"(["x",1,1.0])",
                  {"|uniqueItems|items that all differ|items 1 and 2 are equal"}},
        Explained{"Contains",
                  R"({"contains":{"type":"string"}})",
                  "[1,2]",
                  {"|contains|at least 1 item of a certain kind|0 of 2"}},
        Explained{
            "Required",
            R"({"properties":{"a":{}},"required":["a","b"]})",
            "{}",
            {R"(/a|required|the required property "a"|nothing)", R"(/b|required|the required property "b"|nothing)"}},
        Explained{"UnknownNearest",
                  R"({"properties":{"blockId":{}},"additionalProperties":false})",
                  R"({"blockID":"s3cret"})",
                  {R"(/blockID|additionalProperties|did you mean "blockId"?|unknown property "blockID")"}},
        Explained{"UnknownFar",
                  R"({"properties":{"a":{},"b":{}},"additionalProperties":false})",
                  R"({"colour":1})",
                  {R"(/colour|additionalProperties|only "a", "b"|unknown property "colour")"}},
        Explained{"UnknownEscaped",
                  R"({"additionalProperties":false})",
                  R"({"a\"/\n":1})",
                  {"/a\"~1\n|additionalProperties|no such property|unknown property \"a\\\"/\\n\""}},
        Explained{"Unevaluated",
                  R"({"allOf":[{"properties":{"a":{}}}],"properties":{"title":{}},"unevaluatedProperties":false})",
                  R"({"a":1,"titel":2})",
                  {R"(/titel|unevaluatedProperties|did you mean "title"?|unknown property "titel")"}},
        Explained{"PropertyNames",
                  R"({"propertyNames":{"maxLength":2}})",
                  R"({"abc":1})",
                  {R"(/abc|propertyNames|a permitted property name|the name "abc")"}},
        Explained{"DependentRequired",
                  R"({"dependentRequired":{"a":["b"]}})",
                  R"({"a":1})",
                  {R"(/b|dependentRequired|the property "b", which "a" needs|nothing)"}},
        Explained{"AnyOfTypes",
                  R"({"anyOf":[{"type":"string"},{"enum":[1,2]}]})",
                  "3",
                  {"|anyOf|string or one of 1, 2|integer"}},
        Explained{
            "OneOfNearestBranch",
            R"({"oneOf":[{"type":"object","required":["kind"],"properties":{"kind":{"const":"a"},"n":{"type":"integer"}}},
                      {"type":"string"}]})",
            R"({"kind":"a","n":"x"})",
            {"|oneOf|one of 2 alternatives|object with 2 keys", "/n|type|integer|string of 1 character"}},
        Explained{"AnyOfTypesWithMore",
                  R"({"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]})",
                  "3",
                  {"|anyOf|string or null|integer"}},
        Explained{"DiscriminatorChoosesTheBranch",
                  R"({"oneOf":[{"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
                      {"properties":{"kind":{"const":"square"},"a":{"type":"number"}},"required":["kind","a"]}]})",
                  R"({"kind":"circle","r":"five"})",
                  {"|oneOf|one of 2 alternatives|object with 2 keys", "/r|type|number|string of 4 characters"}},
        Explained{"LongDiscriminatorShortMember",
                  R"({"anyOf":[{"properties":{"channel":{"const":"email"},"to":{"type":"string"}}},
                      {"properties":{"channel":{"const":"sms"},"to":{"type":"integer"}}}]})",
                  R"({"channel":"email","to":5})",
                  {"|anyOf|one of 2 alternatives|object with 2 keys", "/to|type|string|integer"}},
        Explained{"DiscriminatorBehindReferences",
                  R"({"$defs":{"kind":{"enum":["a","b"]},"base":{"properties":{"kind":{"$ref":"#/$defs/kind"}}}},
                      "anyOf":[{"properties":{"kind":{"enum":["c"]}}},
                      {"allOf":[{"$ref":"#/$defs/base"}],"properties":{"n":{"enum":[1,2]}}}]})",
                  R"({"kind":"a","n":3})",
                  {"|anyOf|one of 2 alternatives|object with 2 keys", "/n|enum|one of 1, 2|integer"}},
        Explained{"ValueOfNoBranch",
                  R"({"oneOf":[{"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
                      {"properties":{"kind":{"const":"square"},"a":{"type":"number"}},"required":["kind","a"]}]})",
                  R"({"kind":"circel","r":5})",
                  {"|oneOf|one of 2 alternatives|object with 2 keys",
                   R"(/kind|enum|"circle" or "square"|string of 6 characters)"}},
        Explained{"ListedValuesOfOneBranchAreNoDiscriminator",
                  R"({"anyOf":[{"properties":{"type":{"const":"note"}}},
                      {"properties":{"type":{"const":"task"},"priority":{"enum":["low","high"]}}}]})",
                  R"({"type":"task","priority":"urgent"})",
                  {"|anyOf|one of 2 alternatives|object with 2 keys",
                   R"(/priority|enum|one of "low", "high"|string of 6 characters)"}},
        Explained{"WrongSaysMoreThanMissing",
                  R"({"anyOf":[{"properties":{"and":{"type":"array"}},"required":["and"]},
                      {"properties":{"x":{"type":"integer"}}}]})",
                  R"({"x":"bad"})",
                  {"|anyOf|one of 2 alternatives|object with 1 key", "/x|type|integer|string of 3 characters"}},
        Explained{"WrongSaysMoreThanUnknown",
                  R"({"anyOf":[{"properties":{"other":{}},"additionalProperties":false},
                      {"properties":{"x":{"type":"integer"}}}]})",
                  R"({"x":"bad"})",
                  {"|anyOf|one of 2 alternatives|object with 1 key", "/x|type|integer|string of 3 characters"}},
        Explained{"FewestFailures",
                  R"({"anyOf":[{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},
                      {"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}]})",
                  R"({"a":"x","b":"y"})",
                  {"|anyOf|one of 2 alternatives|object with 2 keys", "/b|type|integer|string of 1 character"}},
        Explained{"DeepestFailure",
                  R"({"anyOf":[{"properties":{"averylongname":{"type":"string"}}},
                      {"properties":{"averylongname":{"items":{"type":"integer"}}}}]})",
                  R"({"averylongname":[true]})",
                  {"|anyOf|one of 2 alternatives|object with 1 key", "/averylongname/0|type|integer|boolean"}},
        Explained{"OneOfBoth",
                  R"({"oneOf":[{"minimum":1},{"maximum":5}]})",
                  "3",
                  {"|oneOf|exactly one of 2 alternatives|integer that satisfies 2"}},
        Explained{
            "Not", R"({"not":{"type":"null"}})", "null", {"|not|something other than what \"not\" describes|null"}},
        Explained{"False", R"({"properties":{"a":false}})", R"({"a":true})", {"/a|false|nothing|boolean"}},
        Explained{"Deep",
                  R"({"properties":{"a":{"items":{"properties":{"b":{"type":"null"}}}}}})",
                  R"({"a":[{},{"b":{"x":1}}]})",
                  {"/a/1/b|type|null|object with 1 key"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(JsonSchemaTest, NeverQuotesAValue) {
  const std::string canary = "sk-canary-9f8e7d";
  const Json value = {{"a", canary}, {"b", {canary, canary}}, {"c", {{"d", canary}}}};
  for (const char* const schema :
       {R"({"type":"null"})", R"({"properties":{"a":{"enum":[1]},"b":{"uniqueItems":true},"c":{"const":1}}})",
        R"({"properties":{"a":{"pattern":"^x$","maxLength":1,"format":"uuid"}}})",
        R"({"additionalProperties":{"anyOf":[{"type":"number"},{"type":"object","properties":{"d":{"const":"x"}}}]}})",
        R"({"not":{}})", R"({"oneOf":[true,true]})", R"({"properties":{"c":{"additionalProperties":false}}})",
        R"({"properties":{"b":{"items":{"minLength":99}}}})", R"({"additionalProperties":false})"}) {
    const auto compiled = Compiled(schema, {.assert_formats = true});
    const std::vector<Violation> rows = compiled->Validate(value);
    EXPECT_FALSE(rows.empty()) << schema;
    for (const Violation& row : rows) {
      EXPECT_THAT(row.path + row.expected + row.found, Not(HasSubstr("canary"))) << schema;
    }
  }
}

TEST(JsonSchemaTest, BoundsRowsAndNames) {
  const auto schema = Compiled(R"({"items":{"type":"null"}})", {.max_violations = 3});
  EXPECT_EQ(schema->Validate(Read("[1,2,3,4,5]")).size(), 3u);
  const auto closed = Compiled(R"({"additionalProperties":false})");
  const std::vector<Violation> rows = closed->Validate(Json{{std::string(100'000, 'k'), 1}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_LT(rows[0].path.size() + rows[0].found.size(), 250u);
}

TEST(JsonSchemaTest, HandlesManyRequiredProperties) {
  Json schema = Json::object();
  Json value = Json::object();
  for (int i = 0; i < 100; ++i) {
    schema["required"].push_back("p" + std::to_string(i));
    value["p" + std::to_string(i)] = i;
  }
  const auto compiled = JsonSchema::Compile(schema);
  ASSERT_TRUE(compiled.ok());
  EXPECT_TRUE((*compiled)->IsValid(value));
  value.erase("p99");
  EXPECT_EQ((*compiled)->Validate(value).size(), 1u);
  value.erase("p3");
  EXPECT_EQ((*compiled)->Validate(value).size(), 2u);
}

TEST(JsonSchemaTest, ComparesBigNumbersExactly) {
  const auto schema = Compiled(R"({"maximum":9007199254740993})");
  EXPECT_TRUE(schema->IsValid(Read("9007199254740993")));
  EXPECT_FALSE(schema->IsValid(Read("9007199254740994")));
  EXPECT_TRUE(Compiled(R"({"minimum":18446744073709551615})")->IsValid(Read("18446744073709551615")));
  EXPECT_FALSE(Compiled(R"({"minimum":18446744073709551615})")->IsValid(Read("18446744073709551614")));
  EXPECT_TRUE(Compiled(R"({"maximum":-9223372036854775808})")->IsValid(Read("-9223372036854775809")));
  EXPECT_FALSE(Compiled(R"({"const":9007199254740993})")->IsValid(Read("9007199254740992.0")));
}

// Both would run for ever, or unacceptably long.
TEST(JsonSchemaTest, BoundsDepthAndWork) {
  // The scope decides the reference's target, so only running it shows that it does not end.
  const auto endless = Compiled(R"({"$dynamicAnchor":"n","$ref":"b","$defs":{"b":{"$id":"b","$dynamicRef":"#n",
      "$defs":{"n":{"$dynamicAnchor":"n"}}}}})");
  EXPECT_FALSE(endless->IsValid(1));
  ASSERT_EQ(endless->Validate(1).size(), 1u);
  EXPECT_EQ(endless->Validate(1)[0].rule, "complexity");

  const auto exponential = Compiled(
      R"({"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["b"]},{"properties":{"a":{"$ref":"#"}},"required":["c"]}]})");
  Json value = Json::object();
  for (int i = 0; i < 60; ++i) value = Json{{"a", std::move(value)}};
  EXPECT_FALSE(exponential->IsValid(value));
  EXPECT_FALSE(exponential->Validate(value).empty());

  const auto recursive = Compiled(R"({"additionalProperties":{"$ref":"#"},"type":"object"})");
  Json deep = Json::object();
  for (int i = 0; i < 64; ++i) deep = Json{{"a", std::move(deep)}};
  EXPECT_TRUE(recursive->IsValid(deep));
}

TEST(JsonSchemaTest, FindsDuplicatesInLargeArraysQuickly) {
  const auto schema = Compiled(R"({"uniqueItems":true})");
  Json items = Json::array();
  for (int i = 0; i < 50'000; ++i) items.push_back(Json{{"n", i}});
  EXPECT_TRUE(schema->IsValid(items));
  items.push_back(Json{{"n", 7.0}});
  EXPECT_FALSE(schema->IsValid(items));
}

TEST(JsonSchemaTest, ReadsEarlierDrafts) {
  constexpr std::string_view kDraft4 =
      R"({"$schema":"http://json-schema.org/draft-04/schema#","id":"https://example.com/s",
      "definitions":{"p":{"type":"integer","minimum":0,"exclusiveMinimum":true}},
      "items":[{"$ref":"#/definitions/p"}],"additionalItems":false})";
  const auto schema = Compiled(kDraft4);
  EXPECT_TRUE(schema->IsValid(Read("[1]")));
  EXPECT_FALSE(schema->IsValid(Read("[0]")));
  EXPECT_FALSE(schema->IsValid(Read("[1,2]")));
}

TEST(JsonSchemaTest, IsSharedByThreads) {
  const auto schema = Compiled(R"({"type":"object","properties":{"a":{"pattern":"^[a-z]+$"},"b":{"uniqueItems":true}},
      "unevaluatedProperties":false})");
  const Json good = Read(R"({"a":"abc","b":[1,2]})");
  const Json bad = Read(R"({"a":"ABC","b":[1,1],"c":0})");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_TRUE(schema->IsValid(good));
        EXPECT_EQ(schema->Validate(bad).size(), 3u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

struct Closed {
  std::string_view name;
  std::string_view schema;
  std::string_view good;
  std::string_view bad;  // Empty: the schema stays open, nothing to refuse.
};

class ClosedObjectsTest : public ::testing::TestWithParam<Closed> {};

TEST_P(ClosedObjectsTest, RefusesWhatNoPartOfTheSchemaKnows) {
  const auto schema = Compiled(GetParam().schema, {.close_objects = true});
  EXPECT_TRUE(schema->IsValid(Read(GetParam().good))) << ::testing::PrintToString(Rows(*schema, GetParam().good));
  if (GetParam().bad.empty()) return;
  EXPECT_FALSE(schema->IsValid(Read(GetParam().bad)));
  EXPECT_TRUE(Compiled(GetParam().schema)->IsValid(Read(GetParam().bad)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ClosedObjectsTest,
    ::testing::Values(
        Closed{"Root", R"({"properties":{"a":{}}})", R"({"a":1})", R"({"a":1,"b":2})"},
        Closed{"NoProperties", R"({"type":"object"})", R"({"x":1})", ""},
        Closed{"NamesNoProperty", R"({"properties":{}})", "{}", R"({"x":1})"},
        Closed{"SaysTrue", R"({"properties":{"a":{}},"additionalProperties":true})", R"({"x":1})", ""},
        Closed{"SaysSchema", R"({"properties":{"a":{}},"additionalProperties":{"type":"string"}})", R"({"x":"1"})", ""},
        Closed{"Pattern", R"({"properties":{"a":{}},"patternProperties":{"^x-":{}}})", R"({"x-1":1})", R"({"y":1})"},
        Closed{"OnlyPattern", R"({"type":"object","patternProperties":{"^a":{}}})", R"({"ab":1})", R"({"x":1})"},
        Closed{"PatternOpen", R"({"patternProperties":{"^a":{}},"additionalProperties":true})", R"({"x":1})", ""},
        Closed{"PatternInABranch", R"({"allOf":[{"patternProperties":{"^a":{}}},{"patternProperties":{"^b":{}}}]})",
               R"({"a1":1,"b1":2})", R"({"c":1})"},
        Closed{"PatternBesideARef",
               R"({"$ref":"#/$defs/p","patternProperties":{"^x-":{}},"$defs":{"p":{"properties":{"a":{}}}}})",
               R"({"a":1,"x-1":1})", R"({"b":1})"},
        Closed{"PatternOfTheSameProperty",
               R"({"properties":{"a":{"properties":{"x":{}}}},
                   "allOf":[{"patternProperties":{"^a":{"properties":{"y":{}}}}}]})",
               R"({"a":{"x":1,"y":1}})", R"({"b":1})"},
        Closed{"Nested", R"({"properties":{"a":{"items":{"properties":{"b":{}}}}}})", R"({"a":[{"b":1}]})",
               R"({"a":[{"c":1}]})"},
        Closed{"AllOf", R"({"properties":{"a":{}},"allOf":[{"properties":{"b":{}}}]})", R"({"a":1,"b":2})",
               R"({"c":1})"},
        Closed{"OnlyAllOf", R"({"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]})", R"({"a":1,"b":2})",
               R"({"c":1})"},
        Closed{
            "AnyOf",
            R"({"anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]})",
            R"({"b":2})", R"({"b":1,"c":1})"},
        Closed{"AnyOfRequired", R"({"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]})",
               R"({"b":2})", R"({"b":1,"c":1})"},
        Closed{"AnyOfFreeForm", R"({"anyOf":[{"type":"object"},{"type":"string"}]})", R"({"x":2})", ""},
        Closed{"Ref", R"({"$ref":"#/$defs/p","$defs":{"p":{"properties":{"a":{}}}}})", R"({"a":1})", R"({"b":1})"},
        Closed{"RefExtended", R"({"$ref":"#/$defs/p","properties":{"b":{}},"$defs":{"p":{"properties":{"a":{}}}}})",
               R"({"a":1,"b":1})", R"({"c":1})"},
        Closed{
            "RefToOpen",
            R"({"$ref":"#/$defs/p","properties":{"b":{}},"$defs":{"p":{"properties":{"a":{}},"additionalProperties":true}}})",
            R"({"z":1})", ""},
        Closed{"IfThen",
               R"({"properties":{"k":{}},"if":{"properties":{"k":{"const":1}}},"then":{"properties":{"n":{}}}})",
               R"({"k":1,"n":2})", R"({"k":2,"n":2})"},
        Closed{"SamePropertyTwice",
               R"({"properties":{"a":{"properties":{"x":{}}}},"allOf":[{"properties":{"a":{"properties":{"y":{}}}}}]})",
               R"({"a":{"x":1,"y":1}})", R"({"b":1})"},
        Closed{"Not", R"({"properties":{"a":{}},"not":{"properties":{"a":{"const":1}},"required":["a"]}})",
               R"({"a":2})", R"({"b":1})"},
        Closed{"Recursive", R"({"properties":{"child":{"$ref":"#"},"n":{}}})", R"({"child":{"child":{"n":1}}})",
               R"({"child":{"child":{"m":1}}})"},
        Closed{"DynamicRecursive", R"({"$dynamicAnchor":"n","properties":{"v":{},"t":{"$dynamicRef":"#n"}}})",
               R"({"t":{"t":{"v":1}}})", R"({"t":{"x":2}})"}),
    [](const auto& row) { return std::string(row.param.name); });

struct Filled {
  std::string_view name;
  std::string_view schema;
  std::string_view before;
  std::string_view after;
};

class DefaultsTest : public ::testing::TestWithParam<Filled> {};

TEST_P(DefaultsTest, FillsInWhatIsMissing) {
  const auto schema = Compiled(GetParam().schema, {.close_objects = true});
  Json value = Read(GetParam().before);
  schema->FillDefaults(value);
  EXPECT_EQ(DumpJson(value), GetParam().after);
  schema->FillDefaults(value);
  EXPECT_EQ(DumpJson(value), GetParam().after) << "a second time";
}

INSTANTIATE_TEST_SUITE_P(
    Table, DefaultsTest,
    ::testing::Values(
        Filled{"Properties", R"({"properties":{"a":{"default":1},"b":{}}})", "{}", R"({"a":1})"},
        Filled{"KeepsWhatIsThere", R"({"properties":{"a":{"default":1}}})", R"({"a":null})", R"({"a":null})"},
        Filled{"ParentAbsent", R"({"properties":{"p":{"properties":{"a":{"default":1}}}}})", "{}", "{}"},
        Filled{"ParentPresent", R"({"properties":{"p":{"properties":{"a":{"default":1}}}}})", R"({"p":{}})",
               R"({"p":{"a":1}})"},
        Filled{"Items", R"({"items":{"properties":{"a":{"default":[]}}}})", R"([{},{"a":1},2])",
               R"([{"a":[]},{"a":1},2])"},
        Filled{"PrefixItems",
               R"({"prefixItems":[{"properties":{"a":{"default":1}}},{}],"items":{"properties":{"b":{"default":2}}}})",
               "[{},{},{}]", R"([{"a":1},{},{"b":2}])"},
        Filled{"Ref", R"({"$ref":"#/$defs/p","$defs":{"p":{"properties":{"a":{"default":true}}}}})", "{}",
               R"({"a":true})"},
        Filled{"DefaultOfTheTarget", R"({"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"default":7}}})", "{}",
               R"({"a":7})"},
        Filled{"AllOf", R"({"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"b":{"default":2}}}]})", "{}",
               R"({"a":1,"b":2})"},
        Filled{"NotInAnyOf", R"({"anyOf":[{"properties":{"a":{"default":1}}},true]})", "{}", "{}"},
        Filled{"InsideADefault", R"({"properties":{"p":{"default":{},"properties":{"a":{"default":1}}}}})", "{}",
               R"({"p":{"a":1}})"},
        Filled{"OtherType", R"({"properties":{"a":{"default":1}}})", "[]", "[]"},
        Filled{"Recursive", R"({"properties":{"n":{"default":0},"next":{"$ref":"#"}}})", R"({"next":{"next":{}}})",
               R"({"next":{"next":{"n":0},"n":0},"n":0})"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(DefaultsTest, StopsWhereDefaultsContainThemselves) {
  const auto schema =
      Compiled(R"({"properties":{"left":{"$ref":"#","default":{}},"right":{"$ref":"#","default":{}}}})");
  Json value = Json::object();
  schema->FillDefaults(value);
  EXPECT_EQ(value.size(), 2u);
  EXPECT_LT(DumpJson(value).size(), 2000u);
}

}  // namespace
}  // namespace toolgate::security::param_validation
