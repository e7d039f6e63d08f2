#include "common/text/utf8.h"

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

}  // namespace
}  // namespace toolgate::text
