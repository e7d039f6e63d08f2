#include "security/injection_defence/rules/matcher.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/embedded_file.h"
#include "gtest/gtest.h"
#include "security/injection_defence/rules/rule_set.h"

namespace toolgate::security::injection_defence::rules {
namespace {

RuleSet Words(const std::string& words) {
  const std::string json = R"({"classes": {"words": {"en": ")" + words + R"("}}})";
  return RuleSet::Parse({{"words.json", json}}).value();
}

void ScanWords(const Matcher& matcher, std::string_view text, std::vector<LiteralMatch>& matches) {
  std::vector<text::Word> words;
  text::ReadWords(text, words);
  matcher.Scan(text, words, matches);
}

// "start-end:text" of each match.
std::vector<std::string> Scan(const std::string& words, std::string_view text, bool inside_words = false) {
  const RuleSet rules = Words(words);
  std::vector<LiteralMatch> matches;
  const Matcher matcher(rules);
  if (inside_words) {
    matcher.ScanInsideWords(text, matches);
  } else {
    ScanWords(matcher, text, matches);
  }
  std::vector<std::string> out;
  for (const LiteralMatch& match : matches) {
    out.push_back(std::to_string(match.start) + "-" + std::to_string(match.end) + ":" +
                  rules.literals()[match.literal].text);
  }
  return out;
}

using Found = std::vector<std::string>;

TEST(MatcherTest, FindsWordsWhateverTheirCase) {
  EXPECT_EQ(Scan("ignore|rules", "IGNORE the Rules"), (Found{"0-6:ignore", "11-16:rules"}));
}

TEST(MatcherTest, WholeWordsEndWhereTheWordEnds) {
  EXPECT_EQ(Scan("rule", "rules rule"), (Found{"6-10:rule"}));
  EXPECT_EQ(Scan("rule~", "rules rule"), (Found{"0-4:rule", "6-10:rule"}));
}

TEST(MatcherTest, WordsBeginWhereAWordBegins) {
  EXPECT_EQ(Scan("all", "recall all"), (Found{"7-10:all"}));
  EXPECT_EQ(Scan("~all", "recall"), (Found{"3-6:all"}));
}

TEST(MatcherTest, InsideOfWordsWhenAsked) {
  EXPECT_EQ(Scan("ignore|all", "ignoreall", /*inside_words=*/true), (Found{"0-6:ignore", "6-9:all"}));
  EXPECT_EQ(Scan("ignore|all", "ignoreall"), Found{});
}

// It would be searched for at every blank of every text, and adds nothing to the word without it.
TEST(MatcherTest, NoLiteralBeginsWithABlank) {
  const auto rules = RuleSet::Parse({{"words.json", R"({"classes": {"words": {"en": "rules| ignore"}}})"}});
  EXPECT_EQ(rules.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MatcherTest, NamesInOneCaseAreNoVocabulary) {
  const std::vector<std::string> words = Words("=DAN|rules").Vocabulary();
  EXPECT_EQ(words, std::vector<std::string>{"rules"});
}

TEST(MatcherTest, MatchesAreOrderedByTheirEnds) {
  EXPECT_EQ(Scan("all previous rules|previous|all", "all previous rules"),
            (Found{"0-3:all", "4-12:previous", "0-18:all previous rules"}));
}

TEST(MatcherTest, AWordThatBeginsAnotherIsFoundToo) {
  EXPECT_EQ(Scan("do|do not|do not follow", "do not follow"), (Found{"0-2:do", "0-6:do not", "0-13:do not follow"}));
}

TEST(MatcherTest, FindsWordsOfOneAndTwoBytesAndAtTheEnds) {
  EXPECT_EQ(Scan("i|to|:", "i to:"), (Found{"0-1:i", "2-4:to", "4-5::"}));
  EXPECT_EQ(Scan("i", ""), Found{});
}

TEST(MatcherTest, FindsOtherScriptsAnywhere) {
  EXPECT_EQ(Scan("忽略", "请忽略它"), (Found{"3-9:忽略"}));
  EXPECT_EQ(Scan("забудь", "забудь"), (Found{"0-12:забудь"}));
}

// The filters in front of the tries must not hide results of a plain search.
TEST(MatcherTest, FindsWhatAPlainSearchFinds) {
  const std::string words = "a|ab|abc|abca|bca|cab|b c|abcabc|c a b|bb";
  const RuleSet rules = Words(words);
  const Matcher matcher(rules);
  std::mt19937 random(7);
  const auto is_word = [](char c) { return c >= 'a' && c <= 'z'; };
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (size_t size = random() % 24; text.size() < size;) text += "abc "[random() % 4];
    std::vector<std::string> expected;
    for (const Literal& literal : rules.literals()) {
      for (size_t at = text.find(literal.text); at != std::string::npos; at = text.find(literal.text, at + 1)) {
        const size_t end = at + literal.text.size();
        if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
        expected.push_back(std::to_string(at) + ":" + literal.text);
      }
    }
    std::vector<LiteralMatch> matches;
    ScanWords(matcher, text, matches);
    std::vector<std::string> found;
    for (const LiteralMatch& match : matches) {
      found.push_back(std::to_string(match.start) + ":" + rules.literals()[match.literal].text);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace toolgate::security::injection_defence::rules
