#include "security/injection_defence/text/words.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::security::injection_defence::text {
namespace {

std::vector<Word> WordsOf(std::string_view text) {
  std::vector<Word> words;
  ReadWords(text, words);
  return words;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

TEST(WordsTest, SaysWhereTheyStandAndWhatTheyAreMadeOf) {
  const std::vector<Word> words = WordsOf("Take 20 of b2-a.");
  ASSERT_EQ(words.size(), 5U);
  EXPECT_EQ(words[1].start, 5U);
  EXPECT_EQ(words[1].end, 7U);
  EXPECT_FALSE(words[1].letters);
  EXPECT_TRUE(words[1].digits);
  EXPECT_TRUE(words[3].letters && words[3].digits);
  EXPECT_TRUE(words[4].letters);
  EXPECT_FALSE(words[4].digits);
  EXPECT_EQ(words[4].end, 15U);
}

TEST(WordsTest, CaseDoesNotCountInHashes) {
  EXPECT_EQ(WordsOf("IGNORE")[0].hash, HashOfWord("ignore"));
  EXPECT_EQ(WordsOf("Untrustworthiness of")[0].hash, HashOfWord("untrustworthiness"));
  EXPECT_NE(HashOfWord("ignore"), HashOfWord("ignored"));
  EXPECT_NE(HashOfWord("untrustworthiness"), HashOfWord("untrustworthinesz"));
}

// At every length around the size of a block, with every byte value.
TEST(WordsTest, FindsWhatALoopOverTheBytesFinds) {
  std::mt19937 random(11);
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    const bool words_only = round % 4 == 0;
    for (size_t size = random() % 200; text.size() < size;) {
      text += random() % 3 == 0 ? static_cast<char>(random() % 256) : words_only ? 'x' : "aZ09 @[`{/:"[random() % 11];
    }
    const std::vector<Word> words = WordsOf(text);
    size_t next = 0;
    for (size_t at = 0; at < text.size();) {
      if (!IsLetter(text[at]) && !IsDigit(text[at])) {
        ++at;
        continue;
      }
      const size_t start = at;
      bool letters = false;
      bool digits = false;
      std::string lower;
      for (; at < text.size() && (IsLetter(text[at]) || IsDigit(text[at])); ++at) {
        letters |= IsLetter(text[at]);
        digits |= IsDigit(text[at]);
        lower += IsLetter(text[at]) ? static_cast<char>(text[at] | 0x20) : text[at];
      }
      ASSERT_LT(next, words.size());
      const Word& word = words[next++];
      ASSERT_EQ(word.start, start);
      ASSERT_EQ(word.end, at);
      ASSERT_EQ(word.letters, letters);
      ASSERT_EQ(word.digits, digits);
      ASSERT_EQ(word.hash, HashOfWord(lower)) << lower;
    }
    ASSERT_EQ(next, words.size());
  }
}

}  // namespace
}  // namespace toolgate::security::injection_defence::text
