#include "common/text/words.h"

#include <array>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

constexpr std::array<std::string_view, 2> kArray = {"one", "Two"};
constexpr std::string_view kList[] = {"one", "Two"};

TEST(WordsTest, FindsAWordAsItIsWritten) {
  EXPECT_TRUE(IsOneOf("one", kArray));
  EXPECT_TRUE(IsOneOf("Two", kList));
  EXPECT_TRUE(IsOneOf("b", {"a", "b"}));
  EXPECT_FALSE(IsOneOf("two", kArray));
  EXPECT_FALSE(IsOneOf("", kList));
  EXPECT_FALSE(IsOneOf("on", kList));
}

TEST(WordsTest, FindsAWordWhateverItsCase) {
  EXPECT_TRUE(IsOneOfIgnoringCase("two", kList));
  EXPECT_TRUE(IsOneOfIgnoringCase("ONE", kArray));
  EXPECT_FALSE(IsOneOfIgnoringCase("three", kArray));
}

TEST(WordsTest, TrimsWhiteSpace) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
}

TEST(WordsTest, ANullTextIsEmpty) {
  EXPECT_EQ(OrEmpty(nullptr), "");
  EXPECT_EQ(OrEmpty("a"), "a");
}

}  // namespace
}  // namespace toolgate::text
