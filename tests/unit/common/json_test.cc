#include "common/json.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;

struct Refused {
  std::string_view name;
  std::string text;
  std::string_view says;
};

class JsonRefusalTest : public ::testing::TestWithParam<Refused> {};

TEST_P(JsonRefusalTest, SaysWhatIsWrong) {
  const auto parsed = ParseJson(GetParam().text);
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(std::string(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    Table, JsonRefusalTest,
    ::testing::Values(Refused{"Empty", "", "not well-formed JSON"},
                      Refused{"TwoValues", "{} {}", "not well-formed JSON at byte 4"},
                      Refused{"TrailingComma", "[1,]", "not well-formed JSON"},
                      Refused{"Comment", "{/**/}", "not well-formed JSON"},
                      Refused{"LoneSurrogate", R"(["\ud800"])", "not well-formed JSON"},
                      Refused{"BadUtf8", "[\"\xC3\x28\"]", "UTF-8"},
                      Refused{"DuplicateKey", R"({"a":{"b":1,"b":2}})", "\"/a/b\" is given twice"},
                      Refused{"DuplicateByEscape", R"({"b":1,"\u0062":2})", "given twice"},
                      Refused{"HugeNumber", "[1e999]", "beyond the range of a double"},
                      Refused{"DepthBomb", std::string(100'000, '['), "deeper than 64"},
                      Refused{"TooDeep", std::string(65, '[') + std::string(65, ']'), "deeper than 64"},
                      Refused{"TooLong", '"' + std::string(1 << 20, 'x') + '"', "at most 1048576"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(JsonTest, KeepsTheOrderOfKeys) {
  const auto parsed = ParseJson(R"({"z":1,"a":{"y":[true,null,"ü"],"b":-2.5}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(DumpJson(*parsed), R"({"z":1,"a":{"y":[true,null,"ü"],"b":-2.5}})");
}

TEST(JsonTest, ReadsIntegersBeyond64BitsAsDoubles) {
  const auto parsed = ParseJson(R"({"n":[18446744073709551615,18446744073709551616]})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE((*parsed)["n"][0].is_number_unsigned());
  EXPECT_EQ((*parsed)["n"][1].get<double>(), 18446744073709551616.0);
}

TEST(JsonTest, AcceptsTheDeepestAllowedNesting) {
  EXPECT_TRUE(ParseJson(std::string(64, '[') + std::string(64, ']')).ok());
}

TEST(JsonTest, FindsDuplicatesInLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(ParseJson(text + "\"last\":0}").ok());
  EXPECT_FALSE(ParseJson(text + "\"k3\":0}").ok());
  EXPECT_FALSE(ParseJson(text + "\"k99\":0}").ok());
}

TEST(JsonTest, CountsKeysAndValues) {
  const JsonLimits limits{.max_keys = 2, .max_values = 4};
  EXPECT_TRUE(ParseJson(R"({"a":1,"b":2})", limits).ok());
  EXPECT_FALSE(ParseJson(R"({"a":1,"b":2,"c":3})", limits).ok());
  EXPECT_FALSE(ParseJson("[1,2,3,4]", limits).ok());
}

TEST(CanonicalJsonTest, IsTheSameForEqualValues) {
  const auto left = ParseJson(R"({"b":[1.0,{"y":1,"x":2}],"a":null})");
  const auto right = ParseJson(R"( {"a":null, "b":[1,{"x":2e0,"y":1}]} )");
  EXPECT_EQ(CanonicalJson(*left), R"({"a":null,"b":[1,{"x":2,"y":1}]})");
  EXPECT_EQ(CanonicalJson(*left), CanonicalJson(*right));
}

TEST(CanonicalJsonTest, TellsDifferentValuesApart) {
  EXPECT_NE(CanonicalJson(*ParseJson("1.5")), CanonicalJson(*ParseJson("1")));
  EXPECT_NE(CanonicalJson(*ParseJson("\"1\"")), CanonicalJson(*ParseJson("1")));
  EXPECT_EQ(CanonicalJson(*ParseJson("{}")), "{}");
  EXPECT_EQ(CanonicalJson(*ParseJson("[]")), "[]");
}

}  // namespace
}  // namespace toolgate
