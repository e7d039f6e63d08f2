#include "executors/artifacts/checks/problem.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::artifacts::checks {
namespace {

TEST(ProblemsTest, CountsLinesAndCharacters) {
  const std::string source = "one\ntw\xC3\xB6 x\n";
  Problems problems(source);
  problems.Error(9, "second", "");
  problems.Warn(0, "first", "");
  const std::vector<Problem> found = problems.Take();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].rule, "first");
  EXPECT_EQ(found[0].line, 1);
  EXPECT_EQ(found[0].column, 1);
  EXPECT_EQ(found[1].line, 2);
  EXPECT_EQ(found[1].column, 5);
  EXPECT_TRUE(problems.Take().empty());
}

TEST(ProblemsTest, BoundsEachSeverity) {
  Problems problems("x");
  for (size_t i = 0; i < 2 * Problems::kMaxProblems; ++i) problems.Warn(0, "many", "");
  problems.Unsafe(0, "one", "");
  const std::vector<Problem> found = problems.Take();
  EXPECT_EQ(found.size(), Problems::kMaxProblems + 1);
  EXPECT_TRUE(HasUnsafe(found));
}

TEST(ProblemsTest, TakesAPlaceBeyondTheEndForTheEnd) {
  Problems problems("ab");
  problems.Error(100, "late", "");
  EXPECT_EQ(problems.Take().front().column, 3);
}

TEST(QuotedTest, StaysOnOneShortLine) {
  EXPECT_EQ(Quoted("a\nb"), "\"a b\"");
  EXPECT_LE(Quoted(std::string(1000, 'x')).size(), kMaxQuoted + 6);
}

}  // namespace
}  // namespace toolgate::executors::artifacts::checks
