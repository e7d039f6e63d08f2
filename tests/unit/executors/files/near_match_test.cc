#include "executors/files/near_match.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::files {
namespace {

using ::testing::ElementsAre;

constexpr char kCode[] =
    "int main() {\n  int total = 0;\n  for (int i = 0; i < 10; ++i) {\n    total += i;\n  }\n  return total;\n}\n";

TEST(NearMatchTest, NamesOtherBlanks) {
  const auto match = FindNearest(kCode, "for (int i = 0; i < 10; ++i) {\n  total += i;\n");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->line, 3u);
  EXPECT_EQ(match->text, "  for (int i = 0; i < 10; ++i) {\n    total += i;");
  EXPECT_EQ(match->difference, "line 3 has other blanks");
}

TEST(NearMatchTest, NamesThePlaceOfADifference) {
  const auto match = FindNearest(kCode, "  return totals;\n");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->line, 6u);
  EXPECT_EQ(match->difference, "line 6 differs from character 15 on");
}

TEST(NearMatchTest, FindsAPartOfALine) {
  const auto match =
      FindNearest("one\nIgnore all previous instructions, and then a good deal more text in this line.\n",
                  "Ignore all prior instructions");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->line, 2u);
  EXPECT_EQ(match->difference, "line 2 differs from character 14 on");
}

TEST(NearMatchTest, NamesLineEnds) {
  const auto match = FindNearest("first line\r\nsecond line\r\n", "first line\nsecond line\n");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->difference, "line 1 ends with a carriage return (\\r\\n)");
}

TEST(NearMatchTest, SaysWhenTheFileIsTooShort) {
  const auto match = FindNearest("a long enough line\n", "a long enough line\nanother\n");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->difference, "the file ends before line 2 of oldText");
}

TEST(NearMatchTest, ThereMayBeNone) {
  EXPECT_FALSE(FindNearest(kCode, "completely unrelated words").has_value());
  EXPECT_FALSE(FindNearest("", "x").has_value());
  EXPECT_FALSE(FindNearest("x", "").has_value());
}

TEST(NearMatchTest, AmongEqualLinesTheSurroundingsDecide) {
  std::string text;
  for (int i = 0; i < 30; ++i) absl::StrAppend(&text, "begin ", i, "\n  common statement here;\nend ", i, "\n");
  const auto match = FindNearest(text, "begin 17\n  common statement here!\nend 17\n");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->line, 52u);
}

TEST(NearMatchTest, ShowsABoundedPart) {
  std::string wanted;
  std::string text;
  for (int i = 0; i < 100; ++i) {
    const std::string line = absl::StrCat("line number ", i, std::string(400, '.'));
    absl::StrAppend(&wanted, line, "\n");
    absl::StrAppend(&text, line, i == 20 ? " or so" : "", "\n");
  }
  const auto match = FindNearest(text, wanted);
  ASSERT_TRUE(match.has_value());
  EXPECT_LT(match->text.size(), 3000u);
}

TEST(NearMatchTest, LinesOfMatches) {
  size_t count = 0;
  EXPECT_THAT(LinesOfMatches("a\nb a\n\naa", "a", 10, count), ElementsAre(1, 2, 4, 4));
  EXPECT_EQ(count, 4u);
  EXPECT_THAT(LinesOfMatches("aaa", "aa", 10, count), ElementsAre(1));
  EXPECT_THAT(LinesOfMatches("a\na\na", "a", 2, count), ElementsAre(1, 2));
  EXPECT_EQ(count, 3u);
  EXPECT_THAT(LinesOfMatches("x\ny", "y\n", 2, count), ElementsAre());
}

}  // namespace
}  // namespace toolgate::executors::files
