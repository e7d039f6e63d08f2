// The whole pipeline refuses changes that are too large for undo, and leaves nothing of them.
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/approval_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services {
namespace {

using security::ToolResult;
using testing::CodeOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int64_t kBound = 10 * storage::kUndoRowBytes;

class UndoBoundTest : public testing::ApprovalFixture {
 protected:
  UndoBoundTest() : ApprovalFixture(kBound) {
    page_ = MakeBlock("page", {{"title", "Plans"}});
    for (int i = 0; i < 12; ++i) {
      children_.push_back(MakeBlock("paragraph", {{"content", std::string(200, 'x')}}, page_));
    }
  }

  std::vector<storage::UndoEntry> Stack() {
    std::vector<storage::UndoEntry> entries;
    EXPECT_TRUE(bare_store()
                    .Read("w",
                          [&](storage::ReadView& view) {
                            entries = view.ListUndoEntries("ann").value();
                            return absl::OkStatus();
                          })
                    .ok());
    return entries;
  }
  absl::StatusOr<ToolResult> RunAutomation(const Json& steps) {
    const std::string id = MakeBlock("automation", {{"title", "Auto"}, {"steps", steps}});
    const std::string token = Ask("trigger_automation", {{"automationId", id}}).token;
    return Try("trigger_automation", {{"automationId", id}}, token);
  }
  static Json UpdateStep(const std::string& id) {
    return {{"tool", "update_block"}, {"arguments", {{"blockId", id}, {"data", {{"content", "y"}}}}}};
  }
  std::string ContentOf(const std::string& id) {
    const Json answer = ParseJson(Run("get_block", {{"blockId", id}}).data_json).value();
    return answer["block"]["data"]["content"].get<std::string>();
  }

  std::string page_;
  std::vector<std::string> children_;
};

TEST_F(UndoBoundTest, ADeletionIsRefusedBeforeAnybodyIsAsked) {
  const absl::StatusOr<ToolResult> asked = Try("delete_block", {{"blockId", page_}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  ASSERT_FALSE(asked->success || asked->confirmation.has_value());
  EXPECT_EQ(asked->error->code, ErrorCode::kQuotaExceeded);
  EXPECT_THAT(asked->error->message, HasSubstr("with the 12 blocks below it cannot be undone"));
  EXPECT_THAT(asked->error->message, HasSubstr("keeps 5 KiB at most"));
  EXPECT_TRUE(Exists(page_));
  EXPECT_TRUE(Exists(children_[11]));
}

TEST_F(UndoBoundTest, AStepThatDeletesTooMuchTakesTheAutomationBack) {
  const size_t entries = Stack().size();
  const absl::StatusOr<ToolResult> result =
      RunAutomation({UpdateStep(children_[0]), {{"tool", "delete_block"}, {"arguments", {{"blockId", page_}}}}});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(Exists(page_));
  EXPECT_EQ(ContentOf(children_[0]), std::string(200, 'x'));
  EXPECT_THAT(Stack(), SizeIs(entries + 1)) << "that of the automation's creation";
}

TEST_F(UndoBoundTest, StepsThatAreTooMuchTogetherAreTakenBack) {
  Json steps = Json::array();
  for (size_t i = 0; i < 6; ++i) steps.push_back(UpdateStep(children_[i]));
  const absl::StatusOr<ToolResult> result = RunAutomation(steps);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kQuotaExceeded);
  EXPECT_THAT(result->error->message, HasSubstr("more than the 5 KiB that undo keeps of one change"));
  EXPECT_TRUE(result->undo_entry_id.empty());
  for (const std::string& child : children_) EXPECT_EQ(ContentOf(child), std::string(200, 'x'));
}

TEST_F(UndoBoundTest, AnEntryWhoseChangesWereLostIsNotUndoneInSilence) {
  storage::UndoEntry entry;
  entry.id = "lost";
  entry.user_id = "ann";
  entry.tool_id = "delete_block";
  entry.description = "Deleted page \"Plans\" and the 23000 blocks below it";
  const storage::WriteContext context{"w", "ann", "change", absl::UnixEpoch()};
  ASSERT_TRUE(bare_store()
                  .Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(),
                          [&](storage::Transaction& tx) { return tx.PushUndoEntry(entry); })
                  .ok());
  const auto call = core().Call("undo");
  call->internal = executors::InternalTool::kUndo;
  call->SetArguments(Json{{"entryId", "lost"}});
  const absl::StatusOr<ToolResult> result = core().Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kCannotUndo);
}

}  // namespace
}  // namespace toolgate::services
