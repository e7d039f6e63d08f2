// Permitted changes of blocks in a transaction.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BlocksTest : public StoreTest {
 protected:
  absl::Status Move(std::string_view id, std::string_view parent, std::optional<int64_t> position) {
    return Commit([&](Transaction& transaction) { return transaction.MoveBlock(id, parent, position).status(); });
  }
  std::string CreateAt(std::string_view id, std::optional<int64_t> position, std::string_view parent = "") {
    return CodeOf(Commit([&](Transaction& transaction) {
      return transaction
          .CreateBlock({.id = std::string(id),
                        .type = "text",
                        .parent_id = std::string(parent),
                        .data = "{}",
                        .position = position})
          .status();
    }));
  }
};

TEST_P(BlocksTest, CreatedBlockHasEveryField) {
  Create("parent");
  const absl::Time now = clock_.Now();
  ASSERT_TRUE(Commit(Context("change-1", "w", "bob"), [](Transaction& transaction) {
                return transaction
                    .CreateBlock({.id = "a",
                                  .type = "todo",
                                  .parent_id = "parent",
                                  .data = R"({"title":"x"})",
                                  .position = std::nullopt})
                    .status();
              }).ok());
  const std::optional<Block> block = Find("a");
  ASSERT_TRUE(block.has_value());
  EXPECT_EQ(block->id, "a");
  EXPECT_EQ(block->type, "todo");
  EXPECT_EQ(block->parent_id, "parent");
  EXPECT_EQ(block->data, R"({"title":"x"})");
  EXPECT_EQ(block->version, 1);
  EXPECT_EQ(block->change_id, "change-1");
  EXPECT_EQ(block->created_by, "bob");
  EXPECT_EQ(block->updated_by, "bob");
  EXPECT_EQ(block->created_at, now);
  EXPECT_EQ(block->updated_at, now);
  EXPECT_FALSE(block->rank.empty());
}

TEST_P(BlocksTest, TimesAreCutToWholeMicroseconds) {
  WriteContext context = Context();
  context.now += absl::Nanoseconds(1999);
  ASSERT_TRUE(Commit(context, [](Transaction& transaction) {
                return transaction
                    .CreateBlock({.id = "a", .type = "text", .parent_id = "", .data = "{}", .position = std::nullopt})
                    .status();
              }).ok());
  EXPECT_EQ(Find("a")->created_at, clock_.Now() + absl::Microseconds(1));
}

TEST_P(BlocksTest, StoreMakesAnIdWhenNoneIsGiven) {
  std::string id;
  ASSERT_TRUE(Commit([&](Transaction& transaction) {
                const auto block = transaction.CreateBlock(
                    {.id = "", .type = "text", .parent_id = "", .data = "{}", .position = std::nullopt});
                if (block.ok()) id = block->id;
                return block.status();
              }).ok());
  EXPECT_EQ(id.size(), 26u);
  EXPECT_TRUE(Find(id).has_value());
}

TEST_P(BlocksTest, TakenIdIsAConflict) {
  Create("a");
  EXPECT_EQ(CreateAt("a", std::nullopt), "CONFLICT");
  EXPECT_EQ(Find("a")->version, 1);
}

TEST_P(BlocksTest, UnknownParentIsNotFound) {
  EXPECT_EQ(CreateAt("a", std::nullopt, "nowhere"), "NOT_FOUND");
  EXPECT_FALSE(Find("a").has_value());
}

TEST_P(BlocksTest, GetOfAnUnknownBlockNamesIt) {
  const absl::Status status = Read([](ReadView& view) { return view.GetBlock("ghost").status(); });
  EXPECT_EQ(CodeOf(status), "NOT_FOUND");
  EXPECT_EQ(FactOf(status, "blockId"), "ghost");
}

TEST_P(BlocksTest, PositionPlacesAmongSiblings) {
  for (const char* id : {"a", "b", "c"}) Create(id);
  EXPECT_EQ(CreateAt("first", 0), "OK");
  EXPECT_EQ(CreateAt("third", 2), "OK");
  EXPECT_EQ(CreateAt("beyond", 99), "OK");
  EXPECT_EQ(CreateAt("last", std::nullopt), "OK");
  EXPECT_EQ(CreateAt("negative", -3), "OK");
  EXPECT_THAT(ChildrenOf(""), ElementsAre("negative", "first", "a", "third", "b", "c", "beyond", "last"));
}

TEST_P(BlocksTest, ListChildrenAnswersAtMostTheLimit) {
  for (const char* id : {"a", "b", "c"}) Create(id);
  ASSERT_TRUE(Read([](ReadView& view) {
                const auto children = view.ListChildren("", 2);
                EXPECT_THAT(IdsOf(*children), ElementsAre("a", "b"));
                return absl::OkStatus();
              }).ok());
}

TEST_P(BlocksTest, ListChildrenGoesOnBehindAChild) {
  for (const char* id : {"c", "a", "d", "b"}) Create(id);
  ASSERT_TRUE(Read([](ReadView& view) {
                const std::vector<Block> first = view.ListChildren("", 2).value();
                EXPECT_THAT(IdsOf(first), ElementsAre("c", "a"));
                const std::vector<Block> rest = view.ListChildren("", 10, SiblingPlace::Of(first.back())).value();
                EXPECT_THAT(IdsOf(rest), ElementsAre("d", "b"));
                EXPECT_THAT(*view.ListChildren("", 10, SiblingPlace::Of(rest.back())), IsEmpty());
                return absl::OkStatus();
              }).ok());
}

TEST_P(BlocksTest, UpdateReplacesDataAndRaisesTheVersion) {
  const Block created = Create("a", "", R"({"n":1})");
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(Commit(Context("change-2", "w", "bob"), [](Transaction& transaction) {
                return transaction.UpdateBlock("a", R"({"n":2})").status();
              }).ok());
  const std::optional<Block> updated = Find("a");
  EXPECT_EQ(updated->data, R"({"n":2})");
  EXPECT_EQ(updated->version, 2);
  EXPECT_EQ(updated->change_id, "change-2");
  EXPECT_EQ(updated->created_by, "alice");
  EXPECT_EQ(updated->updated_by, "bob");
  EXPECT_EQ(updated->created_at, created.created_at);
  EXPECT_EQ(updated->updated_at, clock_.Now());
  EXPECT_EQ(updated->rank, created.rank);
}

TEST_P(BlocksTest, UpdateWithTheSameDataChangesNothing) {
  Create("a", "", R"({"n":1})");
  EXPECT_TRUE(Change("change-2", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":1})").status(); }).empty());
  EXPECT_EQ(Find("a")->version, 1);
  EXPECT_EQ(Find("a")->change_id, "create-a");
}

TEST_P(BlocksTest, UpdateOfAnotherVersionIsAConflictThatNamesThePresentOne) {
  Create("a");
  const absl::Status status =
      Commit([](Transaction& transaction) { return transaction.UpdateBlock("a", R"({"n":2})", 7).status(); });
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "version"), "1");
  EXPECT_TRUE(Commit([](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})", 1).status(); }).ok());
}

TEST_P(BlocksTest, UpdateOfAnUnknownBlockIsNotFound) {
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) { return t.UpdateBlock("ghost", "{}").status(); })), "NOT_FOUND");
}

TEST_P(BlocksTest, MoveChangesParentAndPlace) {
  for (const char* id : {"a", "b", "c"}) Create(id);
  Create("d", "a");
  ASSERT_TRUE(Move("c", "a", 0).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a", "b"));
  EXPECT_THAT(ChildrenOf("a"), ElementsAre("c", "d"));
  EXPECT_EQ(Find("c")->version, 2);
}

TEST_P(BlocksTest, PositionOfAMoveCountsTheOtherSiblings) {
  for (const char* id : {"a", "b", "c", "d"}) Create(id);
  ASSERT_TRUE(Move("a", "", 2).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("b", "c", "a", "d"));
  ASSERT_TRUE(Move("d", "", 0).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("d", "b", "c", "a"));
  ASSERT_TRUE(Move("d", "", std::nullopt).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("b", "c", "a", "d"));
}

TEST_P(BlocksTest, MoveToWhereItStandsChangesNothing) {
  for (const char* id : {"a", "b", "c"}) Create(id);
  EXPECT_TRUE(Change("m", [](Transaction& t) { return t.MoveBlock("b", "", 1).status(); }).empty());
  EXPECT_TRUE(Change("m", [](Transaction& t) { return t.MoveBlock("c", "", std::nullopt).status(); }).empty());
  EXPECT_EQ(Find("b")->version, 1);
}

TEST_P(BlocksTest, MoveMayReplaceDataInTheSameStep) {
  Create("a");
  Create("b");
  const auto changes =
      Change("m", [](Transaction& t) { return t.MoveBlock("b", "a", std::nullopt, R"({"n":1})").status(); });
  ASSERT_EQ(changes.blocks.size(), 1u);
  EXPECT_EQ(Find("b")->version, 2);
  EXPECT_EQ(Find("b")->data, R"({"n":1})");
  EXPECT_EQ(Find("b")->parent_id, "a");
}

TEST_P(BlocksTest, MoveBelowItselfIsAConflict) {
  Create("a");
  Create("b", "a");
  Create("c", "b");
  EXPECT_EQ(CodeOf(Move("a", "a", std::nullopt)), "CONFLICT");
  EXPECT_EQ(CodeOf(Move("a", "c", std::nullopt)), "CONFLICT");
  EXPECT_EQ(CodeOf(Move("a", "ghost", std::nullopt)), "NOT_FOUND");
  EXPECT_EQ(CodeOf(Move("ghost", "a", std::nullopt)), "NOT_FOUND");
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a"));
}

TEST_P(BlocksTest, DeleteTakesTheWholeSubtreeAlong) {
  Create("a");
  Create("b", "a");
  Create("c", "b");
  Create("d");
  int64_t gone = 0;
  ASSERT_TRUE(Commit([&](Transaction& transaction) -> absl::Status {
                const auto count = transaction.DeleteBlock("a", Children::kDelete);
                if (count.ok()) gone = count->blocks;
                return count.status();
              }).ok());
  EXPECT_EQ(gone, 3);
  for (const char* id : {"a", "b", "c"}) EXPECT_FALSE(Find(id).has_value()) << id;
  EXPECT_TRUE(Find("d").has_value());
}

TEST_P(BlocksTest, DeleteMayLeaveTheChildrenInItsPlace) {
  for (const char* id : {"x", "a", "y"}) Create(id);
  for (const char* id : {"b", "c"}) Create(id, "a");
  Create("d", "b");
  int64_t gone = 0;
  ASSERT_TRUE(Commit([&](Transaction& transaction) -> absl::Status {
                const auto count = transaction.DeleteBlock("a", Children::kMoveToParent);
                if (count.ok()) gone = count->blocks;
                return count.status();
              }).ok());
  EXPECT_EQ(gone, 1);
  EXPECT_THAT(ChildrenOf(""), ElementsAre("x", "b", "c", "y"));
  EXPECT_THAT(ChildrenOf("b"), ElementsAre("d"));
}

TEST_P(BlocksTest, DeleteOfAnUnknownBlockIsNotFound) {
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) { return t.DeleteBlock("ghost", Children::kDelete).status(); })),
            "NOT_FOUND");
}

TEST_P(BlocksTest, TransactionSeesItsOwnWrites) {
  ASSERT_TRUE(Commit([](Transaction& transaction) -> absl::Status {
                const NewBlock block{
                    .id = "a", .type = "text", .parent_id = "", .data = R"({"title":"walrus"})", .position = {}};
                EXPECT_TRUE(transaction.CreateBlock(block).ok());
                EXPECT_TRUE(transaction.GetBlock("a").ok());
                EXPECT_EQ(transaction.ListChildren("", 10)->size(), 1u);
                EXPECT_EQ(transaction.FindBlocks({})->blocks.size(), 1u);
                SearchQuery query;
                query.text = "walrus";
                EXPECT_EQ(transaction.Search(query)->total, 1);
                return absl::OkStatus();
              }).ok());
}

TEST_P(BlocksTest, DeltasHoldOneRowABlockInOrderOfFirstTouch) {
  Create("a", "", R"({"n":1})");
  Create("b");
  const auto changes = Change("c", [](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.UpdateBlock("b", R"({"n":1})").ok());
    EXPECT_TRUE(t.UpdateBlock("a", R"({"n":2})").ok());
    EXPECT_TRUE(t.UpdateBlock("b", R"({"n":2})").ok());
    EXPECT_TRUE(t.DeleteBlock("a", Children::kDelete).ok());
    EXPECT_TRUE(t.CreateBlock({.id = "new", .type = "text", .parent_id = "", .data = "{}", .position = {}}).ok());
    EXPECT_TRUE(t.CreateBlock({.id = "brief", .type = "text", .parent_id = "", .data = "{}", .position = {}}).ok());
    return t.DeleteBlock("brief", Children::kDelete).status();
  });
  ASSERT_EQ(changes.blocks.size(), 3u);
  EXPECT_EQ(changes.blocks[0].before->id, "b");
  EXPECT_EQ(changes.blocks[0].after->data, R"({"n":2})");
  EXPECT_EQ(changes.blocks[1].before->data, R"({"n":1})");
  EXPECT_FALSE(changes.blocks[1].after.has_value());
  EXPECT_FALSE(changes.blocks[2].before.has_value());
  EXPECT_EQ(changes.blocks[2].after->id, "new");
}

TEST_P(BlocksTest, BlockThatEndsAsItBeganKeepsItsChangeAndIsNoDelta) {
  Create("a", "", R"({"n":1})");
  EXPECT_TRUE(Change("c", [](Transaction& t) -> absl::Status {
                EXPECT_TRUE(t.UpdateBlock("a", R"({"n":2})").ok());
                return t.UpdateBlock("a", R"({"n":1})").status();
              }).empty());
  EXPECT_EQ(Find("a")->change_id, "create-a");
  EXPECT_EQ(Find("a")->version, 3);
}

TEST_P(BlocksTest, NestedFailureTakesBackOnlyItsOwnPart) {
  const auto changes = Change("c", [](Transaction& t) -> absl::Status {
    const auto create = [&t](const char* id) {
      return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = {}}).status();
    };
    EXPECT_TRUE(create("before").ok());
    const absl::Status failed = t.Nested([&] {
      EXPECT_TRUE(create("inner").ok());
      EXPECT_TRUE(t.UpdateBlock("before", R"({"n":1})").ok());
      EXPECT_TRUE(t.Nested([&] { return create("innermost"); }).ok());
      return MakeError(ErrorCode::kConflict, "no");
    });
    EXPECT_EQ(CodeOf(failed), "CONFLICT");
    return t.Nested([&] { return create("after"); });
  });
  EXPECT_THAT(ChildrenOf(""), ElementsAre("before", "after"));
  EXPECT_EQ(Find("before")->data, "{}");
  ASSERT_EQ(changes.blocks.size(), 2u);
  EXPECT_EQ(changes.blocks[0].after->data, "{}");
  EXPECT_EQ(changes.blocks[1].after->id, "after");
}

TEST_P(BlocksTest, WorkspacesAreSeparate) {
  Create("a");
  ASSERT_TRUE(
      Commit(Context("c", "other"), [](Transaction& t) {
        EXPECT_FALSE(t.FindBlock("a")->has_value());
        EXPECT_EQ(CodeOf(t.UpdateBlock("a", "{}").status()), "NOT_FOUND");
        EXPECT_EQ(CodeOf(t.MoveBlock("a", "", 0).status()), "NOT_FOUND");
        EXPECT_EQ(CodeOf(t.DeleteBlock("a", Children::kDelete).status()), "NOT_FOUND");
        EXPECT_EQ(
            CodeOf(t.CreateBlock({.id = "b", .type = "text", .parent_id = "a", .data = "{}", .position = {}}).status()),
            "NOT_FOUND");
        return t.CreateBlock({.id = "a", .type = "text", .parent_id = "", .data = R"({"o":1})", .position = {}})
            .status();
      }).ok());
  EXPECT_EQ(Find("a")->data, "{}");
  EXPECT_EQ(Find("a", "other")->data, R"({"o":1})");
  EXPECT_THAT(ChildrenOf("", "third"), IsEmpty());
}

TEST_P(BlocksTest, EverythingIsThereAfterReopening) {
  Create("a", "", R"({"title":"kept"})");
  Reopen();
  EXPECT_EQ(Find("a")->data, R"({"title":"kept"})");
  Create("b");
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a", "b"));
  EXPECT_THAT(Hits("kept"), ElementsAre("a"));
}

INSTANTIATE_TEST_SUITE_P(Stores, BlocksTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
