#include "cli/load/profile/pools.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace toolgate::cli::load::profile {
namespace {

TEST(PoolsTest, AnEmptyPoolHasNothing) {
  schedule::Random random(1);
  Pools pools(2);
  pools.Add(1, "a", random);
  for (const PoolDraw how : {PoolDraw::kAny, PoolDraw::kZipf, PoolDraw::kLast, PoolDraw::kTake}) {
    EXPECT_EQ(pools.Draw(0, how, random), std::nullopt);
  }
}

TEST(PoolsTest, TakenIdsLeave) {
  schedule::Random random(1);
  Pools pools(1);
  for (int i = 0; i < 100; ++i) pools.Add(0, std::to_string(i), random);
  std::set<std::string> taken;
  while (const auto id = pools.Draw(0, PoolDraw::kTake, random)) taken.insert(*id);
  EXPECT_EQ(taken.size(), 100u);
  EXPECT_EQ(pools.size(0), 0u);
}

TEST(PoolsTest, EachWayDrawsAsItSays) {
  schedule::Random random(1);
  Pools pools(1);
  for (const char* id : {"a", "b", "c", "d"}) pools.Add(0, id, random);
  EXPECT_EQ(pools.Draw(0, PoolDraw::kLast, random), "d");
  std::map<std::string, int> any, zipf;
  for (int i = 0; i < 4000; ++i) {
    ++any[*pools.Draw(0, PoolDraw::kAny, random)];
    ++zipf[*pools.Draw(0, PoolDraw::kZipf, random)];
  }
  EXPECT_NEAR(any["a"], 1000, 150);
  EXPECT_NEAR(any["d"], 1000, 150);
  EXPECT_GT(zipf["a"], 2 * zipf["d"]);
  EXPECT_EQ(pools.size(0), 4u);
}

TEST(PoolsTest, AFullPoolReplacesAnId) {
  schedule::Random random(1);
  Pools pools(1);
  for (size_t i = 0; i < Pools::kMostIds + 10; ++i) pools.Add(0, std::to_string(i), random);
  EXPECT_EQ(pools.size(0), Pools::kMostIds);
}

}  // namespace
}  // namespace toolgate::cli::load::profile
