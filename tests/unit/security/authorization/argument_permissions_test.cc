#include "security/authorization/argument_permissions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::authorization {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Needs(const char* schema, const char* arguments) {
  const PermissionTable table = PermissionTable::Create({"link:create", "note:update", "note:delete"}).value();
  const auto compiled = ArgumentPermissions::Compile(table, Json::parse(schema));
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? table.NamesOf(compiled->NeedsOf(Json::parse(arguments))) : std::vector<std::string>();
}

struct NeedRow {
  const char* name;
  const char* schema;
  const char* with;     // Needs task:assign and nothing else.
  const char* without;  // Looks alike and needs nothing.
};

class ArgumentPermissionsTest : public ::testing::TestWithParam<NeedRow> {};

TEST_P(ArgumentPermissionsTest, AsksWhereTheAnnotationHolds) {
  EXPECT_THAT(Needs(GetParam().schema, GetParam().with), ElementsAre("task:assign"));
}

TEST_P(ArgumentPermissionsTest, AsksNowhereElse) {
  EXPECT_THAT(Needs(GetParam().schema, GetParam().without), IsEmpty());
}

#define ANNOTATED R"({"x-toolgate-permission": "task:assign"})"

INSTANTIATE_TEST_SUITE_P(
    Rows, ArgumentPermissionsTest,
    ::testing::Values(
        NeedRow{"TopLevel", R"({"properties": {"who": )" ANNOTATED "}}", R"({"who": "bob"})", R"({"Who": "bob"})"},
        NeedRow{"NullIsGiven", R"({"properties": {"who": )" ANNOTATED "}}", R"({"who": null})", "{}"},
        NeedRow{"NestedProperty", R"({"properties": {"data": {"properties": {"who": )" ANNOTATED "}}}}",
                R"({"data": {"title": "t", "who": "bob"}})", R"({"who": "bob", "data": {"meta": {"who": "bob"}}})"},
        NeedRow{"OfAnObject", R"({"properties": {"data": {"properties": {"task": )" ANNOTATED "}}}}",
                R"({"data": {"task": {}}})", R"({"data": {"tasks": {}}})"},
        NeedRow{"ElementsOfAnArray", R"({"properties": {"list": {"items": {"properties": {"who": )" ANNOTATED "}}}}}",
                R"({"list": [{}, {"who": "bob"}]})", R"({"list": [], "who": "bob"})"},
        NeedRow{"ArrayInAnArray", R"({"properties": {"list": {"items": {"items": )" ANNOTATED "}}}}",
                R"({"list": [[], [1]]})", R"({"list": [1, []]})"},
        NeedRow{"OnePlaceOfATuple", R"({"properties": {"pair": {"prefixItems": [{}, )" ANNOTATED "]}}}",
                R"({"pair": [1, 2]})", R"({"pair": [1]})"},
        NeedRow{"BehindATuple", R"({"properties": {"list": {"prefixItems": [{}], "items": )" ANNOTATED "}}}",
                R"({"list": [1, 2]})", R"({"list": [1]})"},
        NeedRow{"AnyOtherProperty", R"({"properties": {"a": {}}, "additionalProperties": )" ANNOTATED "}",
                R"({"b": 1})", R"({"a": 1})"},
        NeedRow{"OtherInOneBranchNamedInAnother",
                R"({"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}, "additionalProperties": )" ANNOTATED
                "}]}",
                R"({"a": 1})", R"({"b": 1})"},
        NeedRow{"BranchThatNeedNotBeTheValues",
                R"({"properties": {"d": {"anyOf": [{"type": "string"}, {"properties": {"who": )" ANNOTATED "}}]}}}",
                R"({"d": {"who": 1}})", R"({"d": "who"})"},
        NeedRow{"Condition", R"({"if": {"required": ["a"]}, "then": {"properties": {"who": )" ANNOTATED "}}}",
                R"({"who": 1})", R"({"a": 1})"},
        NeedRow{"Reference",
                R"({"properties": {"d": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"properties": {"who": )" ANNOTATED
                "}}}}",
                R"({"d": {"who": 1}})", R"({"who": 1})"},
        NeedRow{"Recursion", R"({"properties": {"who": )" ANNOTATED R"(, "below": {"items": {"$ref": "#"}}}})",
                R"({"below": [{}, {"below": [{"below": [{"who": 1}]}]}]})", R"({"below": [{"below": [{}, {}]}]})"},
        NeedRow{"PropertyNamedLikeAKeyword",
                R"({"properties": {"properties": {"properties": {"items": )" ANNOTATED "}}}}",
                R"({"properties": {"items": 1}})", R"({"items": 1, "properties": [{"items": 1}]})"},
        NeedRow{"UnderAnEscapedName", R"({"properties": {"a/b~c": {"properties": {"": )" ANNOTATED "}}}}",
                R"({"a/b~c": {"": 1}})", R"({"a": {"": 1}})"}),
    [](const auto& row) { return row.param.name; });

TEST(ArgumentPermissionsSumTest, AddsUpWhatSeveralPlacesAskFor) {
  const char* schema = R"({"properties": {
      "a": {"x-toolgate-permission": "task:assign", "properties": {"b": {"x-toolgate-permission": "link:create"}}},
      "c": {"allOf": [{"x-toolgate-permission": "note:update"}], "x-toolgate-permission": "note:delete"}}})";
  EXPECT_THAT(Needs(schema, R"({"a": {"b": 1}})"), UnorderedElementsAre("link:create", "task:assign"));
  EXPECT_THAT(Needs(schema, R"({"c": 1})"), UnorderedElementsAre("note:update", "note:delete"));
}

TEST(ArgumentPermissionsSumTest, ASchemaWithoutTheAnnotationAsksForNothing) {
  // Unsupported references do not matter then.
  const char* schema = R"({"properties": {"a": {"$ref": "other.json"}}, "additionalProperties": {"enum":
      [{"x-toolgate-permission": "task:assign"}]}})";
  EXPECT_THAT(Needs(schema, R"({"a": 1, "b": 2})"), IsEmpty());
}

}  // namespace
}  // namespace toolgate::security::authorization
