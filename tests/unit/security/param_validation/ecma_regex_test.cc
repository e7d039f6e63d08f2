#include "security/param_validation/ecma_regex.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "re2/re2.h"

namespace toolgate::security::param_validation {
namespace {

struct Row {
  std::string_view name;
  std::string_view pattern;
  std::vector<std::string> matches;
  std::vector<std::string> others;
};

class EcmaRegexTest : public ::testing::TestWithParam<Row> {};

TEST_P(EcmaRegexTest, MatchesAsEcmaScriptDoes) {
  const auto regex = CompileEcmaRegex(GetParam().pattern);
  ASSERT_TRUE(regex.ok()) << regex.status();
  for (const std::string& text : GetParam().matches) EXPECT_TRUE(RE2::PartialMatch(text, **regex)) << text;
  for (const std::string& text : GetParam().others) EXPECT_FALSE(RE2::PartialMatch(text, **regex)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Table, EcmaRegexTest,
    ::testing::Values(
        Row{"Unanchored", "b", {"abc"}, {"ac"}}, Row{"EndIsTheEnd", "^a$", {"a"}, {"a\n", "ba"}},
        Row{"DotIsNoLineEnd", "^.$", {"a", "ü", "🐲"}, {"\n", "\r", "\xE2\x80\xA8"}},
        Row{"Digits", R"(^\d\D$)", {"1a", "1৪"}, {"৪a", "11"}}, Row{"Words", R"(^\w\W$)", {"a-", "_é"}, {"é-", "ab"}},
        Row{"Spaces", R"(^\s$)", {" ", "\v", "\xC2\xA0", "\xEF\xBB\xBF", "\xE2\x80\x89"}, {"a", "\xE2\x80\x8B"}},
        Row{"NotSpaces", R"(^\S$)", {"a", "\xE2\x80\x8B"}, {" ", "\xC2\xA0"}},
        Row{"SpacesInAClass", R"(^[\s\S]$)", {" ", "a", "\xC2\xA0", "\n"}, {}},
        Row{"ClassWithoutSpaces", R"(^[^\s-]$)", {"a"}, {" ", "-", "\xC2\xA0"}},
        Row{"Control", R"(^\cC\cj$)", {"\x03\n"}, {"cC"}}, Row{"Hex", R"(^\x41\u0042\u{1F432}$)", {"AB🐲"}, {"AB"}},
        Row{"SurrogatePair", R"(^\uD83D\uDC32$)", {"🐲"}, {"🐉"}}, Row{"Slash", R"(^a\/b$)", {"a/b"}, {}},
        Row{"Property", R"(^\p{L}+$)", {"aé字"}, {"a1"}},
        Row{"LongProperty", R"(^\p{Letter}\p{digit}$)", {"é৪"}, {"é-"}}, Row{"NotProperty", R"(^\P{L}$)", {"1"}, {"a"}},
        Row{"PropertyInAClass", R"(^[\p{L}_]$)", {"é", "_"}, {"1"}},
        Row{"Script", R"(^\p{Script=Greek}$)", {"α"}, {"a"}}, Row{"EmptyClass", "a[]|b", {"b"}, {"a"}},
        Row{"FullClass", "^[^]$", {"\n", "a"}, {"ab"}}, Row{"BracketInAClass", "^[[:alpha:]$", {"[", ":", "a"}, {"b"}},
        Row{"HyphenAfterASet", R"(^[\w-.]$)", {"-", ".", "a"}, {"+"}},
        Row{"LiteralBrace", "^a{b}{,2}$", {"a{b}{,2}"}, {}}, Row{"NamedGroup", "^(?<year>\\d{4})$", {"2026"}, {"26"}},
        Row{"Lazy", "^a+?b??$", {"aab"}, {"b"}},
        Row{"LongRepetition", "^a{0,2500}$", {"", std::string(2500, 'a')}, {std::string(2501, 'a')}},
        Row{"LazyLongRepetition", "^a{1001}?$", {std::string(1001, 'a')}, {"", "a", std::string(1000, 'a')}},
        Row{"LazyShortRepetition", "^a{2}?b{1,2}?$", {"aab", "aabb"}, {"", "b", "ab"}},
        Row{"ExactLongRepetition", "^(ab){1500}$", {}, {"ab"}}, Row{"BackslashB", R"(\bfoo\b)", {"a foo b"}, {"afoo"}},
        Row{"Re2OnlySyntaxIsLiteral", R"(^\^\-\]$)", {"^-]"}, {}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(EcmaRegexTest, RefusesWhatIsNotEcmaScript) {
  for (const std::string_view pattern :
       {"(",     ")",      "a**",    "*a",       "[a",      "[b-a]",         "a{2,1}",    R"(\Z)",
        R"(\A)", R"(\a)",  R"(\Q)",  R"(\xZZ)",  R"(\u12)", R"(\u{110000})", R"(\uD800)", R"(\p{Nonsense})",
        R"(\p)", R"(\c1)", R"(\01)", "(?P<x>a)", "(?i)a",   "a\\",           "\xFF"}) {
    EXPECT_EQ(CompileEcmaRegex(pattern).status().code(), absl::StatusCode::kInvalidArgument) << pattern;
    EXPECT_FALSE(IsEcmaRegex(pattern)) << pattern;
  }
}

TEST(EcmaRegexTest, RefusesWhatIsMalformedBehindWhatCannotBeMatched) {
  for (const std::string_view pattern :
       {"(?=a", "(?!x)[z-a]", R"((a)\1()", R"(\1()", "a{20000}(", "(?<=a)*", R"((?<=a)\u{110000})", R"((?<!a)**)",
        R"((a)\2)", R"(\1)", R"((?<x>a)\k<y>)", R"(\k)", R"(\k<)", "(?<1>a)", "(?<a b>c)"}) {
    EXPECT_EQ(CompileEcmaRegex(pattern).status().code(), absl::StatusCode::kInvalidArgument) << pattern;
    EXPECT_FALSE(IsEcmaRegex(pattern)) << pattern;
  }
}

TEST(EcmaRegexTest, BoundsRepetitionsWithinEachOther) {
  const auto product = CompileEcmaRegex(R"((?:[a-z]{1,63}\.){1,126})");
  EXPECT_EQ(product.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(product.status().message().find("the most that is matched here"), std::string::npos) << product.status();
  // Written out, this would have 10^9 bytes.
  std::string nested = "a{10000}";
  for (int i = 0; i < 8; ++i) nested = "(" + nested + "){10000}";
  EXPECT_EQ(CompileEcmaRegex(nested).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_TRUE(IsEcmaRegex(nested)) << "it is well-formed";
  EXPECT_FALSE(IsEcmaRegex(nested + "("));
}

TEST(EcmaRegexTest, BoundsWhatIsWrittenOut) {
  std::string properties;
  for (int i = 0; i < 10'000; ++i) properties += "\\p{L}";
  for (const std::string& pattern : {properties, "[" + properties + "]"}) {
    EXPECT_EQ(CompileEcmaRegex(pattern).status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_FALSE(IsEcmaRegex(pattern + "("));
  }
}

TEST(EcmaRegexTest, SaysWhatLinearTimeRulesOut) {
  for (const std::string_view pattern :
       {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)", R"((a)\1)", R"((?<x>a)\k<x>)", R"(\k<x>(?<x>a))", R"(\1+(a))", "(?=a)*",
        R"((?<$été\u0041>a)(?=b))", "a{20000}"}) {
    EXPECT_EQ(CompileEcmaRegex(pattern).status().code(), absl::StatusCode::kUnimplemented) << pattern;
    EXPECT_TRUE(IsEcmaRegex(pattern)) << pattern;
  }
}

}  // namespace
}  // namespace toolgate::security::param_validation
