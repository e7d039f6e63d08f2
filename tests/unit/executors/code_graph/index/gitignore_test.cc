#include "executors/code_graph/index/gitignore.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Verdict = Gitignore::Verdict;

struct Case {
  const char* name;
  const char* patterns;
  const char* path;
  bool is_directory;
  Verdict verdict;
};

class GitignoreTest : public ::testing::TestWithParam<Case> {};

TEST_P(GitignoreTest, DecidesAsGitDoes) {
  const Case& c = GetParam();
  EXPECT_EQ(Gitignore::Parse(c.patterns).Match(c.path, c.is_directory), c.verdict)
      << c.patterns << " against " << c.path;
}

constexpr Verdict kNone = Verdict::kNone;
constexpr Verdict kIgnored = Verdict::kIgnored;
constexpr Verdict kIncluded = Verdict::kIncluded;

INSTANTIATE_TEST_SUITE_P(
    Rules, GitignoreTest,
    ::testing::Values(
        Case{"NameAtAnyDepth", "foo", "a/b/foo", false, kIgnored}, Case{"NameIsWhole", "foo", "a/foobar", false, kNone},
        Case{"StarInName", "*.o", "src/x.o", false, kIgnored}, Case{"StarTakesDots", "*", ".hidden", false, kIgnored},
        Case{"QuestionMark", "a?c", "abc", false, kIgnored}, Case{"QuestionMarkNeedsAByte", "ab?", "ab", false, kNone},
        Case{"LeadingSlashAnchors", "/foo", "a/foo", false, kNone},
        Case{"LeadingSlashMatchesTop", "/foo", "foo", false, kIgnored},
        Case{"InnerSlashAnchors", "a/foo", "x/a/foo", false, kNone},
        Case{"InnerSlashMatches", "a/foo", "a/foo", false, kIgnored},
        Case{"StarStopsAtSlash", "a/*", "a/b/c", false, kNone},
        Case{"StarBetweenSlashes", "a/*/c", "a/b/c", false, kIgnored},
        Case{"LeadingStars", "**/foo", "a/b/foo", false, kIgnored},
        Case{"LeadingStarsMatchTop", "**/foo", "foo", false, kIgnored},
        Case{"LeadingStarsWithPath", "**/a/b", "x/y/a/b", false, kIgnored},
        Case{"TrailingStars", "a/**", "a/b/c", false, kIgnored},
        Case{"TrailingStarsNeedSomething", "a/**", "a", true, kNone},
        Case{"InnerStars", "a/**/b", "a/b", false, kIgnored},
        Case{"InnerStarsDeep", "a/**/b", "a/x/y/b", false, kIgnored},
        Case{"InnerStarsOther", "a/**/b", "a/x/y/c", false, kNone},
        Case{"TwoInnerStars", "a/**/b/**/c", "a/1/b/2/b/3/c", false, kIgnored},
        Case{"StarsInsideANameAreOne", "a**b", "axxb", false, kIgnored},
        Case{"StarsInsideANameStop", "/a**b", "ax/xb", false, kNone},
        Case{"SlashForDirectories", "out/", "out", true, kIgnored}, Case{"SlashForFiles", "out/", "out", false, kNone},
        Case{"DirectoryAtAnyDepth", "out/", "a/out", true, kIgnored},
        Case{"Negated", "*.o\n!keep.o", "keep.o", false, kIncluded},
        Case{"LastPatternCounts", "!keep.o\n*.o", "keep.o", false, kIgnored},
        Case{"Comment", "#foo", "#foo", false, kNone}, Case{"EscapedHash", "\\#foo", "#foo", false, kIgnored},
        Case{"EscapedBang", "\\!foo", "!foo", false, kIgnored}, Case{"BlanksAtTheEnd", "foo  ", "foo", false, kIgnored},
        Case{"EscapedBlank", "foo\\ ", "foo ", false, kIgnored}, Case{"LeadingBlank", " foo", " foo", false, kIgnored},
        Case{"LineEndsOfWindows", "foo\r\nbar\r\n", "foo", false, kIgnored},
        Case{"ByteOrderMark",
             "\xEF\xBB\xBF"
             "foo",
             "foo", false, kIgnored},
        Case{"Class", "[a-c].x", "b.x", false, kIgnored}, Case{"ClassOther", "[a-c].x", "d.x", false, kNone},
        Case{"ClassNegated", "[!a-c].x", "d.x", false, kIgnored},
        Case{"ClassNegatedByCaret", "[^a-c].x", "a.x", false, kNone},
        Case{"ClassWithBracket", "[]x]", "]", false, kIgnored}, Case{"ClassWithDash", "[a-]", "-", false, kIgnored},
        Case{"NamedClass", "[[:digit:]]", "7", false, kIgnored},
        Case{"OpenBracketMatchesNothing", "[abc", "[abc", false, kNone},
        Case{"EscapedStar", "\\*", "*", false, kIgnored}, Case{"EscapedStarIsLiteral", "\\*", "x", false, kNone},
        Case{"SlashAlone", "/", "x", true, kNone}, Case{"Empty", "\n\n", "x", false, kNone},
        Case{"BangAlone", "!", "x", false, kNone}, Case{"LoneBackslash", "foo\\", "foo\\", false, kNone},
        Case{"CaseMatters", "FOO", "foo", false, kNone}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GitignoreTest, TakesNoLongTimeForPatternsOfManyStars) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  const Gitignore rules = Gitignore::Parse(pattern + "*b\n**/" + pattern + "b/**/" + pattern);
  // Exponential in a matcher that tries every star again.
  EXPECT_EQ(rules.Match(std::string(5000, 'a'), false), Verdict::kNone);
}

TEST(GitignoreTest, CountsABoundedNumberOfPatterns) {
  std::string text;
  for (size_t i = 0; i < Gitignore::kMaxPatterns; ++i) text += "x\n";
  EXPECT_EQ(Gitignore::Parse(text + "y\n").Match("y", false), Verdict::kNone);
}

// Every pattern of the table above, and more, against every path, with git itself to compare with.
TEST(GitignoreTest, AgreesWithGit) {
  if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
  const std::vector<std::string> patterns = {
      "foo",     "*.o",         "/foo",          "a/foo",     "a/*",       "a/*/c", "**/foo",
      "**/a/b",  "a/**",        "a/**/b",        "a**b",      "out/",      "/out/", "a/**/",
      "**/",     "**",          "/**",           "*",         "/*",        "a/",    "a?c",
      "[a-c]*",  "[!a]*",       "\\*",           "foo\\ ",    "x[/]y",     "*/b",   "*/*/c",
      "**/b/**", "a/b/c",       "b/c",           "/a/**/c",   "***/foo",   "a/***", "f*o",
      "f**o",    "*o*",         "[[:alpha:]]oo", "a\\/b",     "?",         "\\foo", "fo[",
      "[]-]",    "a/*\n!a/foo", "*\n!*/\n!*.o",  "/a\n!/a/b", "foo\n!foo", "!foo",  "a/b/\n!a/b/c"};
  const std::vector<std::string> files = {"foo",     "x.o", "a/foo",   "a/b/foo",  "a/b/c",   "a/c", "out/x",
                                          "a/out/y", "b/c", "a/x/y/b", "axxb",     "abc",     "z",   "*",
                                          "foo ",    "fxo", "-",       "a/keep.o", "q/a/b/r", "fo[", "out2"};
  const testing::TempDir temp;
  const std::string root = temp.path();
  ASSERT_EQ(std::system(("git init -q '" + root + "'").c_str()), 0);
  std::ofstream list(root + "/.git/list", std::ios::binary);
  for (const std::string& file : files) {
    std::filesystem::create_directories(std::filesystem::path(root + "/" + file).parent_path());
    std::ofstream(root + "/" + file) << "x";
    list << file << '\0';
  }
  list.close();
  for (const std::string& pattern : patterns) {
    std::ofstream(root + "/.gitignore", std::ios::trunc) << pattern << "\n";
    const std::string command = "cd '" + root + "' && git check-ignore --no-index -z --stdin < .git/list";
    FILE* const pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
    pclose(pipe);
    std::set<std::string> ignored_by_git;
    for (size_t at = 0, end; (end = output.find('\0', at)) != std::string::npos; at = end + 1) {
      ignored_by_git.insert(output.substr(at, end - at));
    }
    const Gitignore rules = Gitignore::Parse(pattern + "\n");
    for (const std::string& file : files) {
      // Folders first: an ignored one takes with it what is inside.
      bool ignored = false;
      for (size_t slash = 0; !ignored && slash != std::string::npos;) {
        slash = file.find('/', slash + 1);
        ignored = rules.Match(file.substr(0, slash), slash != std::string::npos) == Verdict::kIgnored;
      }
      EXPECT_EQ(ignored, ignored_by_git.contains(file)) << "pattern " << pattern << ", file " << file;
    }
  }
}

TEST(GitignoreTest, ComparesNamesAndExtensions) {
  const Gitignore rules = Gitignore::Parse("build\n*.log\n*.o?\n\\*.md\n*[ab]\n!keep.log\n");
  EXPECT_EQ(rules.Match("x/build", false), Gitignore::Verdict::kIgnored);
  EXPECT_EQ(rules.Match("x/builds", false), Gitignore::Verdict::kNone);
  EXPECT_EQ(rules.Match("a/b.log", false), Gitignore::Verdict::kIgnored);
  EXPECT_EQ(rules.Match("a/keep.log", false), Gitignore::Verdict::kIncluded);
  EXPECT_EQ(rules.Match("a.lo", false), Gitignore::Verdict::kNone);
  EXPECT_EQ(rules.Match("a.os", false), Gitignore::Verdict::kIgnored);
  EXPECT_EQ(rules.Match("*.md", false), Gitignore::Verdict::kIgnored);
  EXPECT_EQ(rules.Match("x.md", false), Gitignore::Verdict::kNone);
  EXPECT_EQ(rules.Match("cb", false), Gitignore::Verdict::kIgnored);
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
