#include "common/text/utf8.h"

#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(Utf8Test, OnlyBytesWithinACharacterContinueIt) {
  EXPECT_FALSE(ContinuesCharacter('a'));
  EXPECT_FALSE(ContinuesCharacter('\xc3'));
  EXPECT_TRUE(ContinuesCharacter('\xa9'));
  EXPECT_FALSE(ContinuesCharacter('\xf0'));
}

TEST(Utf8Test, CharactersOfSeveralBytesCountOnce) {
  EXPECT_EQ(CountCharacters(""), 0u);
  EXPECT_EQ(CountCharacters("abc"), 3u);
  EXPECT_EQ(CountCharacters("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), 4u);
}

TEST(Utf8Test, APrefixOfBytesEndsWhereACharacterEnds) {
  EXPECT_EQ(PrefixOfBytes("abc", 3), "abc");
  EXPECT_EQ(PrefixOfBytes("abc", 2), "ab");
  EXPECT_EQ(PrefixOfBytes("a\xe2\x82\xac", 4), "a\xe2\x82\xac");
  EXPECT_EQ(PrefixOfBytes("a\xe2\x82\xac", 3), "a");
  EXPECT_EQ(PrefixOfBytes("a\xe2\x82\xac", 2), "a");
  EXPECT_EQ(PrefixOfBytes("\xe2\x82\xac", 2), "");
  EXPECT_EQ(PrefixOfBytes("abc", 0), "");
}

TEST(Utf8Test, APrefixOfCharactersIsWhole) {
  EXPECT_EQ(PrefixOfCharacters("", 0), "");
  EXPECT_EQ(PrefixOfCharacters("abc", 0), "");
  EXPECT_EQ(PrefixOfCharacters("abc", 3), "abc");
  EXPECT_EQ(PrefixOfCharacters("\xc3\xa9\xe2\x82\xac!", 1), "\xc3\xa9");
  EXPECT_EQ(PrefixOfCharacters("\xc3\xa9\xe2\x82\xac!", 2), "\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(PrefixOfCharacters("\xc3\xa9\xe2\x82\xac", 2), "\xc3\xa9\xe2\x82\xac");
}

TEST(Utf8Test, TellsWellFormedText) {
  for (const std::string_view good : {"", "a", "\u00FC", "\u20AC", "\U0001F600", "\uD7FF", "\uE000"}) {
    EXPECT_TRUE(IsWellFormedUtf8(good)) << good;
  }
  for (const std::string_view bad : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
                                     "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xE2\x82"}) {
    EXPECT_FALSE(IsWellFormedUtf8(bad)) << ::testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace toolgate::text
