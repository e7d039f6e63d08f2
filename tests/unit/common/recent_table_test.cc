#include "common/recent_table.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Keys(const RecentTable<int>& table) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : table) keys.push_back(key);
  return keys;
}

TEST(RecentTableTest, DropsWhatWasNotUsedForLongest) {
  RecentTable<int> table;
  for (const char* const key : {"a", "b", "c", "d"}) table.Add(key, key[0]);
  EXPECT_EQ(*table.Find("a"), 'a');
  table.Trim(2, [](int) { return true; });
  EXPECT_THAT(Keys(table), ElementsAre("a", "d"));
  EXPECT_EQ(table.Find("b"), nullptr);
  EXPECT_EQ(*table.Find("d"), 'd');
  EXPECT_THAT(Keys(table), ElementsAre("d", "a"));
}

TEST(RecentTableTest, KeepsWhatMayNotBeDropped) {
  RecentTable<int> table;
  for (const char* const key : {"a", "b", "c", "d"}) table.Add(key, key[0]);
  table.Trim(1, [](int value) { return value != 'a' && value != 'c'; });
  EXPECT_THAT(Keys(table), ElementsAre("c", "a"));
  table.Trim(0, [](int) { return true; });
  EXPECT_EQ(table.size(), 0U);
  table.Add("a", 1);
  EXPECT_EQ(*table.Find("a"), 1);
}

}  // namespace
}  // namespace toolgate
