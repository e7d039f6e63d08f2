#include "common/text/edit_distance.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::text {
namespace {

TEST(EditDistanceTest, CountsEditsUpToTheLimit) {
  struct Row {
    std::string_view left, right;
    size_t limit, distance;
  };
  for (const Row& row : std::vector<Row>{{"", "", 3, 0},
                                         {"abc", "abc", 3, 0},
                                         {"abc", "ABC", 3, 0},
                                         {"abc", "abcd", 3, 1},
                                         {"abc", "bc", 3, 1},
                                         {"abc", "axc", 3, 1},
                                         {"title", "tilte", 3, 1},
                                         {"kitten", "sitting", 9, 3},
                                         {"kitten", "sitting", 2, 3},
                                         {"", "abcdef", 3, 4},
                                         {"abcdef", "uvwxyz", 2, 3}}) {
    EXPECT_EQ(EditDistance(row.left, row.right, row.limit), row.distance) << row.left << " " << row.right;
    EXPECT_EQ(EditDistance(row.right, row.left, row.limit), row.distance) << row.right << " " << row.left;
  }
}

TEST(NearestNameTest, FindsWhatWasMeant) {
  const std::vector<std::string_view> known = {"blockId", "title", "dueDate", "parentBlockId"};
  EXPECT_EQ(NearestName("blockID", known), "blockId");
  EXPECT_EQ(NearestName("block_id", known), "blockId");
  EXPECT_EQ(NearestName("due-date", known), "dueDate");
  EXPECT_EQ(NearestName("tilte", known), "title");
  EXPECT_EQ(NearestName("parentBlokId", known), "parentBlockId");
  EXPECT_EQ(NearestName("colour", known), "");
  EXPECT_EQ(NearestName("", known), "");
  EXPECT_EQ(NearestName("x", {}), "");
}

}  // namespace
}  // namespace toolgate::text
