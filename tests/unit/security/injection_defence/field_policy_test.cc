#include "security/injection_defence/field_policy.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::injection_defence {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::map<std::string, std::string> Visit(const char* schema, const char* arguments) {
  constexpr const char* kActions[] = {"off", "flag", "block"};
  constexpr const char* kModes[] = {"verbatim", "text", "line"};
  std::map<std::string, std::string> seen;
  const FieldPolicy policy = FieldPolicy::Compile(Json::parse(schema)).value();
  EXPECT_TRUE(policy
                  .Visit(Json::parse(arguments),
                         [&](const FieldPolicy::Text& text) {
                           seen[JsonPointer(text.place) + (text.is_key ? " key" : "")] =
                               std::string(kActions[static_cast<int>(text.rule.action)]) + " " +
                               kModes[static_cast<int>(text.rule.mode)];
                           return absl::OkStatus();
                         })
                  .ok());
  return seen;
}

TEST(FieldPolicyTest, AnnotationsHoldWhereTheyStandAndInside) {
  const char* schema = R"({"properties":{
      "query":{"type":"string","x-toolgate-injection":"block","x-toolgate-sanitize":"line"},
      "code":{"type":"string","x-toolgate-injection":"off","x-toolgate-sanitize":"verbatim"},
      "tags":{"type":"array","x-toolgate-sanitize":"line","items":{"type":"string"}},
      "title":{"type":"string"}, "n":{"type":"number"}}})";
  EXPECT_THAT(Visit(schema, R"({"query":"a","code":"b","tags":["c",1,"d"],"title":"e","n":5})"),
              ElementsAre(Pair("/code", "off verbatim"), Pair("/query", "block line"), Pair("/tags/0", "flag line"),
                          Pair("/tags/2", "flag line"), Pair("/title", "flag text")));
}

TEST(FieldPolicyTest, FreeFormObjectsInheritAndTheirKeysAreSeen) {
  EXPECT_THAT(Visit(R"({"properties":{"data":{"type":"object","x-toolgate-injection":"block"}}})",
                    R"({"data":{"a/b":{"c":"x"}}})"),
              ElementsAre(Pair("/data/a~1b key", "block text"), Pair("/data/a~1b/c", "block text"),
                          Pair("/data/a~1b/c key", "block text")));
}

TEST(FieldPolicyTest, ReferencesAndBranchesAreFollowedAndTheStrictestWins) {
  const char* schema = R"({"$defs":{"node":{"properties":{"text":{"x-toolgate-injection":"block"},
      "child":{"$ref":"#/$defs/node"}}}},
      "allOf":[{"properties":{"a":{"x-toolgate-injection":"off"}}},{"properties":{"a":{"x-toolgate-injection":"block"}}}],
      "properties":{"root":{"$ref":"#/$defs/node"}}})";
  EXPECT_THAT(Visit(schema, R"({"a":"x","root":{"text":"y","child":{"child":{"text":"z"}}}})"),
              ElementsAre(Pair("/a", "block text"), Pair("/root/child/child/text", "block text"),
                          Pair("/root/text", "block text")));
}

TEST(FieldPolicyTest, AnUnknownAnnotationIsRefused) {
  EXPECT_EQ(FieldPolicy::Compile(Json::parse(R"({"x-toolgate-injection":"maybe"})")).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldPolicy::Compile(Json::parse(R"({"properties":{"a":{"x-toolgate-sanitize":3}}})")).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::security::injection_defence
