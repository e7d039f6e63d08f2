#include "executors/code_graph/index/tokens.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::code_graph::index {
namespace {

// Names and strings with their lines; strings in quotes.
std::string Texts(std::string_view language, std::string_view source) {
  std::vector<std::string> texts;
  for (const Token& token : Tokenise(source, *FindLanguage(language).lex)) {
    const std::string text(token.text);
    if (token.IsName()) texts.push_back(text + "@" + std::to_string(token.line));
    if (token.kind == Token::Kind::kString) texts.push_back("\"" + text + "\"");
  }
  return absl::StrJoin(texts, " ");
}

TEST(TokensTest, LeavesOutCommentsAndCharacters) {
  EXPECT_EQ(Texts("C", "a // b\n/* c\nd */ e 'f' '\\n' '\\'' g"), "a@1 e@3 g@3");
  EXPECT_EQ(Texts("Python", "a # b\nc"), "a@1 c@2");
  EXPECT_EQ(Texts("Rust", "a /* b /* c */ d */ e"), "a@1 e@1");
  EXPECT_EQ(Texts("Lua", "a --[[ b\nc ]] d -- e\nf"), "a@1 d@2 f@3");
  EXPECT_EQ(Texts("Sh", "a $#x b#c # d"), "a@1 x@1 b@1 c@1");
}

TEST(TokensTest, KeepsStringsWithoutTheirQuotes) {
  EXPECT_EQ(Texts("C", R"(a("b \" c") d)"), R"(a@1 "b \" c" d@1)");
  EXPECT_EQ(Texts("JavaScript", "a('b') `c\nd` e"), "a@1 \"b\" \"c\nd\" e@2");
  EXPECT_EQ(Texts("Python", "'''a\nb''' c \"\"\"d\"\"\" e"), "c@2 e@2");
}

TEST(TokensTest, EndsAnOpenStringWithItsLine) { EXPECT_EQ(Texts("C", "\"a\nb"), "\"a\" b@2"); }

TEST(TokensTest, ReadsRawStringsNumbersAndLifetimes) {
  EXPECT_EQ(Texts("C++", "R\"x(a )\" b)x\" c 1'000'000 0x1Fu d"), "c@1 d@1");
  EXPECT_EQ(Texts("Rust", "fn f<'a>(x: &'a str) { 'b' }"), "fn@1 f@1 a@1 x@1 a@1 str@1");
}

TEST(TokensTest, TellsRegularExpressionsFromDivisions) {
  EXPECT_EQ(Texts("JavaScript", "a = /b[/]c/ + d; e = f / g / h; return /i/"),
            "a@1 \"b[/]c\" d@1 e@1 f@1 g@1 h@1 return@1 \"i\"");
}

TEST(TokensTest, MarksNamesBehindASigil) {
  const std::vector<Token> tokens = Tokenise("$a b", *FindLanguage("PHP").lex);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_TRUE(tokens[1].after_sigil);
  EXPECT_FALSE(tokens[2].after_sigil);
}

TEST(TokensTest, TakesAnyBytes) {
  for (const char* const language : {"C++", "JavaScript", "Python", "Rust", "PHP", "Lua", "Perl", "Ruby", "Sh"}) {
    for (int c = 0; c < 256; ++c) {
      const std::string byte(1, static_cast<char>(c));
      Tokenise(byte, *FindLanguage(language).lex);
      Tokenise("x" + byte + byte + "\n" + byte + "\\", *FindLanguage(language).lex);
    }
  }
}

// Each of these is quadratic in a reading that looks for an end again and again.
TEST(TokensTest, ReadsOpenLiteralsOnlyOnce) {
  for (const std::string_view piece : {"'", "'\\x", "R\"", "/*", "(/[", "\"\\", "[[", "`", "\"\"\"", "--[["}) {
    for (const char* const language : {"C++", "JavaScript", "Python", "Rust", "Lua"}) {
      std::string text;
      while (text.size() < 400'000) text += piece;
      EXPECT_LE(Tokenise(text, *FindLanguage(language).lex).size(), text.size());
    }
  }
}

// The same for literals whose ends a word of the text tells.
TEST(TokensTest, ReadsOpenQuotedWordsOnlyOnce) {
  for (const std::string_view piece : {"%w(", "<<~A\n", " s{", " q(", "f\"{", "\"$(", "\"#{", "?>", "/\n", ":["}) {
    for (const char* const language : {"Python", "Ruby", "Perl", "PHP", "Sh"}) {
      std::string text;
      while (text.size() < 100'000) text += piece;
      EXPECT_LE(Tokenise(text, *FindLanguage(language).lex).size(), text.size());
    }
  }
}

TEST(TokensTest, ReadsQuotesOfRubyAndPerl) {
  EXPECT_EQ(Texts("Ruby", "when ?\" then b; x = ?'; y = $\"; z = :/; `c #{d}`; 1.upto 2..e"),
            "when@1 \"\"\" then@1 b@1 x@1 \"'\" y@1 \"$\"\" z@1 \"/\" \"c \" d@1 upto@1 e@1");
  EXPECT_EQ(Texts("Perl", "$x =~ s/'/\"/g; a q{'}; split /\"/; $h{s}; -s 'f'; y => 1; $' . b # c'"),
            "x@1 \"'/\"\" a@1 \"'\" split@1 \"\"\" h@1 s@1 s@1 \"f\" y@1 \"$'\" b@1");
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
