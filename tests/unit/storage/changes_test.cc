#include "storage/changes.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::storage {
namespace {

Block MakeBlock(const std::string& id, const std::string& change) {
  Block block;
  block.id = id;
  block.change_id = change;
  return block;
}

Link MakeLink(const std::string& change) {
  Link link;
  link.from_id = "a";
  link.to_id = "b";
  link.relation = "r";
  link.change_id = change;
  return link;
}

Changes Of(BlockDelta delta) {
  Changes changes;
  changes.blocks.push_back(std::move(delta));
  return changes;
}

TEST(JoinChangesTest, GoesFromTheFirstStateToTheLast) {
  const Changes joined = JoinChanges({Of({std::nullopt, MakeBlock("a", "1")}), Of({std::nullopt, MakeBlock("b", "2")}),
                                      Of({MakeBlock("a", "1"), MakeBlock("a", "3")})});
  ASSERT_EQ(joined.blocks.size(), 2U);
  EXPECT_EQ(joined.blocks[0].after->id, "a");
  EXPECT_FALSE(joined.blocks[0].before.has_value());
  EXPECT_EQ(joined.blocks[0].after->change_id, "3");
  EXPECT_EQ(joined.blocks[1].after->id, "b");
}

TEST(JoinChangesTest, ForgetsWhatCameAndWent) {
  Changes came = Of({std::nullopt, MakeBlock("a", "1")});
  came.links.push_back({std::nullopt, MakeLink("1")});
  Changes went = Of({MakeBlock("a", "1"), std::nullopt});
  went.links.push_back({MakeLink("1"), std::nullopt});
  EXPECT_TRUE(JoinChanges({std::move(came), std::move(went)}).empty());
}

TEST(JoinChangesTest, EndsWhereSomebodyElseChangedTheSame) {
  const Changes joined =
      JoinChanges({Of({MakeBlock("a", "0"), MakeBlock("a", "1")}), Of({MakeBlock("a", "another"), MakeBlock("a", "2")}),
                   Of({MakeBlock("a", "2"), MakeBlock("a", "3")})});
  ASSERT_EQ(joined.blocks.size(), 1U);
  EXPECT_EQ(joined.blocks[0].before->change_id, "0");
  EXPECT_EQ(joined.blocks[0].after->change_id, "1") << "so that an undo finds the conflict";
}

TEST(JoinChangesTest, JoinsDocumentsByTheirTextAndKeepsEffectsInTheirOrder) {
  Changes first;
  first.documents.push_back({std::nullopt, Document{"k", "n", "1"}});
  first.effects = {{"x", "1"}, {"y", "2"}};
  Changes second;
  second.documents.push_back({Document{"k", "n", "1"}, Document{"k", "n", "2"}});
  second.effects = {{"x", "3"}};
  const Changes joined = JoinChanges({std::move(first), std::move(second)});
  ASSERT_EQ(joined.documents.size(), 1U);
  EXPECT_EQ(joined.documents[0].after->json, "2");
  ASSERT_EQ(joined.effects.size(), 3U);
  EXPECT_EQ(joined.effects[0].payload + joined.effects[1].payload + joined.effects[2].payload, "123");
}

}  // namespace
}  // namespace toolgate::storage
