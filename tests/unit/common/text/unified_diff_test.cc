#include "common/text/unified_diff.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    lines.push_back(text.substr(from, end - from));
    from = end;
  }
  return lines;
}

// Applies a unified diff, as patch does; "?" when it does not fit.
std::string Patched(const std::string& before, const std::string& diff) {
  const std::vector<std::string> source = LinesOf(before);
  std::string out;
  size_t at = 0;
  const std::vector<std::string> lines = LinesOf(diff);
  for (size_t i = 2; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.rfind("@@ -", 0) == 0) {
      const std::vector<std::string> range = absl::StrSplit(line.substr(4, line.find(' ', 4) - 4), ',');
      size_t from = 0;
      EXPECT_TRUE(absl::SimpleAtoi(range[0], &from));
      const bool empty = range.size() == 2 && range[1] == "0";
      const size_t start = empty ? from : from - 1;
      while (at < start) out += source[at++];
      continue;
    }
    std::string content = line.substr(1);
    const bool no_newline = i + 1 < lines.size() && lines[i + 1][0] == '\\';
    if (no_newline) content.pop_back();
    if (line[0] == '\\') continue;
    if (line[0] != '+') {
      if (at >= source.size() || source[at] != content) return "?";
      ++at;
    }
    if (line[0] != '-') out += content;
  }
  while (at < source.size()) out += source[at++];
  return out;
}

TEST(UnifiedDiffTest, EqualTextsHaveNone) {
  const Diff diff = UnifiedDiff("a\nb\n", "a\nb\n");
  EXPECT_EQ(diff.text, "");
  EXPECT_EQ(diff.added + diff.removed, 0u);
}

TEST(UnifiedDiffTest, ShowsAChangeWithItsContext) {
  DiffOptions options;
  options.old_name = "a/x";
  options.new_name = "b/x";
  const Diff diff = UnifiedDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", options);
  EXPECT_EQ(diff.text, "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(diff.added, 1u);
  EXPECT_EQ(diff.removed, 1u);
}

TEST(UnifiedDiffTest, NewAndEmptiedFiles) {
  EXPECT_EQ(UnifiedDiff("", "a\nb\n").text, "--- before\n+++ after\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(UnifiedDiff("a\nb\n", "").text, "--- before\n+++ after\n@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(UnifiedDiffTest, MarksAMissingLineEnd) {
  EXPECT_EQ(UnifiedDiff("a", "a\n").text, "--- before\n+++ after\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(UnifiedDiffTest, FindsTheShortestEdit) {
  // The example of Myers' paper: ABCABBA to CBABAC, five edits.
  const Diff diff = UnifiedDiff("A\nB\nC\nA\nB\nB\nA\n", "C\nB\nA\nB\nA\nC\n");
  EXPECT_EQ(diff.added + diff.removed, 5u);
}

TEST(UnifiedDiffTest, DistantChangesStandInTheirOwnHunks) {
  std::string before;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&before, i, "\n");
  std::string after = before;
  after.replace(after.find("10\n"), 3, "ten\n");
  after.replace(after.find("90\n"), 3, "ninety\n");
  const Diff diff = UnifiedDiff(before, after);
  EXPECT_EQ(std::count(diff.text.begin(), diff.text.end(), '@'), 8);
  EXPECT_EQ(Patched(before, diff.text), after);
}

TEST(UnifiedDiffTest, ALongDiffIsCutAndSaysSo) {
  std::string after;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&after, "line ", i, "\n");
  DiffOptions options;
  options.max_bytes = 200;
  const Diff diff = UnifiedDiff("", after, options);
  EXPECT_TRUE(diff.cut);
  EXPECT_EQ(diff.added, 1000u);
  EXPECT_LT(diff.text.size(), 300u);
  EXPECT_THAT(diff.text, HasSubstr("cut: 1000 lines added and 0 removed in all"));
}

TEST(UnifiedDiffTest, WithoutWorkLeftEverythingIsReplaced) {
  DiffOptions options;
  options.max_work = 0;
  const Diff diff = UnifiedDiff("a\nx\nb\ny\nc\n", "a\nX\nb\nY\nc\n", options);
  EXPECT_EQ(diff.removed, 3u) << "between the equal ends";
  EXPECT_EQ(Patched("a\nx\nb\ny\nc\n", diff.text), "a\nX\nb\nY\nc\n");
}

// The length of a longest common subsequence, by the textbook.
size_t CommonLines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      best[i][j] = a[i] == b[j] ? best[i + 1][j + 1] + 1 : std::max(best[i + 1][j], best[i][j + 1]);
    }
  }
  return best[0][0];
}

TEST(UnifiedDiffTest, EveryDiffIsShortestAndCanBeApplied) {
  std::mt19937 random(25);
  for (int round = 0; round < 3000; ++round) {
    const auto make = [&] {
      std::string text;
      const unsigned lines = random() % 14;
      for (unsigned i = 0; i < lines; ++i) absl::StrAppend(&text, random() % 4, "\n");
      if (!text.empty() && random() % 5 == 0) text.pop_back();
      return text;
    };
    const std::string before = make();
    const std::string after = make();
    const Diff diff = UnifiedDiff(before, after);
    SCOPED_TRACE(::testing::Message() << before << "---\n" << after << "---\n" << diff.text);
    if (before != after) {
      ASSERT_EQ(Patched(before, diff.text), after);
    }
    const size_t common = CommonLines(LinesOf(before), LinesOf(after));
    ASSERT_EQ(diff.removed, LinesOf(before).size() - common);
    ASSERT_EQ(diff.added, LinesOf(after).size() - common);
  }
}

TEST(UnifiedDiffTest, LongTextsThatShareNothingAreBounded) {
  std::string before;
  std::string after;
  for (int i = 0; i < 100'000; ++i) {
    absl::StrAppend(&before, "a", i, "\n");
    absl::StrAppend(&after, "b", i, "\n");
  }
  DiffOptions options;
  options.max_work = 1'000'000;
  EXPECT_EQ(UnifiedDiff(before, after, options).added, 100'000u);
}

}  // namespace
}  // namespace toolgate::text
