#include "security/injection_defence/sanitiser.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::security::injection_defence {
namespace {

std::string Clean(const std::string& text, SanitiseMode mode) {
  const Sanitised result = Sanitise(text, mode);
  EXPECT_FALSE(result.violation.has_value());
  return result.changed.value_or(text);
}

TEST(SanitiserTest, ALineIsOneTrimmedLine) {
  EXPECT_EQ(Clean("  Buy\tmilk \r\n and  bread\n", SanitiseMode::kLine), "Buy milk and bread");
  EXPECT_EQ(Clean("a\x01"
                  "b\x7f"
                  "c",
                  SanitiseMode::kLine),
            "abc");
  EXPECT_EQ(Clean("x\xC2\xA0y\xE2\x80\xA8z", SanitiseMode::kLine), "x y z");
  EXPECT_EQ(Clean(" \n ", SanitiseMode::kLine), "");
}

TEST(SanitiserTest, ATextKeepsTabsAndNewlines) {
  EXPECT_EQ(Clean(" a\tb\r\n\x1b[31mc ", SanitiseMode::kText), " a\tb\n[31mc ");
  EXPECT_EQ(Clean(std::string("a\0b", 3), SanitiseMode::kText), "ab");
  EXPECT_EQ(Clean("caf\xC3\xA9\xC2\x9B!", SanitiseMode::kText), "caf\xC3\xA9!");
}

TEST(SanitiserTest, VerbatimChangesNothing) {
  EXPECT_EQ(Clean("\x1b[0m \r\n", SanitiseMode::kVerbatim), "\x1b[0m \r\n");
  EXPECT_EQ(Sanitise(std::string("a\0b", 3), SanitiseMode::kVerbatim).violation->rule, "nul");
}

TEST(SanitiserTest, IllFormedBytesAreRefusedInEveryMode) {
  for (const char* text : {"\xFF", "a\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80"}) {
    for (const SanitiseMode mode : {SanitiseMode::kLine, SanitiseMode::kText, SanitiseMode::kVerbatim}) {
      ASSERT_TRUE(Sanitise(text, mode).violation.has_value()) << text;
      EXPECT_EQ(Sanitise(text, mode).violation->rule, "utf8");
    }
  }
}

TEST(SanitiserTest, TheCapCountsCharactersAndNothingIsCut) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xC3\xA9";
  EXPECT_FALSE(Sanitise(text, SanitiseMode::kText, 100).violation.has_value());
  const Sanitised long_text = Sanitise(text + "x", SanitiseMode::kText, 100);
  ASSERT_TRUE(long_text.violation.has_value());
  EXPECT_EQ(long_text.violation->rule, "maxLength");
  EXPECT_EQ(long_text.violation->expected, "at most 100 characters");
  EXPECT_EQ(long_text.violation->found, "string of 101 characters");
  EXPECT_TRUE(Sanitise(std::string(100'001, 'x'), SanitiseMode::kLine).violation.has_value());
}

TEST(SanitiserTest, ACleanTextIsNotCopied) {
  EXPECT_FALSE(Sanitise("Buy milk", SanitiseMode::kLine).changed.has_value());
  EXPECT_FALSE(Sanitise("Zo\xC3\xAB", SanitiseMode::kText).changed.has_value());
}

}  // namespace
}  // namespace toolgate::security::injection_defence
