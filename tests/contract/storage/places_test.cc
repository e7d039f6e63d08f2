// Places among siblings when ranks must be rewritten: order, undo and other blocks.
#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "gmock/gmock.h"
#include "storage/rank.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using Order = std::vector<std::string>;

class PlacesTest : public StoreTest {
 protected:
  Changes Move(const std::string& id, int64_t position, std::string_view parent = "") {
    return Change(absl::StrCat("move-", ++changes_),
                  [&](Transaction& t) { return t.MoveBlock(id, parent, position).status(); });
  }
  // Returns the undo's changes, so that it can be undone.
  Changes Undo(const Changes& deltas) {
    return Change(absl::StrCat("undo-", ++changes_), [&](Transaction& t) { return t.Revert(deltas); });
  }
  size_t LongestRank(std::string_view parent = "") {
    size_t longest = 0;
    for (const std::string& id : ChildrenOf(parent)) longest = std::max(longest, Find(id)->rank.size());
    return longest;
  }
  int64_t Generation(std::string_view parent = "") {
    std::string text = "0";
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto document = view.FindDocument("rank_generation", parent);
                  if (document.ok() && document->has_value()) text = **document;
                  return document.status();
                }).ok());
    return std::stoll(text);
  }
  // Narrows the gap around the middle of five siblings from both sides in turn, the worst case for ranks.
  Changes Narrow(int step, std::string_view parent = "") {
    const Order order = ChildrenOf(parent);
    return Move(order[step % 2 == 0 ? 1 : 3], 2, parent);
  }
  void NarrowUntilRewritten(std::string_view parent = "") {
    const int64_t generation = Generation(parent);
    for (int step = 0; Generation(parent) == generation; ++step) {
      ASSERT_LT(step, 1'000) << "the ranks are never rewritten";
      Narrow(step, parent);
    }
  }
  void CreateFive(std::string_view parent = "") {
    for (const char* id : {"a", "b", "c", "d", "e"}) Create(id, parent);
  }

  // Puts one more block into the remaining gap between b and c, on alternating sides of the last one.
  std::string Halve() {
    const int64_t place = halved_++ == 0 ? 2 : last_place_ + (halved_ % 2);
    const std::string id = absl::StrCat("h", halved_);
    EXPECT_TRUE(
        Commit([&](Transaction& t) {
          return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = place}).status();
        }).ok());
    last_place_ = place;
    return id;
  }
  std::string CreateWithLongRank() {
    std::string id = Halve();
    while (Find(id)->rank.size() <= kShortRankLength * 2) id = Halve();
    return id;
  }
  void HalveUntilRewritten() {
    const int64_t generation = Generation();
    while (Generation() == generation) {
      ASSERT_LT(halved_, 1'000) << "the ranks are never rewritten";
      Halve();
    }
  }

  int changes_ = 0;
  int halved_ = 0;
  int64_t last_place_ = 0;
};

TEST_P(PlacesTest, RanksStayShortHoweverTheGapIsNarrowed) {
  CreateFive();
  Order expected = ChildrenOf("");
  for (int step = 0; step < 1'000; ++step) {
    Narrow(step);
    std::swap(expected[step % 2 == 0 ? 1 : 3], expected[2]);
    ASSERT_EQ(ChildrenOf(""), expected) << step;
    ASSERT_LE(LongestRank(), kMaxRankLength);
  }
  EXPECT_GT(Generation(), 2);
}

TEST_P(PlacesTest, InsertingAlwaysHalfwayKeepsRanksShortAndTheOrder) {
  Order expected;
  for (int i = 0; i < 600; ++i) {
    const auto place = static_cast<int64_t>(expected.size() / 2);
    const std::string id = absl::StrCat("n", i);
    ASSERT_TRUE(
        Commit([&](Transaction& t) {
          return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = place}).status();
        }).ok());
    expected.insert(expected.begin() + place, id);
  }
  EXPECT_EQ(ChildrenOf(""), expected);
  EXPECT_LE(LongestRank(), kMaxRankLength);
  EXPECT_GT(Generation(), 1);
}

TEST_P(PlacesTest, NobodyNoticesThatRanksAreRewritten) {
  CreateFive();
  const std::string bystander = CreateWithLongRank();
  const Block before = *Find(bystander);
  HalveUntilRewritten();
  const Block after = *Find(bystander);
  ASSERT_NE(after.rank, before.rank);
  EXPECT_LT(after.rank.size(), before.rank.size());
  EXPECT_EQ(after.version, before.version);
  EXPECT_EQ(after.change_id, before.change_id);
  EXPECT_EQ(after.updated_at, before.updated_at);
  EXPECT_EQ(after.updated_by, before.updated_by);
}

TEST_P(PlacesTest, AMoveThatRewritesRanksReportsOnlyItself) {
  CreateFive();
  const int64_t generation = Generation();
  Changes deltas;
  for (int step = 0; step < 1'000 && Generation() == generation; ++step) deltas = Narrow(step);
  EXPECT_GT(Generation(), generation);
  EXPECT_EQ(deltas.blocks.size(), 1u);
}

TEST_P(PlacesTest, EarlierChangesCanBeUndoneOneByOneAcrossRewritings) {
  CreateFive();
  std::vector<Order> orders;
  std::vector<Changes> deltas;
  for (int step = 0; step < 500; ++step) {
    orders.push_back(ChildrenOf(""));
    deltas.push_back(Narrow(step));
  }
  ASSERT_GT(Generation(), 2);
  const Order last = ChildrenOf("");
  std::vector<Changes> undone;
  for (size_t i = deltas.size(); i-- > 0;) {
    undone.push_back(Undo(deltas[i]));
    ASSERT_EQ(ChildrenOf(""), orders[i]) << i;
  }
  for (size_t i = undone.size(); i-- > 0;) Undo(undone[i]);
  EXPECT_EQ(ChildrenOf(""), last);
}

TEST_P(PlacesTest, ABystandersEditIsUndoneWithoutMovingIt) {
  CreateFive();
  const std::string bystander = CreateWithLongRank();
  const auto edit = Change("edit", [&](Transaction& t) { return t.UpdateBlock(bystander, R"({"n":1})").status(); });
  HalveUntilRewritten();
  const Order order = ChildrenOf("");
  const std::string rank = Find(bystander)->rank;
  const Changes undone = Undo(edit);
  EXPECT_EQ(ChildrenOf(""), order);
  EXPECT_EQ(Find(bystander)->data, "{}");
  EXPECT_EQ(Find(bystander)->rank, rank);
  Undo(undone);
  EXPECT_EQ(ChildrenOf(""), order);
  EXPECT_EQ(Find(bystander)->data, R"({"n":1})");
}

TEST_P(PlacesTest, WhatWasDeletedBeforeComesBackBetweenTheSameSiblings) {
  CreateFive();
  for (const char* id : {"x", "y"}) {
    ASSERT_TRUE(
        Commit([&](Transaction& t) {
          return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = 1}).status();
        }).ok());
  }
  ASSERT_THAT(ChildrenOf(""), ElementsAre("a", "y", "x", "b", "c", "d", "e"));
  const auto x = Change("dx", [](Transaction& t) { return t.DeleteBlock("x", Children::kDelete).status(); });
  const auto y = Change("dy", [](Transaction& t) { return t.DeleteBlock("y", Children::kDelete).status(); });
  NarrowUntilRewritten();
  NarrowUntilRewritten();
  const Order order = ChildrenOf("");
  Undo(x);
  Undo(y);
  Order expected = order;
  expected.insert(expected.begin() + 1, {"y", "x"});
  EXPECT_EQ(ChildrenOf(""), expected) << "in their order, though both ranks are from before";
}

TEST_P(PlacesTest, AMoveToAnotherParentComesBackAcrossARewriting) {
  Create("p");
  CreateFive("p");
  Create("q");
  const auto moved = Change("out", [](Transaction& t) { return t.MoveBlock("b", "q", std::nullopt).status(); });
  Create("f", "p");
  NarrowUntilRewritten("p");
  Order expected = ChildrenOf("p");
  const Changes undone = Undo(moved);
  expected.insert(std::find(expected.begin(), expected.end(), "a") + 1, "b");
  EXPECT_EQ(ChildrenOf("p"), expected);
  Undo(undone);
  EXPECT_THAT(ChildrenOf("q"), ElementsAre("b"));
}

TEST_P(PlacesTest, ATransactionMayMoveBeforeAndAfterARewriting) {
  CreateFive();
  for (const char* id : {"x", "y"}) Create(id);
  const Order before = ChildrenOf("");
  const auto deltas = Change("many", [&](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.UpdateBlock("a", R"({"n":1})").ok());
    EXPECT_TRUE(t.MoveBlock("x", "", 0).ok());
    for (int step = 0; step < 300; ++step) {
      const auto children = t.ListChildren("", 100);
      EXPECT_TRUE(t.MoveBlock((*children)[step % 2 == 0 ? 2 : 4].id, "", 3).ok());
    }
    EXPECT_TRUE(t.MoveBlock("a", "", 4).ok());
    return t.DeleteBlock("y", Children::kDelete).status();
  });
  ASSERT_GT(Generation(), 0);
  const Order after = ChildrenOf("");
  const Changes undone = Undo(deltas);
  EXPECT_EQ(ChildrenOf(""), before);
  EXPECT_EQ(Find("a")->data, "{}");
  Undo(undone);
  EXPECT_EQ(ChildrenOf(""), after);
}

TEST_P(PlacesTest, ARewritingThatIsTakenBackLeavesNoTrace) {
  CreateFive();
  NarrowUntilRewritten();
  const int64_t generation = Generation();
  const Order order = ChildrenOf("");
  Changes moved;
  ASSERT_TRUE(Commit([&](Transaction& t) {
                EXPECT_EQ(CodeOf(t.Nested([&]() -> absl::Status {
                            for (int step = 0; step < 300; ++step) {
                              const auto children = t.ListChildren("", 100);
                              EXPECT_TRUE(t.MoveBlock((*children)[step % 2 == 0 ? 1 : 3].id, "", 2).ok());
                            }
                            return MakeError(ErrorCode::kConflict, "no");
                          })),
                          "CONFLICT");
                const absl::Status status = t.MoveBlock(order[0], "", 4).status();
                moved = t.changes();
                return status;
              }).ok());
  EXPECT_EQ(Generation(), generation);
  Undo(moved);
  EXPECT_EQ(ChildrenOf(""), order);
}

TEST_P(PlacesTest, SiblingsOfOneRankAreToldApartWithoutANewVersion) {
  Create("a");
  Create("c");
  const auto deltas = Change("mine", [](Transaction& t) { return t.DeleteBlock("c", Children::kDelete).status(); });
  Create("d");  // Takes the rank that c had.
  Undo(deltas);
  ASSERT_EQ(Find("c")->rank, Find("d")->rank);
  const int64_t version = Find("d")->version;
  Create("n");
  Move("n", 2);
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a", "c", "n", "d"));
  EXPECT_EQ(Find("d")->version, version);
}

TEST_P(PlacesTest, OldMapsGoAndTheRestStillServes) {
  CreateFive();
  const auto deleted = Change("d", [](Transaction& t) { return t.DeleteBlock("e", Children::kDelete).status(); });
  Create("f");
  ASSERT_TRUE(Commit([](Transaction& t) -> absl::Status {
                for (int step = 0; step < 10'000; ++step) {
                  const auto children = t.ListChildren("", 100);
                  EXPECT_TRUE(t.MoveBlock((*children)[step % 2 == 0 ? 1 : 3].id, "", 2).ok());
                  if (*t.FindDocument("rank_generation", "") == "40") return absl::OkStatus();
                }
                return absl::InternalError("the ranks are not rewritten often enough");
              }).ok());
  EXPECT_TRUE(Read([&](ReadView& view) {
                EXPECT_FALSE((*view.FindDocument("rank_map", "/1")).has_value());
                EXPECT_TRUE((*view.FindDocument("rank_map", "/40")).has_value());
                return absl::OkStatus();
              }).ok());
  Undo(deleted);
  EXPECT_EQ(ChildrenOf("").size(), 6u);
}

TEST_P(PlacesTest, SiblingsWithLongRanksFarAroundTheGapAreRewrittenToo) {
  // Siblings with long ranks on both sides, farther than the first search reaches.
  Order expected;
  const auto insert = [&](int64_t place) {
    const std::string id = absl::StrCat("n", expected.size());
    ASSERT_TRUE(
        Commit([&](Transaction& t) {
          return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = place}).status();
        }).ok());
    expected.insert(expected.begin() + place, id);
  };
  for (int i = 0; i < 90; ++i) insert(static_cast<int64_t>(expected.size() / 2));
  for (int i = 0; i < 200; ++i) insert(static_cast<int64_t>(expected.size() / 2) - (i % 2 == 0 ? 0 : 1));
  for (int i = 0; i < 100; ++i) insert(static_cast<int64_t>(expected.size() / 2));
  EXPECT_EQ(ChildrenOf(""), expected);
  EXPECT_LE(LongestRank(), kMaxRankLength);
}

TEST_P(PlacesTest, RandomMovesAndUndosKeepTheOrderOfAModel) {
  std::mt19937 random(20261122);
  CreateFive();
  for (int i = 0; i < 20; ++i) Create(absl::StrCat("s", i));
  struct Done {
    Order before;
    Changes deltas;
  };
  std::vector<Done> stack;
  Order order = ChildrenOf("");
  for (int step = 0; step < 1'500; ++step) {
    if (random() % 16 == 0 && !stack.empty()) {
      Undo(stack.back().deltas);
      order = stack.back().before;
      stack.pop_back();
    } else {
      // Nearly always into the middle from either side.
      const size_t from = random() % 100 == 0 ? random() % order.size() : order.size() / 2 + (step % 2 == 0 ? 1 : -1);
      const size_t to = random() % 100 == 0 ? random() % order.size() : order.size() / 2;
      const std::string id = order[from];
      stack.push_back({order, Move(id, static_cast<int64_t>(to))});
      order.erase(order.begin() + static_cast<ptrdiff_t>(from));
      order.insert(order.begin() + static_cast<ptrdiff_t>(to), id);
    }
    ASSERT_EQ(ChildrenOf(""), order) << step;
  }
  EXPECT_GT(Generation(), 0);
}

// "l1" at the root, "l2" below it and so on.
std::string Level(int64_t level) { return absl::StrCat("l", level); }

class DepthTest : public StoreTest {
 protected:
  void Nest(int64_t from, int64_t to) {
    for (int64_t level = from; level <= to; ++level) Create(Level(level), level == 1 ? "" : Level(level - 1));
  }
  absl::Status Move(std::string_view id, std::string_view parent) {
    return Commit([&](Transaction& t) { return t.MoveBlock(id, parent, std::nullopt).status(); });
  }
};

TEST_P(DepthTest, ABlockBelowTheLowestLevelIsRefused) {
  Nest(1, kMaxBlockDepth);
  const absl::Status status = Commit([&](Transaction& t) {
    return t.CreateBlock({"deeper", "text", Level(kMaxBlockDepth), "{}", {}}).status();
  });
  EXPECT_EQ(CodeOf(status), "INVALID_PARAMS");
  EXPECT_EQ(GetToolError(status)->message,
            "blocks lie at most 100 levels deep, the root's being level 1, and this one would lie at level 101; put it "
            "below a block at level 99 or higher up");
  EXPECT_EQ(FactOf(status, "maxDepth"), "100");
}

TEST_P(DepthTest, AMoveMayNotPushAnythingBelowTheLowestLevel) {
  Nest(1, kMaxBlockDepth - 2);
  Create("a");
  Create("b", "a");
  Create("c", "b");
  const absl::Status status = Move("a", Level(kMaxBlockDepth - 2));
  EXPECT_EQ(CodeOf(status), "INVALID_PARAMS");
  EXPECT_EQ(GetToolError(status)->message,
            "blocks lie at most 100 levels deep, the root's being level 1, and this one would reach down to level 101; "
            "put it below a block at level 97 or higher up");
  EXPECT_TRUE(Move("a", Level(kMaxBlockDepth - 3)).ok());
  EXPECT_EQ(CodeOf(Move("b", "c")), "CONFLICT");
}

TEST_P(DepthTest, AnUndoPushesNothingBelowTheLowestLevel) {
  Create("top");
  Create("a", "top");
  Create("b", "a");
  const Changes gone = Change("gone", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  Nest(1, kMaxBlockDepth - 1);
  ASSERT_TRUE(Move("top", Level(kMaxBlockDepth - 2)).ok());
  const absl::Status status = Commit([&](Transaction& t) { return t.Revert(gone); });
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "blockId"), "b");
  EXPECT_FALSE(Find("a").has_value());
  ASSERT_TRUE(Move("top", Level(kMaxBlockDepth - 3)).ok());
  EXPECT_TRUE(Commit([&](Transaction& t) { return t.Revert(gone); }).ok());
  EXPECT_TRUE(Find("b").has_value());
}

TEST_P(DepthTest, AnUndoOfAMoveMindsWhatHasComeBelowSince) {
  Nest(1, kMaxBlockDepth - 1);
  Create("a", Level(kMaxBlockDepth - 1));
  const Changes up = Change("up", [](Transaction& t) { return t.MoveBlock("a", "", std::nullopt).status(); });
  Create("b", "a");
  const absl::Status status = Commit([&](Transaction& t) { return t.Revert(up); });
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "blockId"), "a");
  ASSERT_TRUE(Move("b", "").ok());
  EXPECT_TRUE(Commit([&](Transaction& t) { return t.Revert(up); }).ok());
}

TEST_P(DepthTest, AnUndoThatWouldCloseACircleEnds) {
  Create("a");
  Create("b", "a");
  Create("c", "b");
  const Changes out = Change("out", [](Transaction& t) -> absl::Status {
    RETURN_IF_ERROR(t.MoveBlock("c", "", std::nullopt).status());
    return t.MoveBlock("b", "", std::nullopt).status();
  });
  ASSERT_TRUE(Move("a", "b").ok());
  EXPECT_EQ(CodeOf(Commit([&](Transaction& t) { return t.Revert(out); })), "CONFLICT");
}

INSTANTIATE_TEST_SUITE_P(Stores, DepthTest, AllBackends(), BackendName);

TEST_P(PlacesTest, ChildrenTakeThePlaceOfTheirParentWhereRanksAreLong) {
  CreateFive();
  for (int i = 0; i < 20; ++i) {
    for (const char* parent : {"b", "c", "d"}) Create(absl::StrCat(parent, i), parent);
  }
  for (int step = 0; LongestRank() < kMaxRankLength - 1; ++step) Narrow(step);
  ASSERT_EQ(Generation(), 0);
  const Order before = ChildrenOf("");
  const std::string parent = before[2];
  Order after = before;
  const Order children = ChildrenOf(parent);
  ASSERT_EQ(children.size(), 20u);
  after.erase(after.begin() + 2);
  after.insert(after.begin() + 2, children.begin(), children.end());

  const Changes adopted =
      Change("adopt", [&](Transaction& t) { return t.DeleteBlock(parent, Children::kMoveToParent).status(); });
  EXPECT_EQ(ChildrenOf(""), after);
  EXPECT_EQ(Generation(), 1) << "the ranks were rewritten";
  const Changes undone = Undo(adopted);
  EXPECT_EQ(ChildrenOf(""), before);
  EXPECT_EQ(ChildrenOf(parent), children);
  Undo(undone);
  EXPECT_EQ(ChildrenOf(""), after);
}

INSTANTIATE_TEST_SUITE_P(Stores, PlacesTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
