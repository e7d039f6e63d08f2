#include "common/stack_bound.h"

#include "gtest/gtest.h"

namespace toolgate {
namespace {

// Number of nested calls until `bound` is exceeded, at most `most`; each takes at least 64 bytes.
[[gnu::noinline]] int Depth(const StackBound& bound, int most) {
  volatile char frame[64] = {};
  if (most == 0 || !bound.Holds()) return 0;
  const int below = Depth(bound, most - 1);
  return below + 1 + frame[0];
}

TEST(StackBoundTest, HoldsUntilSoMuchIsUsed) {
  const StackBound bound(16'000);
  const int depth = Depth(bound, 10'000);
  EXPECT_GT(depth, 1);
  EXPECT_LE(depth, 16'000 / 64);
  EXPECT_TRUE(bound.Holds());
}

TEST(StackBoundTest, ALargerOneHoldsLonger) {
  EXPECT_GT(Depth(StackBound(32'000), 10'000), Depth(StackBound(16'000), 10'000));
}

}  // namespace
}  // namespace toolgate
