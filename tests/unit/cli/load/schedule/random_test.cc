#include "cli/load/schedule/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace toolgate::cli::load::schedule {
namespace {

TEST(RandomTest, StreamsOfASeedDifferAndRepeat) {
  std::set<uint64_t> firsts;
  for (uint64_t stream = 0; stream < 10'000; ++stream) firsts.insert(Random(5, stream).Next());
  EXPECT_EQ(firsts.size(), 10'000u);
  EXPECT_EQ(Random(5, 77).Next(), Random(5, 77).Next());
  EXPECT_NE(Random(5, 77).Next(), Random(6, 77).Next());
}

// The first numbers of neighbouring streams are those that choose step and caller of a call.
TEST(RandomTest, FirstNumbersOfStreamsAreUniform) {
  std::array<int, 10> counts = {};
  for (uint64_t stream = 0; stream < 100'000; ++stream) ++counts[Random(1, stream).Below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomTest, UnitStaysBelowOne) {
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double unit = random.Unit();
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    sum += unit;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.01);
}

TEST(RandomTest, ZipfPrefersTheFirst) {
  Random random(3);
  std::array<int, 100> counts = {};
  for (int i = 0; i < 100'000; ++i) ++counts[random.ZipfBelow(counts.size())];
  EXPECT_GT(counts[0], 4 * counts[9]);
  EXPECT_GT(counts[9], 4 * counts[99]);
  EXPECT_GT(counts[99], 0);
  EXPECT_EQ(random.ZipfBelow(1), 0u);
}

}  // namespace
}  // namespace toolgate::cli::load::schedule
