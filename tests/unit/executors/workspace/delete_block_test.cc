#include "executors/workspace/delete_block.h"

#include <string>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;
using Ids = std::vector<std::string>;

class DeleteBlockTest : public WorkspaceTest {
 protected:
  void SetUp() override {
    page_ = Create("page", "", R"({"title": "Plans"})");
    before_ = Create("paragraph", page_, R"({"content": "before"})");
    todo_ = Create("todo", page_, R"({"content": "Buy milk"})");
    child_ = Create("paragraph", todo_, R"({"content": "child"})");
    grandchild_ = Create("paragraph", child_, R"({"content": "grandchild"})");
    after_ = Create("paragraph", page_, R"({"content": "after"})");
  }
  Ids Children(const std::string& id) { return Pluck(Do("get_block", {{"blockId", id}})["children"], "id"); }
  std::string page_, before_, todo_, child_, grandchild_, after_;
};

TEST_F(DeleteBlockTest, TakesEverythingBelowAlong) {
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("delete_block", {{"blockId", todo_}}), Parse(R"({"success": true, "deletedCount": 3})"));
  EXPECT_EQ(harness_.description(), "Deleted todo \"Buy milk\" and the 2 blocks below it");
  EXPECT_EQ(Children(page_), (Ids{before_, after_}));
  EXPECT_THAT(Call("get_block", {{"blockId", grandchild_}}), FailsWith(ErrorCode::kNotFound, "", ""));
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(DeleteBlockTest, LetsChildrenMoveUp) {
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("delete_block", {{"blockId", todo_}, {"deleteChildren", false}})["deletedCount"], 1);
  EXPECT_EQ(harness_.description(), "Deleted todo \"Buy milk\"");
  EXPECT_EQ(Children(page_).size(), 3u);
  EXPECT_EQ(harness_.Block(child_).parent_id, page_);
  EXPECT_EQ(harness_.Block(grandchild_).parent_id, child_);
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(DeleteBlockTest, KeepsWhatMayNotMoveUp) {
  const std::string board = Create("kanban_board", page_, R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "C"})");
  Create("kanban_card", column, R"({"title": "x"})");
  const std::string database = Create("database", "", R"({"title": "D"})");
  Create("database_row", database, "{}");
  const std::string before = harness_.Snapshot();
  for (const std::string& id : {board, column, database}) {
    EXPECT_THAT(Call("delete_block", {{"blockId", id}, {"deleteChildren", false}}),
                FailsWith(ErrorCode::kConflict, "cannot move up", ""));
  }
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(DeleteBlockTest, PreviewCountsTheBlocks) {
  auto preview = harness_.PreviewOf("delete_block", {{"blockId", page_}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_TRUE(preview->needs_confirmation);
  EXPECT_EQ(preview->summary, "Delete page \"Plans\" and the 5 blocks below it");
  EXPECT_EQ(preview->affected_block_ids.size(), 6u);
  EXPECT_EQ(preview->affected_block_ids[0], page_);
  preview = harness_.PreviewOf("delete_block", {{"blockId", todo_}, {"deleteChildren", false}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, "Delete todo \"Buy milk\"; 1 block directly below it moves up");
  preview = harness_.PreviewOf("delete_block", {{"blockId", after_}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, "Delete paragraph \"after\"");
  EXPECT_THAT(harness_.PreviewOf("delete_block", {{"blockId", "nowhere"}}),
              FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(DeleteBlockTest, ADryRunLeavesEverything) {
  const std::string before = harness_.Snapshot();
  const auto result = harness_.Call("delete_block", {{"blockId", page_}}, storage::CommitMode::kDryRun);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)["deletedCount"], 6);
  EXPECT_EQ(harness_.changes().blocks.size(), 6u);
  EXPECT_EQ(harness_.Snapshot(), before);
}

// Undo keeps at most ten states of blocks per change.
class LargeDeletionTest : public WorkspaceTest {
 protected:
  LargeDeletionTest() : WorkspaceTest(10 * storage::kUndoRowBytes) {}
};

TEST_F(LargeDeletionTest, EveryToolThatDeletesRefusesWhatUndoCannotKeep) {
  const std::string board = Create("kanban_board", "", R"({"title": "B"})");
  const std::string column = Create("kanban_column", board, R"({"title": "C"})");
  struct Row {
    const char* tool;
    const char* argument;
    std::string id;
    Json more;
  };
  const std::vector<Row> rows = {
      {"delete_block", "blockId", Create("page", "", R"({"title": "P"})"), Json::object()},
      {"delete_block", "blockId", Create("page", "", R"({"title": "P"})"), {{"deleteChildren", false}}},
      {"notes_delete", "noteId", Create("note", "", R"({"title": "N"})"), Json::object()},
      {"journal_delete", "entryId", Create("journal_entry", "", R"({"title": "J", "date": "2026-03-02"})"),
       Json::object()},
      {"kanban_delete_card", "cardId", Create("kanban_card", column, R"({"title": "C"})"), Json::object()},
      {"calendar_delete_event", "eventId", Create("calendar_event", "", R"({"title": "E", "date": "2026-03-02"})"),
       Json::object()}};
  for (const Row& row : rows) {
    Json arguments = row.more;
    arguments[row.argument] = row.id;
    EXPECT_TRUE(harness_.PreviewOf(row.tool, arguments).ok()) << row.tool << " " << arguments;
    std::vector<std::string> below;
    for (int i = 0; i < 12; ++i) below.push_back(Create("paragraph", row.id, R"({"content": "x"})"));
    const std::string before = harness_.Snapshot();
    for (const absl::Status& refused :
         {harness_.PreviewOf(row.tool, arguments).status(), Call(row.tool, arguments).status()}) {
      EXPECT_THAT(refused, FailsWith(ErrorCode::kQuotaExceeded, "delete what is below it first", "")) << row.tool;
    }
    EXPECT_EQ(harness_.Snapshot(), before) << row.tool;
    for (const std::string& id : below) Do("delete_block", {{"blockId", id}});
    Do(row.tool, arguments);
  }
}

TEST_F(DeleteBlockTest, UndoOfACreationDeletesAgain) {
  const std::string before = harness_.Snapshot();
  Create("todo", page_, R"({"content": "new"})");
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

}  // namespace
}  // namespace toolgate::executors::workspace
