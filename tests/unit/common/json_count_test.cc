#include "common/json_count.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;

// `count` times `unit`.
std::string Times(size_t count, std::string_view unit) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST(CountJsonTest, CountsKeysAndValues) {
  const struct {
    std::string_view text;
    size_t keys;
    size_t values;
  } rows[] = {
      {"", 0, 0},
      {"1", 0, 1},
      {"\"a\"", 0, 1},
      {"{}", 0, 1},
      {"[]", 0, 1},
      {" [ 1 , -2.5e3,true,null , \"x\" ] ", 0, 6},
      {R"({"a":1,"b" : {"c":[{},[]]}})", 3, 6},
      {R"({"a:b,{[":"}]:,\"\\"})", 1, 2},
      {R"(["\\","\"",""])", 0, 4},
      {"[\"\xC3\xA9\"]", 0, 2},
  };
  for (const auto& row : rows) {
    const auto counts = CountJson(row.text, {});
    ASSERT_TRUE(counts.ok()) << row.text;
    EXPECT_EQ(counts->keys, row.keys) << row.text;
    EXPECT_EQ(counts->values, row.values) << row.text;
    EXPECT_EQ(ParseJson(row.text).ok(), !row.text.empty()) << row.text;
  }
}

TEST(CountJsonTest, TakesExactlyWhatTheParserTakes) {
  const std::string_view texts[] = {R"({"a":[1,{"b":{}}],"c":"x","d":[[],[[]]]})", "[[[[1]]]]", R"([{"a":0},{"a":0}])"};
  for (const std::string_view text : texts) {
    for (size_t bound = 0; bound < 14; ++bound) {
      const JsonLimits limits[] = {{.max_depth = static_cast<int>(bound)}, {.max_keys = bound}, {.max_values = bound}};
      for (const JsonLimits& limit : limits) {
        EXPECT_EQ(CountJson(text, limit).ok(), ParseJson(text, limit).ok()) << text << " with " << bound;
      }
    }
  }
}

TEST(CountJsonTest, NamesTheBoundAndThePlace) {
  EXPECT_EQ(CountJson(R"({"a":1,"b":2})", {.max_keys = 1}).status().message(), "more than 1 object keys, at byte 10");
  EXPECT_EQ(CountJson("[1,22,3]", {.max_values = 3}).status().message(), "more than 3 values, at byte 6");
  EXPECT_EQ(CountJson("[[[", {.max_depth = 2}).status().message(), "nested deeper than 2 levels, at byte 2");
}

TEST(CountJsonTest, CountsTokensOfWhatIsNoJson) {
  const std::string_view units[] = {"{}", "{", "[", ":", "\"\"", "0 ", "{}\n", "\"", "\\"};
  for (const std::string_view unit : units) {
    const std::string text = Times(1000, unit);
    const auto counts = CountJson(text, {.max_depth = 100, .max_keys = 100, .max_values = 1000});
    EXPECT_TRUE(!counts.ok() || counts->values <= 1000) << unit;
  }
  EXPECT_FALSE(CountJson(Times(1000, "{"), {}).ok());
  EXPECT_FALSE(CountJson(Times(20'000, ":"), {}).ok());
}

// Before simdjson makes its own form of the text, which costs some 14 times its bytes.
TEST(CountJsonTest, DenseTextsAreRefusedByTheParserToo) {
  const JsonLimits limits{.max_bytes = size_t{4} << 20};
  EXPECT_THAT(ParseJson("[" + Times(1'000'000, "{},") + "{}]", limits).status().message(),
              HasSubstr("more than 100000 values, at byte "));
  EXPECT_THAT(ParseJson("{" + Times(200'000, "\"a\":1,") + "\"b\":1}", limits).status().message(),
              HasSubstr("more than 10000 object keys, at byte "));
}

TEST(CountJsonTest, ShortTextsNeedNoCount) {
  const JsonLimits limits{.max_keys = 10, .max_values = 100};
  EXPECT_FALSE(MayExceedCounts(49, limits));
  EXPECT_TRUE(MayExceedCounts(50, limits));
  // The shortest texts that hold one part too many.
  EXPECT_TRUE(MayExceedCounts(std::string_view(R"({"":0,"a":0})").size(), {.max_keys = 1}));
  EXPECT_TRUE(MayExceedCounts(std::string_view("[0,1]").size(), {.max_values = 2}));
}

}  // namespace
}  // namespace toolgate
