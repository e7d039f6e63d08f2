#include "executors/cypher/syntax/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace toolgate::executors::cypher::syntax {
namespace {

std::vector<TokenKind> KindsOf(std::string_view text) {
  std::vector<TokenKind> kinds;
  for (const Token& token : Tokenize(text).tokens) kinds.push_back(token.kind);
  return kinds;
}

// The value of a text that is one string, name or parameter.
std::string NameOf(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  return tokens.names.size() == 1 && tokens.tokens.size() == 2 ? tokens.names[0] : "(no single name)";
}

std::string FaultOf(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  return tokens.faults.empty() ? "" : tokens.faults[0].detail;
}

TEST(LexerTest, SplitsPunctuationFromTheLongest) {
  using enum TokenKind;
  EXPECT_EQ(KindsOf("<=<>>==~+=..."),
            (std::vector{kLessOrEqual, kNotEqual, kGreaterOrEqual, kMatches, kPlusEqual, kDotDot, kDot, kEnd}));
  EXPECT_EQ(KindsOf("-[*1..3]->"), (std::vector{kMinus, kLeftBracket, kStar, kInteger, kDotDot, kInteger, kRightBracket,
                                                kMinus, kGreater, kEnd}));
}

TEST(LexerTest, SkipsSpaceAndComments) {
  EXPECT_EQ(KindsOf("  // one\n /* two\n */\t\xC2\xA0\xE2\x80\xA8\xEF\xBB\xBF").size(), 1u);
  EXPECT_EQ(KindsOf("1/*x*/2 // end").size(), 3u);
  EXPECT_EQ(FaultOf("/* open"), "UnexpectedSyntax");
}

TEST(LexerTest, ReadsIntegersInThreeBases) {
  const Tokens tokens = Tokenize("0 372036854 0x1A2b 0o17 017 00 9223372036854775808 99999999999999999999999");
  std::vector<uint64_t> values;
  for (const IntegerText& integer : tokens.integers) values.push_back(integer.magnitude);
  values.pop_back();
  EXPECT_EQ(values, (std::vector<uint64_t>{0, 372036854, 0x1A2B, 15, 15, 0, 9223372036854775808u}));
  EXPECT_TRUE(tokens.integers.back().too_large);
  EXPECT_FALSE(tokens.integers[6].too_large);
}

TEST(LexerTest, ReadsFloats) {
  EXPECT_EQ(Tokenize("1.5 .5 1e9 2E-01 1.5e+3 .1e-5").floats, (std::vector<double>{1.5, 0.5, 1e9, 0.2, 1500, 1e-6}));
  EXPECT_EQ(FaultOf("1e309"), "FloatingPointOverflow");
  EXPECT_EQ(FaultOf("1e-400"), "");
}

TEST(LexerTest, RefusesNumbersThatGoOn) {
  for (const std::string_view text :
       {"9223372h54775808", "0x", "0x1A2b3j4D5E6f7", "0o8", "09", "1_000", "1e", "1.5x", "0xFFg", "1ü"}) {
    EXPECT_EQ(FaultOf(text), "InvalidNumberLiteral") << text;
    EXPECT_EQ(Tokenize(text).tokens.size(), 2u) << text;
  }
}

TEST(LexerTest, ADotAfterANumberMayBeARange) {
  using enum TokenKind;
  EXPECT_EQ(KindsOf("1..2"), (std::vector{kInteger, kDotDot, kInteger, kEnd}));
  EXPECT_EQ(KindsOf("1.a"), (std::vector{kInteger, kDot, kWord, kEnd}));
}

TEST(LexerTest, ResolvesEscapes) {
  EXPECT_EQ(NameOf(R"('a\\b\'c\"d\`e\b\f\n\r\t')"), "a\\b'c\"d`e\b\f\n\r\t");
  EXPECT_EQ(NameOf(R"("\u00fc\u20AC")"), "ü€");
  EXPECT_EQ(NameOf(R"('\U0001F600')"), "😀");
  EXPECT_EQ(NameOf(R"('\U01F600')"), "😀");
  EXPECT_EQ(NameOf(R"('\uD83D\uDE00')"), "😀");
  EXPECT_EQ(NameOf("'it is \"quoted\"'"), "it is \"quoted\"");
}

TEST(LexerTest, RefusesWrongEscapes) {
  for (const std::string_view text :
       {R"('\uH')", R"('\u12')", R"('\uD83D')", R"('\uDE00\uD83D')", R"('\U00110000')", R"('\UD83D')"}) {
    EXPECT_EQ(FaultOf(text), "InvalidUnicodeLiteral") << text;
  }
  EXPECT_EQ(FaultOf(R"('\x')"), "UnexpectedSyntax");
  EXPECT_EQ(FaultOf("'open"), "UnexpectedSyntax");
  EXPECT_EQ(FaultOf(R"('open\')"), "UnexpectedSyntax");
  EXPECT_EQ(FaultOf(R"('open\)"), "UnexpectedSyntax");
}

TEST(LexerTest, ReadsNames) {
  EXPECT_EQ(NameOf("`a``b`"), "a`b");
  EXPECT_EQ(NameOf("`a b: '`"), "a b: '");
  EXPECT_EQ(NameOf("``"), "");
  EXPECT_EQ(KindsOf("{``: 1}").size(), 6u);
  EXPECT_EQ(FaultOf("`open"), "UnexpectedSyntax");
  EXPECT_EQ(FaultOf("```"), "UnexpectedSyntax");
  EXPECT_EQ(KindsOf("größe _x1 名前").size(), 4u);
}

TEST(LexerTest, ReadsParameters) {
  EXPECT_EQ(NameOf("$name"), "name");
  EXPECT_EQ(NameOf("$0"), "0");
  EXPECT_EQ(NameOf("$`a b`"), "a b");
  EXPECT_EQ(FaultOf("$ a"), "UnexpectedSyntax");
}

TEST(LexerTest, RefusesOtherCharacters) {
  EXPECT_EQ(FaultOf("42 — 41"), "InvalidUnicodeCharacter");
  EXPECT_EQ(FaultOf("\xFF"), "InvalidUnicodeCharacter");
  EXPECT_EQ(FaultOf("'\xC3'"), "InvalidUnicodeCharacter");
  EXPECT_EQ(FaultOf("`\xC3`"), "InvalidUnicodeCharacter");
  EXPECT_EQ(FaultOf("#"), "UnexpectedSyntax");
  EXPECT_EQ(FaultOf(std::string_view("\0", 1)), "UnexpectedSyntax");
}

TEST(LexerTest, LetsBracketsKnowTheirEnds) {
  const Tokens tokens = Tokenize("([{}])(");
  EXPECT_EQ(tokens.tokens[0].value, 5u);
  EXPECT_EQ(tokens.tokens[1].value, 4u);
  EXPECT_EQ(tokens.tokens[2].value, 3u);
  EXPECT_EQ(tokens.tokens[6].value, 0u);
  EXPECT_EQ(Tokenize("(])").tokens[0].value, 0u);
}

}  // namespace
}  // namespace toolgate::executors::cypher::syntax
