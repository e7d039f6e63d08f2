#include "executors/planner/snippet.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::planner {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SnippetTest, AShortTextIsShownWhole) {
  EXPECT_EQ(SnippetMaker("dough").Make("Let the dough rest."), "Let the dough rest.");
  EXPECT_EQ(SnippetMaker("dough").Make(""), "");
}

TEST(SnippetTest, ALongTextIsCutAroundTheFirstWordThatIsFound) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "flour water salt\n";
  text += "then the dough rests ";
  for (int i = 0; i < 100; ++i) text += "flour water salt\n";
  const std::string snippet = SnippetMaker("oven dough").Make(text);
  EXPECT_THAT(snippet, HasSubstr("salt then the dough rests flour"));
  EXPECT_THAT(snippet, StartsWith("…"));
  EXPECT_THAT(snippet, EndsWith("…"));
  EXPECT_THAT(snippet, Not(HasSubstr("\n")));
  EXPECT_LE(snippet.size(), 170u);
}

TEST(SnippetTest, CaseAndAccentsDoNotMatter) {
  const std::string before(400, '.');
  for (const char* query : {"cafe", "CAFÉ", "café"}) {
    EXPECT_THAT(SnippetMaker(query).Make(before + " Le Café noir"), HasSubstr("Café noir")) << query;
  }
}

TEST(SnippetTest, OnlyTheLastWordMayBeABeginning) {
  const std::string text = "overture " + std::string(400, '.') + " over";
  EXPECT_THAT(SnippetMaker("dough over").Make(text), StartsWith("overture"));
  EXPECT_THAT(SnippetMaker("over dough").Make(text), EndsWith("over"));
}

TEST(SnippetTest, WordsEndWhereLettersDoInAnyScript) {
  const std::string before(400, '.');
  EXPECT_THAT(SnippetMaker("тест").Make(before + "—тест—"), HasSubstr("тест"));
  EXPECT_THAT(SnippetMaker("now x").Make("known " + before + " now"), EndsWith("now"));
}

TEST(SnippetTest, WithoutAHitItIsTheBeginning) {
  const std::string snippet = SnippetMaker("absent").Make("Begin " + std::string(400, 'x'));
  EXPECT_THAT(snippet, StartsWith("Begin x"));
  EXPECT_THAT(snippet, EndsWith("…"));
  EXPECT_EQ(SnippetMaker("...").Make("Some text"), "Some text");
}

TEST(SnippetTest, NeverCutsACharacterInTwo) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ä";
  text += " wort ";
  for (int i = 0; i < 300; ++i) text += "漢";
  const std::string snippet = SnippetMaker("wort").Make(text);
  EXPECT_THAT(snippet, HasSubstr("wort"));
  std::string rest = snippet;
  for (const char* whole : {"ä", "漢", "…", " ", "wort"}) {
    for (size_t at = rest.find(whole); at != std::string::npos; at = rest.find(whole)) {
      rest.erase(at, std::string_view(whole).size());
    }
  }
  EXPECT_EQ(rest, "");
}

}  // namespace
}  // namespace toolgate::executors::planner
