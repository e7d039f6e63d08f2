#include "common/json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
    [](const auto& row) { return std::string(row.param.name); });

TEST(JsonTest, KeepsTheOrderOfKeys) {
  const auto parsed = ParseJson(R"({"z":1,"a":{"y":[true,null,"ü"],"b":-2.5}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(DumpJson(*parsed), R"({"z":1,"a":{"y":[true,null,"ü"],"b":-2.5}})");
}

// Against the library that the values come from.
TEST(JsonTest, WritesEveryKindOfValueAsTheLibraryDoes) {
  std::string ascii;
  for (int c = 0; c < 128; ++c) ascii += static_cast<char>(c);
  const std::string texts[] = {"", ascii, "ä€😀", "broken \xC3( and \xE2\x82", "\x80\"", "\xC3\xA4\n"};
  Json all = Json::array({nullptr, true, false, 0, -1, INT64_MIN, UINT64_MAX, 0.5, 1e300, -0.0, 3.0, Json::array(),
                          Json::object(), Json::array({Json::array({1, 2}), Json::object({{"a", 1}, {"b", {}}})})});
  for (const std::string& text : texts) {
    all.push_back(text);
    all.push_back(Json::object({{text, text}}));
  }
  for (const Json& value : all) {
    EXPECT_EQ(DumpJson(value), value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  EXPECT_EQ(DumpJson(all), all.dump(-1, ' ', false, Json::error_handler_t::replace));
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

// Texts that simdjson passes on to the second parser, which is more lenient in places.
TEST(JsonTest, TheSecondParserIsNoMoreLenient) {
  const std::string big = "[18446744073709551616,";
  EXPECT_TRUE(ParseJson(big + "1]").ok());
  for (const std::string& text :
       std::vector<std::string>{big + "1]" + std::string(1, '\0'), big + "1] x", big + "{\"a\":1,\"a\":2}]",
                                big + "/* */1]", "\xEF\xBB\xBF[1]", std::string("[1]\0", 4), std::string("[\"\0\"]", 5),
                                big + "1e999]", big + "01]", big + "\"\\ud800\"]"}) {
    EXPECT_EQ(ParseJson(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(JsonTest, TheSecondParserHoldsTheSameBounds) {
  const JsonLimits limits{.max_depth = 3, .max_keys = 2, .max_values = 6};
  const std::string big = "18446744073709551616";
  EXPECT_TRUE(ParseJson("[[[" + big + "]]]", limits).ok());
  EXPECT_FALSE(ParseJson("[[[[" + big + "]]]]", limits).ok());
  EXPECT_TRUE(ParseJson("{\"a\":1,\"b\":" + big + "}", limits).ok());
  EXPECT_FALSE(ParseJson("{\"a\":1,\"b\":" + big + ",\"c\":1}", limits).ok());
  EXPECT_TRUE(ParseJson("[1,2,3,4," + big + "]", limits).ok());
  EXPECT_FALSE(ParseJson("[1,2,3,4,5," + big + "]", limits).ok());
}

TEST(JsonTest, ReadsDeeperThanSimdjsonWhenToldTo) {
  const std::string text = std::string(1500, '[') + std::string(1500, ']');
  EXPECT_TRUE(ParseJson(text, {.max_depth = 1500}).ok());
  EXPECT_FALSE(ParseJson(text, {.max_depth = 1499}).ok());
}

TEST(JsonTest, KeepsTheRangeOfNumbers) {
  const auto parsed = ParseJson(R"([9223372036854775807,-9223372036854775808,-0,1.7976931348623157e308,5e-324,1E400])");
  EXPECT_FALSE(parsed.ok());
  const auto good =
      ParseJson(R"([9223372036854775807,-9223372036854775808,-0,1.7976931348623157e308,5e-324,-9223372036854775809])");
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)[0].get<int64_t>(), INT64_MAX);
  EXPECT_EQ((*good)[1].get<int64_t>(), INT64_MIN);
  EXPECT_EQ((*good)[4].get<double>(), 5e-324);
  EXPECT_TRUE((*good)[5].is_number_float());
}

TEST(JsonTest, ShortensKeysInMessagesAtACharacter) {
  std::string key;
  for (int i = 0; i < 100; ++i) key += "ü";
  const auto parsed = ParseJson("{\"" + key + "x\":1,\"" + key + "x\":1}");
  ASSERT_FALSE(parsed.ok());
  const std::string message(parsed.status().message());
  EXPECT_LT(message.size(), 150u);
  EXPECT_NE(DumpJson(Json(message)).find("ü"), std::string::npos);
  EXPECT_EQ(DumpJson(Json(message)).find("\xEF\xBF\xBD"), std::string::npos);
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

TEST(CanonicalJsonTest, PrintsEqualNumbersAlike) {
  EXPECT_EQ(CanonicalJson(*ParseJson("1152921504606846976.0")), "1152921504606846976");
  EXPECT_EQ(CanonicalJson(*ParseJson("9223372036854775808.0")), CanonicalJson(*ParseJson("9223372036854775808")));
  EXPECT_EQ(CanonicalJson(*ParseJson("-0.0")), "0");
  EXPECT_NE(CanonicalJson(*ParseJson("9007199254740993")), CanonicalJson(*ParseJson("9007199254740992.0")));
}

TEST(CanonicalJsonTest, EscapesStringsAsJsonDoes) {
  EXPECT_EQ(CanonicalJson(*ParseJson(R"({"a\"b":"\u0001\\\/ü"})")), R"({"a\"b":"\u0001\\/ü"})");
}

TEST(CanonicalJsonTest, TellsDifferentValuesApart) {
  EXPECT_NE(CanonicalJson(*ParseJson("1.5")), CanonicalJson(*ParseJson("1")));
  EXPECT_NE(CanonicalJson(*ParseJson("\"1\"")), CanonicalJson(*ParseJson("1")));
  EXPECT_EQ(CanonicalJson(*ParseJson("{}")), "{}");
  EXPECT_EQ(CanonicalJson(*ParseJson("[]")), "[]");
}

}  // namespace
}  // namespace toolgate
