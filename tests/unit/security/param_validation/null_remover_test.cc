#include "security/param_validation/null_remover.h"

#include <memory>
#include <ostream>
#include <string>

#include "common/json.h"
#include "gtest/gtest.h"
#include "security/param_validation/json_schema.h"

namespace toolgate::security::param_validation {
namespace {

struct NullRow {
  const char* name;
  const char* schema;
  const char* value;
  const char* read;
};
std::ostream& operator<<(std::ostream& out, const NullRow& row) { return out << row.name; }

std::unique_ptr<const JsonSchema> Compile(const char* schema) {
  auto compiled = JsonSchema::Compile(Json::parse(schema), {.assert_formats = true, .close_objects = true});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? *std::move(compiled) : nullptr;
}

class NullRemoverTest : public ::testing::TestWithParam<NullRow> {};

TEST_P(NullRemoverTest, ReadsNullAsTheSchemaMeansIt) {
  const auto schema = Compile(GetParam().schema);
  ASSERT_NE(schema, nullptr);
  Json value = Json::parse(GetParam().value);
  const bool was_valid = schema->IsValid(value);
  schema->RemoveNulls(value);
  EXPECT_EQ(DumpJson(value), GetParam().read);
  if (was_valid) {
    EXPECT_EQ(value, Json::parse(GetParam().value)) << "a valid value stays as it is";
  }
  const Json once = value;
  schema->RemoveNulls(value);
  EXPECT_EQ(value, once);
}

constexpr NullRow kNullRows[] = {
    {"OptionalProperty", R"({"properties":{"a":{"type":"string"},"b":{"type":"integer"}}})", R"({"a":null,"b":1})",
     R"({"b":1})"},
    {"AllOfThem", R"({"properties":{"a":{"type":"string"},"b":{"type":"integer"}}})", R"({"a":null,"b":null})", "{}"},
    {"Enumeration", R"({"properties":{"a":{"enum":["x","y"]}}})", R"({"a":null})", "{}"},
    {"Nested", R"({"properties":{"o":{"type":"object","properties":{"a":{"type":"string"}}}}})", R"({"o":{"a":null}})",
     R"({"o":{}})"},
    {"InItems", R"({"properties":{"l":{"items":{"properties":{"a":{"type":"string"}}}}}})",
     R"({"l":[{"a":null},{"a":"x"}]})", R"({"l":[{},{"a":"x"}]})"},
    {"InPrefixItems",
     R"({"properties":{"l":{"prefixItems":[{"properties":{"a":{"type":"string"}}}],"items":{"type":"object"}}}})",
     R"({"l":[{"a":null},{"a":null}]})", R"({"l":[{},{"a":null}]})"},
    {"ThroughReference", R"({"$ref":"#/$defs/o","$defs":{"o":{"properties":{"a":{"type":"string"}}}}})",
     R"({"a":null})", "{}"},
    {"ThroughRecursion", R"({"$ref":"#/$defs/f","$defs":{"f":{"properties":{"p":{"type":"string"},
     "and":{"type":"array","items":{"$ref":"#/$defs/f"}}}}}})",
     R"({"p":null,"and":[{"p":"x","and":null},{"and":[{"p":null}]}]})", R"({"and":[{"p":"x"},{"and":[{}]}]})"},
    {"ThroughAllOf", R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]})",
     R"({"a":null,"b":null})", "{}"},
    {"OneOfTwoSubschemasThatApplyRefuses",
     R"({"properties":{"a":true},"allOf":[{"properties":{"a":{"type":"string"}}}]})", R"({"a":null})", "{}"},
    {"ThroughNullableObject",
     R"({"properties":{"o":{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"null"}]}}})",
     R"({"o":{"a":null}})", R"({"o":{}})"},
    {"InMembersOfAMap", R"({"additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}})",
     R"({"k":{"a":null}})", R"({"k":{}})"},
    // Kept.
    {"Required", R"({"properties":{"a":{"type":"string"}},"required":["a"]})", R"({"a":null})", R"({"a":null})"},
    {"RequiredBesides", R"({"properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]})", R"({"a":null})",
     R"({"a":null})"},
    {"Nullable", R"({"properties":{"a":{"type":["string","null"]}}})", R"({"a":null})", R"({"a":null})"},
    {"NullableByAnyOf", R"({"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}})", R"({"a":null})",
     R"({"a":null})"},
    {"NullAmongEnumeration", R"({"properties":{"a":{"enum":["x",null]}}})", R"({"a":null})", R"({"a":null})"},
    {"WithoutAType", R"({"properties":{"a":{"description":"any value"}}})", R"({"a":null})", R"({"a":null})"},
    {"UnknownProperty", R"({"properties":{"a":{"type":"string"}}})", R"({"b":null})", R"({"b":null})"},
    {"MemberOfAMap", R"({"additionalProperties":{"type":"string"}})", R"({"k":null})", R"({"k":null})"},
    {"FreeObject", R"({"properties":{"data":{"type":"object"}}})", R"({"data":{"due":null}})",
     R"({"data":{"due":null}})"},
    {"Item", R"({"properties":{"l":{"items":{"type":"string"}}}})", R"({"l":[null]})", R"({"l":[null]})"},
    {"OneOfSeveralBranches",
     R"({"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}]})", R"({"a":null})",
     R"({"a":null})"},
    {"NoObject", R"({"properties":{"a":{"type":"string"}}})", "null", "null"},
    {"OtherValues", R"({"properties":{"a":{"type":"string"},"b":{"type":"boolean"},"c":{"type":"array"}}})",
     R"({"a":"","b":false,"c":[]})", R"({"a":"","b":false,"c":[]})"},
};
INSTANTIATE_TEST_SUITE_P(Rows, NullRemoverTest, ::testing::ValuesIn(kNullRows),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(NullRemoverDepthTest, LeavesWhatIsTooDeepToBeAnArgument) {
  const auto schema = Compile(R"({"$ref":"#/$defs/n","$defs":{"n":{"properties":{"a":{"type":"object"},
                                  "n":{"$ref":"#/$defs/n"}}}}})");
  Json value = {{"a", nullptr}};
  for (int i = 0; i < 2000; ++i) value = Json{{"n", std::move(value)}};
  const Json before = value;
  schema->RemoveNulls(value);
  EXPECT_EQ(value, before);
}

}  // namespace
}  // namespace toolgate::security::param_validation
