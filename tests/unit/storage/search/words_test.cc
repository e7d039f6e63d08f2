#include "storage/search/words.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::storage::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> words;
  SplitWords(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(SplitWordsTest, SplitsAtWhatIsNeitherLetterNorDigit) {
  EXPECT_THAT(Split("Hello, world_2! don't"), ElementsAre("hello", "world", "2", "don", "t"));
  EXPECT_THAT(Split("Größe—naïve «Œuvre»"), ElementsAre("grosse", "naive", "œuvre"));
  EXPECT_THAT(Split(""), IsEmpty());
  EXPECT_THAT(Split(" … 。!"), IsEmpty());
}

TEST(SplitWordsTest, FoldsCaseAccentsAndWidth) {
  EXPECT_THAT(Split("ＦＵＬＬ　Ｗｉｄｔｈ１２"), ElementsAre("full", "width12"));
  EXPECT_THAT(Split("ÉCOLE e\u0301cole ﬁn"), ElementsAre("ecole", "ecole", "fin"));
  EXPECT_THAT(Split("ΣΊΣΥΦΟΣ"), ElementsAre("σισυφοσ"));
  EXPECT_THAT(Split("Ёлка ЕЛКА мой МОИ"), ElementsAre("елка", "елка", "мой", "мои"));
  EXPECT_THAT(Split("Tiếng Việt"), ElementsAre("tieng", "viet"));
}

TEST(SplitWordsTest, LeavesOutPointsOfArabicAndHebrew) {
  EXPECT_EQ(Split("مُحَمَّد"), Split("محمد"));
  EXPECT_EQ(Split("أحمد إلى آخر"), Split("احمد الى اخر"));
  EXPECT_EQ(Split("الــعربية"), Split("العربية"));
  EXPECT_EQ(Split("שָׁלוֹם"), Split("שלום"));
  EXPECT_EQ(Split("می\u200Cخواهم"), Split("میخواهم"));
}

TEST(SplitWordsTest, KeepsVowelSignsAndVoicedKana) {
  EXPECT_THAT(Split("हिन्दी में"), ElementsAre("हिन्दी", "में"));
  EXPECT_THAT(Split("한국어 문서"), ElementsAre("한국어", "문서"));
  EXPECT_NE(Split("ガス"), Split("カス"));
  EXPECT_EQ(Split("ｶﾞｽ"), Split("ガス"));
}

TEST(SplitWordsTest, FindsWordsWhereNoBlanksAreWritten) {
  EXPECT_THAT(Split("我们使用数据库"), Contains("数据"));
  EXPECT_THAT(Split("東京都に住んでいます"), Contains("東京"));
  EXPECT_THAT(Split("สวัสดีชาวโลก"), SizeIs(testing::Gt(1u)));
  EXPECT_THAT(Split("ทำงาน"), Contains("ทำงาน"));
  EXPECT_THAT(Split("2026年Tシャツ"), ElementsAre("2026", "年", "t", "シャツ"));
}

TEST(SplitWordsTest, IllFormedTextEndsAWord) {
  EXPECT_THAT(Split("a\x80Ü\xC3"), ElementsAre("a", "u"));
  EXPECT_THAT(Split("\xFF\xFE"), IsEmpty());
}

TEST(SplitWordsTest, LongTextsAreSplitAsShortOnes) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 20'000; ++i) {
    text += "Übung ";
    expected.emplace_back("ubung");
  }
  EXPECT_EQ(Split(text), expected);
  std::string without_blanks;
  for (int i = 0; i < 20'000; ++i) without_blanks += "é";
  std::string joined;
  for (const std::string& word : Split(without_blanks)) joined += word;
  EXPECT_EQ(joined, std::string(20'000, 'e'));
}

}  // namespace
}  // namespace toolgate::storage::search
