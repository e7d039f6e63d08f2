// Reverts a transaction's changes; the stacks that record them.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class UndoTest : public StoreTest {
 protected:
  absl::Status Revert(const Changes& changes, std::string_view change_id = "undo") {
    return Commit(Context(change_id), [&](Transaction& transaction) {
      const absl::Status status = transaction.Revert(changes);
      undone_ = transaction.changes();
      return status;
    });
  }
  absl::Status Push(const UndoEntry& entry, std::string_view workspace = "w") {
    return Commit(Context("c", workspace), [&](Transaction& t) { return t.PushUndoEntry(entry); });
  }
  std::string Top(std::string_view user = "alice") {
    std::string id;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto top = view.TopUndoEntry(user);
                  if (top.ok() && top->has_value()) id = (*top)->id;
                  return top.status();
                }).ok());
    return id;
  }
  std::vector<std::string> Stack(std::string_view user = "alice", std::string_view workspace = "w") {
    std::vector<std::string> ids;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto entries = view.ListUndoEntries(user);
                      for (const UndoEntry& entry : *entries) ids.push_back(entry.id);
                      return entries.status();
                    },
                    workspace)
                    .ok());
    return ids;
  }
  static UndoEntry UndoOf(std::string_view undone, std::string_view id) {
    UndoEntry entry = EntryOf(id);
    entry.undoes = {std::string(undone)};
    return entry;
  }
  static UndoEntry EntryOf(std::string_view id, std::string_view tool = "create_block") {
    UndoEntry entry;
    entry.id = id;
    entry.user_id = "alice";
    entry.tool_id = tool;
    return entry;
  }

  Changes undone_;
};

TEST_P(UndoTest, RevertOfAnUpdateRestoresContentAndChangeButRaisesTheVersion) {
  const Block before = Create("a", "", R"({"n":1})");
  clock_.Advance(absl::Seconds(1));
  const auto changes = Change("c", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); });
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Revert(changes).ok());
  const std::optional<Block> after = Find("a");
  EXPECT_EQ(after->data, before.data);
  EXPECT_EQ(after->change_id, before.change_id);
  EXPECT_EQ(after->updated_at, before.updated_at);
  EXPECT_EQ(after->updated_by, before.updated_by);
  EXPECT_EQ(after->version, 3);
}

TEST_P(UndoTest, UndoCanBeUndone) {
  Create("a", "", R"({"n":1})");
  const auto changes = Change("c", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); });
  ASSERT_TRUE(Revert(changes).ok());
  ASSERT_TRUE(Revert(undone_, "redo").ok());
  EXPECT_EQ(Find("a")->data, R"({"n":2})");
  EXPECT_EQ(Find("a")->change_id, "c");
  ASSERT_TRUE(Revert(undone_, "undo again").ok());
  EXPECT_EQ(Find("a")->data, R"({"n":1})");
  EXPECT_EQ(Find("a")->version, 5);
}

TEST_P(UndoTest, ChangesUnderneathCanBeUndoneAfterTheOnesAbove) {
  Create("a", "", R"({"n":1})");
  const auto first = Change("c1", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); });
  const auto second = Change("c2", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":3})").status(); });
  ASSERT_TRUE(Revert(second).ok());
  ASSERT_TRUE(Revert(first).ok());
  EXPECT_EQ(Find("a")->data, R"({"n":1})");
}

TEST_P(UndoTest, RevertOfADeletionBringsTheSubtreeBackInItsPlace) {
  for (const char* id : {"x", "a", "y"}) Create(id);
  for (const char* id : {"b", "c"}) Create(id, "a");
  Create("d", "b");
  const auto changes = Change("c", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  EXPECT_EQ(changes.blocks.size(), 4u);
  ASSERT_TRUE(Revert(changes).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("x", "a", "y"));
  EXPECT_THAT(ChildrenOf("a"), ElementsAre("b", "c"));
  EXPECT_THAT(ChildrenOf("b"), ElementsAre("d"));
  EXPECT_EQ(Find("a")->version, 2);
  ASSERT_TRUE(Revert(undone_).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("x", "y"));
}

TEST_P(UndoTest, RevertOfAnAdoptionBringsBothBack) {
  Create("a");
  Create("b", "a");
  const auto changes = Change("c", [](Transaction& t) { return t.DeleteBlock("a", Children::kMoveToParent).status(); });
  ASSERT_TRUE(Revert(changes).ok());
  EXPECT_THAT(ChildrenOf("a"), ElementsAre("b"));
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a"));
}

TEST_P(UndoTest, RevertOfACreationRemovesChildrenBeforeParents) {
  const auto changes = Change("c", [](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.CreateBlock({.id = "a", .type = "text", .parent_id = "", .data = "{}", .position = {}}).ok());
    return t.CreateBlock({.id = "b", .type = "text", .parent_id = "a", .data = "{}", .position = {}}).status();
  });
  ASSERT_TRUE(Revert(changes).ok());
  EXPECT_FALSE(Find("a").has_value());
  EXPECT_FALSE(Find("b").has_value());
}

TEST_P(UndoTest, LaterChangeIsAConflictThatNamesBlockAndChange) {
  Create("a", "", R"({"n":1})");
  const auto changes = Change("mine", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); });
  Change("theirs", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":3})").status(); });
  const absl::Status status = Revert(changes);
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "blockId"), "a");
  EXPECT_EQ(FactOf(status, "changeId"), "theirs");
  EXPECT_EQ(Find("a")->data, R"({"n":3})");
}

TEST_P(UndoTest, ConflictInOneBlockLeavesAllAsTheyWere) {
  Create("a", "", R"({"n":1})");
  Create("b", "", R"({"n":1})");
  const auto changes = Change("mine", [](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.UpdateBlock("a", R"({"n":2})").ok());
    return t.UpdateBlock("b", R"({"n":2})").status();
  });
  Change("theirs", [](Transaction& t) { return t.UpdateBlock("b", R"({"n":3})").status(); });
  // The transaction itself continues and commits, so that only Revert can have taken its part back.
  ASSERT_TRUE(Commit([&](Transaction& t) {
                EXPECT_EQ(CodeOf(t.Revert(changes)), "CONFLICT");
                EXPECT_THAT(t.changes().blocks, IsEmpty());
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(Find("a")->data, R"({"n":2})");
}

TEST_P(UndoTest, BlockDeletedSinceIsAConflict) {
  Create("a", "", R"({"n":1})");
  const auto changes = Change("mine", [](Transaction& t) { return t.UpdateBlock("a", R"({"n":2})").status(); });
  Change("theirs", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  const absl::Status status = Revert(changes);
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "blockId"), "a");
}

TEST_P(UndoTest, BlockCreatedAgainSinceIsAConflict) {
  Create("a");
  const auto changes = Change("mine", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  Create("a");
  EXPECT_EQ(CodeOf(Revert(changes)), "CONFLICT");
}

TEST_P(UndoTest, ParentGoneSinceIsAConflict) {
  Create("p");
  Create("a", "p");
  const auto changes = Change("mine", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  Change("theirs", [](Transaction& t) { return t.DeleteBlock("p", Children::kDelete).status(); });
  EXPECT_EQ(CodeOf(Revert(changes)), "CONFLICT");
  EXPECT_FALSE(Find("a").has_value());
}

TEST_P(UndoTest, ChildrenOfACreatedBlockAreAConflictThatNamesTheirChange) {
  const auto changes = Change("mine", [](Transaction& t) {
    return t.CreateBlock({.id = "a", .type = "text", .parent_id = "", .data = "{}", .position = {}}).status();
  });
  Create("child", "a");
  const absl::Status status = Revert(changes);
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "blockId"), "a");
  EXPECT_EQ(FactOf(status, "changeId"), "create-child");
  EXPECT_TRUE(Find("a").has_value());
}

TEST_P(UndoTest, RevertNeverMakesACycle) {
  Create("a");
  Create("b");
  Create("c", "a");
  const auto changes = Change("mine", [](Transaction& t) { return t.MoveBlock("c", "", std::nullopt).status(); });
  Change("theirs", [](Transaction& t) { return t.MoveBlock("a", "c", std::nullopt).status(); });
  EXPECT_EQ(CodeOf(Revert(changes)), "CONFLICT");
  EXPECT_EQ(Find("c")->parent_id, "");
  EXPECT_EQ(Find("a")->parent_id, "c");
}

TEST_P(UndoTest, PlaceBetweenSiblingsOfOneRankCanStillBeTaken) {
  for (const char* id : {"a", "b", "c"}) Create(id);
  const auto changes = Change("mine", [](Transaction& t) { return t.DeleteBlock("b", Children::kDelete).status(); });
  ASSERT_TRUE(
      Commit([](Transaction& t) {
        return t.CreateBlock({.id = "bb", .type = "text", .parent_id = "", .data = "{}", .position = 1}).status();
      }).ok());
  ASSERT_TRUE(
      Commit([](Transaction& t) {
        return t.CreateBlock({.id = "bc", .type = "text", .parent_id = "", .data = "{}", .position = 1}).status();
      }).ok());
  ASSERT_TRUE(Revert(changes).ok());
  for (int position = 0; position < 6; ++position) {
    std::vector<std::string> expected = ChildrenOf("");
    const std::string id = absl::StrCat("n", position);
    expected.insert(expected.begin() + position, id);
    ASSERT_TRUE(Commit([&](Transaction& t) {
                  return t.CreateBlock({.id = id, .type = "text", .parent_id = "", .data = "{}", .position = position})
                      .status();
                }).ok());
    EXPECT_EQ(ChildrenOf(""), expected);
  }
}

TEST_P(UndoTest, SiblingsOfOneRankAreSeparatedWhenSomebodyComesBetween) {
  Create("a");
  Create("c");
  const auto changes = Change("mine", [](Transaction& t) { return t.DeleteBlock("c", Children::kDelete).status(); });
  Create("d");  // Takes the rank that c had.
  ASSERT_TRUE(Revert(changes).ok());
  ASSERT_EQ(Find("c")->rank, Find("d")->rank);
  ASSERT_TRUE(
      Commit([](Transaction& t) {
        return t.CreateBlock({.id = "n", .type = "text", .parent_id = "", .data = "{}", .position = 2}).status();
      }).ok());
  EXPECT_THAT(ChildrenOf(""), ElementsAre("a", "c", "n", "d"));
}

TEST_P(UndoTest, EntryKeepsEverything) {
  Create("a", "", R"({"n":1})");
  const auto changes = Change("c", [](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.CreateBlock({.id = "b", .type = "todo", .parent_id = "a", .data = "{}", .position = {}}).ok());
    return t.UpdateBlock("a", R"({"n":2})").status();
  });
  ASSERT_TRUE(Push(EntryOf("u0")).ok());
  UndoEntry entry = EntryOf("u1", "update_block");
  entry.created_at = clock_.Now();
  entry.description = "Changed \"a\" – twice";
  entry.affected_block_ids = {"a", "b"};
  entry.reversible = false;
  entry.undoes = {"u0"};
  entry.audit_entry_id = "audit";
  entry.request_id = "request";
  entry.conversation_id = "conversation";
  entry.changes = changes;
  ASSERT_TRUE(Push(entry).ok());
  Reopen();
  ASSERT_TRUE(Read([&](ReadView& view) {
                const auto found = view.FindUndoEntry("alice", "u1");
                EXPECT_TRUE(found.ok() && found->has_value());
                EXPECT_EQ((*found)->user_id, "alice");
                EXPECT_EQ((*found)->tool_id, "update_block");
                EXPECT_EQ((*found)->created_at, entry.created_at);
                EXPECT_EQ((*found)->description, entry.description);
                EXPECT_EQ((*found)->affected_block_ids, entry.affected_block_ids);
                EXPECT_FALSE((*found)->reversible);
                EXPECT_FALSE((*found)->undone);
                EXPECT_THAT((*found)->undoes, ElementsAre("u0"));
                EXPECT_EQ((*found)->audit_entry_id, "audit");
                EXPECT_EQ((*found)->request_id, "request");
                EXPECT_EQ((*found)->conversation_id, "conversation");
                EXPECT_EQ((*found)->changes.blocks.size(), 2u);
                EXPECT_FALSE((*found)->changes.blocks[0].before.has_value());
                EXPECT_EQ((*found)->changes.blocks[0].after->type, "todo");
                EXPECT_EQ((*found)->changes.blocks[1].before->version, 1);
                EXPECT_EQ((*found)->changes.blocks[1].before->created_at, changes.blocks[1].before->created_at);
                EXPECT_TRUE(view.ListUndoEntries("alice")->front().changes.empty());
                return absl::OkStatus();
              }).ok());
}

// Longer than what is bound to a statement.
TEST_P(UndoTest, ALongEntryIsKeptWholeAndCanBeOutlined) {
  constexpr int kBlocks = 30;
  const std::string data = absl::StrCat(R"({"t":")", std::string(100'000, 'x'), R"("})");
  for (int i = 0; i < kBlocks; ++i) Create(absl::StrCat("b", i), i == 0 ? "" : "b0", data);
  UndoEntry entry = EntryOf("u1", "delete_block");
  entry.affected_block_ids = {"b0", "b1"};
  entry.affected_blocks_omitted = kBlocks - 2;
  entry.changes = Change("c", [](Transaction& t) { return t.DeleteBlock("b0", Children::kDelete).status(); });
  entry.changes.effects.push_back({"sql", std::string(50'000, 'y')});
  ASSERT_TRUE(Push(entry).ok());
  Reopen();
  Changes kept;
  ASSERT_TRUE(Read([&](ReadView& view) {
                const UndoEntry outline = **view.OutlineUndoEntry("alice", "u1");
                EXPECT_TRUE(outline.changes.blocks.empty());
                EXPECT_EQ(outline.changed_things, kBlocks);
                EXPECT_EQ(outline.undo_bytes, UndoBytes(entry.changes));
                EXPECT_EQ(outline.changes.effects.at(0).payload, entry.changes.effects[0].payload);
                EXPECT_EQ(outline.affected_block_ids, entry.affected_block_ids);
                EXPECT_EQ(outline.affected_blocks_omitted, kBlocks - 2);
                EXPECT_EQ((*view.OutlineTopUndoEntry("alice"))->changed_things, kBlocks);
                EXPECT_FALSE(view.OutlineUndoEntry("bob", "u1")->has_value());
                kept = (*view.FindUndoEntry("alice", "u1"))->changes;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(kept.effects.size(), 1u);
  kept.effects.clear();
  ASSERT_TRUE(Revert(kept).ok());
  EXPECT_THAT(ChildrenOf("b0"), ::testing::SizeIs(kBlocks - 1));
  EXPECT_EQ(Find("b7")->data, data);
}

// Of earlier changes, which are taken back again after a failure, and of those that are given away.
TEST_P(UndoTest, WhatIsSharedStaysAsItIs) {
  Create("a", "", R"({"n":1})");
  const Changes deleted = Change("c", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  const Changes shared = deleted;
  ASSERT_TRUE(Revert(shared).ok());
  EXPECT_EQ(Find("a")->version, deleted.blocks[0].before->version + 1);
  EXPECT_EQ(deleted.blocks[0].before->version, 1);
  EXPECT_EQ(undone_.blocks[0].after->version, 2);
}

TEST_P(UndoTest, StackKeepsTheNewestFifty) {
  for (int i = 0; i < 53; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  const std::vector<std::string> stack = Stack();
  ASSERT_EQ(stack.size(), 50u);
  EXPECT_EQ(stack.front(), "u52");
  EXPECT_EQ(stack.back(), "u3");
}

TEST_P(UndoTest, UndosPushNoChangeOut) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  for (int i = 49; i >= 0; --i) {
    EXPECT_EQ(Top(), absl::StrCat("u", i));
    ASSERT_TRUE(Push(UndoOf(absl::StrCat("u", i), absl::StrCat("undo-", i))).ok());
    ASSERT_TRUE(Commit([&](Transaction& t) { return t.SetUndone("alice", absl::StrCat("u", i), true); }).ok());
  }
  EXPECT_EQ(Top(), "");
  EXPECT_EQ(Stack().size(), 100u);
  EXPECT_EQ(Stack().back(), "u0");
}

TEST_P(UndoTest, UndoLeavesTheStackWithWhatItUndid) {
  ASSERT_TRUE(Push(EntryOf("old")).ok());
  for (int i = 0; i < 49; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  ASSERT_TRUE(Push(UndoOf("old", "undo")).ok());
  EXPECT_THAT(Stack(), Contains("old"));
  EXPECT_EQ(Stack().front(), "undo");
  ASSERT_TRUE(Push(EntryOf("new")).ok());
  EXPECT_EQ(Stack().size(), 50u);
  EXPECT_THAT(Stack(), Not(Contains(AnyOf("old", "undo"))));
}

TEST_P(UndoTest, ItIsKnownWhoseChangesHaveLeftTheStack) {
  const auto has_left = [&](UndoGroup::Kind kind, const std::string& id, std::string_view user = "alice") {
    bool left = false;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto found = view.HasLeftUndoStack(user, {kind, id});
                  if (found.ok()) left = *found;
                  return found.status();
                }).ok());
    return left;
  };
  constexpr auto kRequest = UndoGroup::Kind::kRequest;
  constexpr auto kConversation = UndoGroup::Kind::kConversation;
  UndoEntry first = EntryOf("first");
  first.request_id = "r1";
  first.conversation_id = "c";
  first.changes = Change("x", [](Transaction& t) { return t.RecordEffect({"sql", "long"}); });
  UndoEntry second = EntryOf("second");
  second.request_id = "r2";
  second.undone = true;
  ASSERT_TRUE(Push(first).ok());
  ASSERT_TRUE(Push(second).ok());
  for (int i = 0; i < 49; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  EXPECT_FALSE(has_left(kRequest, "r2")) << "the oldest of the stack";
  EXPECT_TRUE(has_left(kRequest, "r1"));
  EXPECT_TRUE(has_left(kConversation, "c"));
  EXPECT_FALSE(has_left(kRequest, "c"));
  EXPECT_FALSE(has_left(kRequest, "r1", "bob"));
  for (int i = 49; i < 200; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  EXPECT_TRUE(has_left(kRequest, "r1")) << "its change is dropped, and not its request";
  EXPECT_FALSE(has_left(kRequest, "r2")) << "it was undone before";
  EXPECT_EQ(Stack().size(), 50u);
  for (int i = 200; i < 1200; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  EXPECT_FALSE(has_left(kRequest, "r1")) << "more than 1,000 changes ago";
}

TEST_P(UndoTest, UndoOfSeveralLeavesTheStackWithTheFirstOfThem) {
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Push(EntryOf(absl::StrCat("u", i))).ok());
  UndoEntry undo = EntryOf("undo");
  undo.undoes = {"u9", "u1"};
  ASSERT_TRUE(Push(undo).ok());
  ASSERT_TRUE(Push(EntryOf("new")).ok());
  EXPECT_THAT(Stack(), AllOf(Contains("undo"), Contains("u1"), Not(Contains("u0"))));
  ASSERT_TRUE(Push(EntryOf("newer")).ok());
  EXPECT_THAT(Stack(), AllOf(Not(Contains("undo")), Not(Contains("u1")), Contains("u9")));
}

TEST_P(UndoTest, UndoTakesThePlaceOfOneThatUndidSeveral) {
  for (const char* id : {"a", "b"}) ASSERT_TRUE(Push(EntryOf(id)).ok());
  UndoEntry both = EntryOf("both");
  both.undoes = {"b", "a"};
  ASSERT_TRUE(Push(both).ok());
  EXPECT_THAT(Stack(), ElementsAre("both", "b", "a"));
  ASSERT_TRUE(Push(UndoOf("a", "one")).ok());
  EXPECT_THAT(Stack(), ElementsAre("one", "b", "a"));
}

TEST_P(UndoTest, UndoTakesThePlaceOfAnEarlierOneOfTheSameChange) {
  ASSERT_TRUE(Push(EntryOf("change")).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Push(UndoOf("change", absl::StrCat("undo-", i))).ok());
  EXPECT_THAT(Stack(), ElementsAre("undo-2", "change"));
}

TEST_P(UndoTest, TopIsTheNewestThatIsNeitherUndoneNorAnUndo) {
  EXPECT_EQ(Top(), "");
  ASSERT_TRUE(Push(EntryOf("u1")).ok());
  ASSERT_TRUE(Push(EntryOf("u2")).ok());
  ASSERT_TRUE(Push(UndoOf("u1", "u3")).ok());
  EXPECT_EQ(Top(), "u2");
  ASSERT_TRUE(Commit([](Transaction& t) { return t.SetUndone("alice", "u2", true); }).ok());
  EXPECT_EQ(Top(), "u1");
  ASSERT_TRUE(Commit([](Transaction& t) { return t.SetUndone("alice", "u2", false); }).ok());
  EXPECT_EQ(Top(), "u2");
}

TEST_P(UndoTest, StacksBelongToOneUserInOneWorkspace) {
  ASSERT_TRUE(Push(EntryOf("u1")).ok());
  EXPECT_THAT(Stack("bob"), IsEmpty());
  EXPECT_THAT(Stack("alice", "other"), IsEmpty());
  EXPECT_EQ(Top("bob"), "");
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) { return t.SetUndone("bob", "u1", true); })), "NOT_FOUND");
  EXPECT_EQ(CodeOf(Commit(Context("c", "other"), [](Transaction& t) { return t.SetUndone("alice", "u1", true); })),
            "NOT_FOUND");
  ASSERT_TRUE(Read([](ReadView& view) {
                EXPECT_FALSE(view.FindUndoEntry("bob", "u1")->has_value());
                EXPECT_TRUE(view.FindUndoEntry("alice", "u1")->has_value());
                return absl::OkStatus();
              }).ok());
}

// ---- Documents ------------------------------------------------------------------------------------------------------

TEST_P(UndoTest, ChangedDocumentComesBack) {
  const auto document = [&] {
    std::string json = "nothing";
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto found = view.FindDocument("instruction", "alice");
                  if (found->has_value()) json = **found;
                  return found.status();
                }).ok());
    return json;
  };
  const auto set = [](std::optional<std::string> json) {
    return [json](Transaction& t) { return t.ChangeDocument("instruction", "alice", json); };
  };
  const Changes created = Change("one", set("{\"n\":1}"));
  ASSERT_EQ(created.documents.size(), 1u);
  EXPECT_FALSE(created.documents[0].before.has_value());
  const Changes changed = Change("two", set("{\"n\":2}"));
  EXPECT_TRUE(Change("same", set("{\"n\":2}")).empty());

  EXPECT_EQ(CodeOf(Revert(created)), "CONFLICT");
  EXPECT_EQ(document(), "{\"n\":2}");
  ASSERT_TRUE(Revert(changed).ok());
  EXPECT_EQ(document(), "{\"n\":1}");
  const Changes redo = undone_;
  ASSERT_TRUE(Revert(created).ok());
  EXPECT_EQ(document(), "nothing");
  const Changes create_again = undone_;
  EXPECT_EQ(CodeOf(Revert(redo)), "CONFLICT");
  ASSERT_TRUE(Revert(create_again).ok());
  ASSERT_TRUE(Revert(redo).ok());
  EXPECT_EQ(document(), "{\"n\":2}");
}

TEST_P(UndoTest, FailedNestedBodyLeavesNoChangedDocumentAndNoEffect) {
  const Changes changes = Change("c", [](Transaction& t) {
    EXPECT_FALSE(t.Nested([&] {
                    EXPECT_TRUE(t.ChangeDocument("instruction", "alice", "{}").ok());
                    EXPECT_TRUE(t.RecordEffect({"sql", "lost"}).ok());
                    return absl::CancelledError("no");
                  }).ok());
    EXPECT_TRUE(t.RecordEffect({"sql", "kept"}).ok());
    return absl::OkStatus();
  });
  EXPECT_TRUE(changes.documents.empty());
  ASSERT_EQ(changes.effects.size(), 1u);
  EXPECT_EQ(changes.effects[0].payload, "kept");
}

INSTANTIATE_TEST_SUITE_P(Stores, UndoTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
