#include "services/http/json_position.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

TEST(JsonPositionTest, FindsTheFirstWrongByte) {
  const struct {
    std::string_view name;
    std::string_view text;
    size_t line;
    size_t column;
  } rows[] = {
      {"nothing", "", 1, 1},
      {"a word", "hello", 1, 1},
      {"a comma too many", "{\"a\": 1,}", 1, 9},
      {"on a later line", "{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3},
      {"something behind", "{} x", 1, 4},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.name));
    const auto found = FindSyntaxError(row.text);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->line, row.line);
    // The parser names the end of the token that does not fit.
    EXPECT_GE(found->column, row.column);
    EXPECT_LE(found->column, row.column + 3);
  }
}

TEST(JsonPositionTest, FindsNothingInJson) {
  EXPECT_FALSE(FindSyntaxError("{\"a\": [1, -2.5e3, \"x\", null, true]}").has_value());
  EXPECT_FALSE(FindSyntaxError("{\"a\": 1, \"a\": 2}").has_value());
}

TEST(JsonPositionTest, ReadsDeepTextWithoutRecursion) {
  EXPECT_TRUE(FindSyntaxError(std::string(1'000'000, '[')).has_value());
}

}  // namespace
}  // namespace toolgate::services::http
