#include "common/text/visible_text.h"

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/text/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void AppendCharacter(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3F)),
            static_cast<char>(0x80 | ((c >> 6) & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

// Reads an escape's rest, after "u{" or "x{"; nothing if it is none.
std::optional<std::string> ReadEscape(std::string_view& rest, bool is_byte, uint32_t& character) {
  const size_t end = rest.find('}');
  if (end == std::string_view::npos) return std::nullopt;
  std::string inner(rest.substr(0, end));
  uint64_t count = 1;
  if (const size_t times = inner.find(" x "); times != std::string::npos) {
    if (!absl::SimpleAtoi(inner.substr(times + 3), &count)) return std::nullopt;
    inner.resize(times);
  }
  if (!absl::SimpleHexAtoi(inner, &character)) return std::nullopt;
  rest.remove_prefix(end + 1);
  std::string one;
  if (is_byte) {
    one += static_cast<char>(character);
  } else {
    AppendCharacter(character, one);
  }
  std::string all;
  for (uint64_t i = 0; i < count; ++i) all += one;
  return all;
}

// The text that VisibleLines showed.
std::string ReadLines(std::string_view shown) {
  std::string text;
  while (!shown.empty()) {
    size_t slashes = 0;
    while (slashes < shown.size() && shown[slashes] == '\\') ++slashes;
    const std::string_view after = shown.substr(slashes);
    const bool introduces = after.substr(0, 2) == "u{" || after.substr(0, 2) == "x{";
    if (!introduces) {
      const size_t take = std::max<size_t>(slashes, 1);
      text.append(shown.substr(0, take));
      shown.remove_prefix(take);
      continue;
    }
    text.append(slashes / 2, '\\');
    shown.remove_prefix(slashes);
    if (slashes % 2 == 0) {
      text.append(shown.substr(0, 2));
      shown.remove_prefix(2);
      continue;
    }
    const bool is_byte = shown.front() == 'x';
    shown.remove_prefix(2);
    uint32_t character = 0;
    text += ReadEscape(shown, is_byte, character).value();
    // The line goes on.
    if (character == '\n' && shown.substr(0, 2) == "\\\n") shown.remove_prefix(2);
  }
  return text;
}

// The text that Quoted showed.
std::string ReadQuoted(std::string_view shown) {
  EXPECT_EQ(shown.front(), '"');
  EXPECT_EQ(shown.back(), '"');
  shown = shown.substr(1, shown.size() - 2);
  std::string text;
  while (!shown.empty()) {
    if (shown.front() != '\\') {
      text += shown.front();
      shown.remove_prefix(1);
      continue;
    }
    const char kind = shown.at(1);
    shown.remove_prefix(2);
    if (kind == 'u' || kind == 'x') {
      shown.remove_prefix(1);
      uint32_t character = 0;
      text += ReadEscape(shown, kind == 'x', character).value();
    } else {
      text += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind;
    }
  }
  return text;
}

// Texts of pieces that are likely to be confused with each other.
std::string RandomText(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {
      "a",      "Z",          "0",          " ",      "  ",     "\t",      "\n",      "\n\n\n", "\\",
      "\\\\",   "\"",         "u{",         "x{",     "}",      "\\u{20}", "\\x{ff}", " x ",    "\\n",
      "\r",     "\x1b[",      "\b",         "\x7f",   "$",      "`",       "\xff",    "\xc3",   "\xe2\x80",
      "\u00fc", "\u202e",     "\u200b",     "\u2066", "\u0301", "\u20dd",  "\u05d0",  "\u3000", "\u00a0",
      "\u2800", "\U000E0041", "\U0001F600", "\u0085", "\ufeff", "\ufe0f",  "e\u0301"};
  std::string text;
  const size_t count = random() % 12;
  for (size_t i = 0; i < count; ++i) {
    const std::string& piece = kPieces[random() % kPieces.size()];
    const size_t times = random() % 7 == 0 ? 1 + random() % 80 : 1;
    for (size_t k = 0; k < times; ++k) text += piece;
  }
  return text;
}

TEST(VisibleTextTest, OrdinaryTextStaysAsItIs) {
  for (const std::string_view text : {"rm -rf build", "grep -E \"a\\.b\" *.cc | sort", "\tif (x) {\n\t\treturn;\n\t}",
                                      "Grüße, Γειά, Привет, 日本語, 한국어", "e\u0301te\u0301", "C:\\users\\x",
                                      "a\nb\n\nc", "ไทย", "हिन्दी", "naïve 😀"}) {
    EXPECT_EQ(VisibleLines(text), text);
    EXPECT_EQ(ReadLines(VisibleLines(text)), text);
  }
  EXPECT_EQ(Quoted("Plans"), "\"Plans\"");
  EXPECT_EQ(Quoted("a \"b\" \\ c\n"), R"("a \"b\" \\ c\n")");
}

TEST(VisibleTextTest, WhatAScreenDoesNotDrawIsEscaped) {
  EXPECT_EQ(VisibleLines("a\rb"), "a\\u{d}b");
  EXPECT_EQ(VisibleLines("\x1b[2K"), "\\u{1b}[2K");
  EXPECT_EQ(VisibleLines("a\u202eb"), "a\\u{202e}b");
  EXPECT_EQ(VisibleLines("\u200b\u200b\u200b"), "\\u{200b x 3}");
  EXPECT_EQ(VisibleLines("\xff\xfe"), "\\x{ff}\\x{fe}");
  EXPECT_EQ(VisibleLines(std::string_view("\0", 1)), "\\u{0}");
  EXPECT_EQ(VisibleLines("x \n"), "x\\u{20}\n");
  EXPECT_EQ(VisibleLines("echo\u00a0x"), "echo\\u{a0}x");
  EXPECT_EQ(VisibleLines("\\u{202e}"), "\\\\u{202e}");
  EXPECT_EQ(VisibleLines("\\\u202e"), "\\\\\\u{202e}");
}

TEST(VisibleTextTest, LongRunsOfBlanksAreCounted) {
  EXPECT_EQ(VisibleLines(absl::StrCat("ls", std::string(9000, ' '), "; rm x")), "ls\\u{20 x 9000}; rm x");
  EXPECT_EQ(VisibleLines(absl::StrCat("ls", std::string(500, '\n'), "rm x")), "ls\\u{a x 500}\\\nrm x");
  EXPECT_EQ(Quoted(absl::StrCat("a", std::string(100, ' '), "b")), "\"a\\u{20 x 100}b\"");
  // As deep as code is indented.
  const std::string indented = absl::StrCat(std::string(kMaxShownBlanks, ' '), "x");
  EXPECT_EQ(VisibleLines(indented), indented);
}

TEST(VisibleTextTest, MarksThatCoverOtherTextAreEscaped) {
  EXPECT_EQ(VisibleLines("a\u0301\u0302\u0303\u0304\u0305"), "a\u0301\u0302\u0303\\u{304}\\u{305}");
  EXPECT_EQ(VisibleLines(" \u0338x"), " \\u{338}x");
  EXPECT_EQ(VisibleLines("a\u20dd"), "a\\u{20dd}");
}

// Of each character of Unicode by itself: seen, or escaped; and read back.
TEST(VisibleTextTest, NoCharacterIsLostOrHidden) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (c == 0x20000) c = 0xE0000;  // In between are ideographs, and nothing.
    if (c == 0xE1000) c = 0x10FF00;
    std::string text = "a";
    AppendCharacter(c, text);
    text += 'b';
    const std::string shown = VisibleLines(text);
    ASSERT_EQ(ReadLines(shown), text) << c;
    ASSERT_TRUE(IsAllVisible(shown) || c == '\n' || c == '\t') << c;
    ASSERT_TRUE(IsAllVisible(Quoted(text))) << c;
    ASSERT_EQ(ReadQuoted(Quoted(text)), text) << c;
  }
}

TEST(VisibleTextTest, EveryTextCanBeReadBack) {
  std::mt19937 random(7);
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = RandomText(random);
    const std::string lines = VisibleLines(text);
    ASSERT_EQ(ReadLines(lines), text) << lines;
    ASSERT_EQ(ReadQuoted(Quoted(text)), text) << Quoted(text);
    ASSERT_TRUE(IsAllVisible(Quoted(text))) << Quoted(text);
    ASSERT_TRUE(IsWellFormedUtf8(lines));
  }
}

TEST(VisibleTextTest, LettersFromRightToLeftAreFound) {
  EXPECT_TRUE(HasRightToLeft("rm \u05d0"));
  EXPECT_TRUE(HasRightToLeft("\u0645"));
  EXPECT_FALSE(HasRightToLeft("rm -rf ü 日本"));
}

TEST(VisibleTextTest, JsonStaysTheSameValue) {
  EXPECT_EQ(VisibleJson("{\"a\":\"x\u202ey\"}"), R"({"a":"x\u202ey"})");
  EXPECT_EQ(VisibleJson("\"\U000E0041\""), R"("\udb40\udc41")");
  EXPECT_EQ(VisibleJson(R"({"a": "ü"})"), R"({"a": "ü"})");
}

}  // namespace
}  // namespace toolgate::text
