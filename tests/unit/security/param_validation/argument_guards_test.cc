#include "security/param_validation/argument_guards.h"

#include "gtest/gtest.h"

namespace toolgate::security::param_validation {
namespace {

TEST(ArgumentGuardsTest, FindsPrototypeKeysAtAnyDepth) {
  struct Row {
    const char* arguments;
    const char* path;
  };
  for (const Row& row : {Row{R"({"__proto__":{}})", "/__proto__"}, Row{R"({"a":{"constructor":1}})", "/a/constructor"},
                         Row{R"({"a":[1,{"b":[[{"prototype":null}]]}]})", "/a/1/b/0/0/prototype"}}) {
    const auto found = FindPrototypeKey(Json::parse(row.arguments));
    ASSERT_TRUE(found.has_value()) << row.arguments;
    EXPECT_EQ(found->path, row.path);
    EXPECT_EQ(found->rule, "prototypeKey");
  }
}

TEST(ArgumentGuardsTest, LetsLookAlikesPass) {
  EXPECT_FALSE(FindPrototypeKey(Json::parse(
      R"({"proto":1,"__proto":2,"Constructor":3,"prototypes":4,"text":"__proto__ constructor prototype","list":["constructor"]})")));
}

TEST(ArgumentGuardsTest, RefusesWhatIsTooDeepToLookThrough) {
  Json value = 1;
  for (int i = 0; i < 1100; ++i) value = Json::array({std::move(value)});
  ASSERT_TRUE(FindPrototypeKey(value).has_value());
  EXPECT_EQ(FindPrototypeKey(value)->rule, "depth");
}

}  // namespace
}  // namespace toolgate::security::param_validation
