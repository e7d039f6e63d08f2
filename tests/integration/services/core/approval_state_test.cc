// Scope of a person's approval of a change: the effect that the question described.
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/confirmation/question.h"
#include "storage/store.h"
#include "tests/support/approval_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using testing::CodeOf;
using ::testing::HasSubstr;

class ApprovalStateTest : public testing::ApprovalFixture {
 protected:
  absl::StatusOr<security::ToolResult> Delete(std::string_view token) {
    return Try("delete_block", {{"blockId", page_}}, token);
  }
  security::ConfirmationRequest AskToDelete() { return Ask("delete_block", {{"blockId", page_}}); }
  Json Patch(const Json& data) { return {{"blockId", todo_}, {"data", data}}; }
  std::string Priority() {
    return ParseJson(Run("get_block", {{"blockId", todo_}}).data_json).value()["block"]["data"]["priority"];
  }

  const std::string page_ = MakeBlock("page", {{"title", "Plans"}});
  const std::string todo_ = MakeBlock("todo", {{"content", "Pay the rent"}, {"priority", "low"}});
};

TEST_F(ApprovalStateTest, OfADeletionEndsWithWhatIsWrittenBelowMeanwhile) {
  const std::string token = AskToDelete().token;
  const std::string child = MakeBlock("paragraph", {{"content", "New"}}, page_);
  EXPECT_EQ(CodeOf(Delete(token).status()), ErrorCode::kConflict);
  EXPECT_TRUE(Exists(page_));
  EXPECT_TRUE(Exists(child));
  const security::ConfirmationRequest again = AskToDelete();
  EXPECT_THAT(again.summary, HasSubstr("1 block"));
  EXPECT_TRUE(Delete(again.token)->success);
  EXPECT_FALSE(Exists(page_));
}

TEST_F(ApprovalStateTest, OfADeletionEndsWithAnotherTitle) {
  const std::string token = AskToDelete().token;
  Update(page_, {{"title", "Accounts"}});
  EXPECT_EQ(CodeOf(Delete(token).status()), ErrorCode::kConflict);
  Update(page_, {{"title", "Plans"}});
  EXPECT_TRUE(Delete(token)->success) << "the token was not used up, and this is what was approved";
}

TEST_F(ApprovalStateTest, OfADeletionEndsWithWhatIsWrittenRightBeforeIt) {
  const std::string token = AskToDelete().token;
  store().BeforeNextCommit([&] { MakeBlock("paragraph", {{"content", "New"}}, page_); });
  EXPECT_EQ(CodeOf(Delete(token).status()), ErrorCode::kConflict);
  EXPECT_TRUE(Exists(page_));
}

TEST_F(ApprovalStateTest, OfADeletionOutlivesWhatDoesNotConcernIt) {
  const std::string token = AskToDelete().token;
  MakeBlock("page", {{"title", "Something else"}});
  EXPECT_TRUE(Delete(token)->success);
}

TEST_F(ApprovalStateTest, OfAnEventsDeletionEndsWithItsSeries) {
  const Json standup = {{"title", "Standup"}, {"date", "2026-03-02"}, {"recurrence", "FREQ=DAILY;COUNT=5"}};
  const std::string event = ParseJson(Run("calendar_create_event", standup).data_json).value()["eventId"];
  const Json deletion = {{"eventId", event}, {"scope", "all"}};
  const std::string token = Ask("calendar_delete_event", deletion).token;
  ASSERT_TRUE(Run("calendar_update_event", {{"eventId", event + "@2026-03-03"}, {"title", "Farewell"}}).success);
  EXPECT_EQ(CodeOf(Try("calendar_delete_event", deletion, token).status()), ErrorCode::kConflict);
}

// At the time of the preview the patch would change nothing critical.
TEST_F(ApprovalStateTest, ThatNobodyNeedsToBeAskedEndsWithTheFieldsValue) {
  store().BeforeNextCommit([&] {
    const Json patch = Patch({{"priority", "high"}});
    Run("update_block", patch, Ask("update_block", patch).token);
  });
  EXPECT_EQ(CodeOf(Try("update_block", Patch({{"priority", "low"}, {"content", "Pay it"}})).status()),
            ErrorCode::kConflict);
  EXPECT_EQ(Priority(), "high");
}

TEST_F(ApprovalStateTest, OfACriticalFieldHoldsForThatFieldAlone) {
  const Json patch = Patch({{"priority", "high"}});
  const std::string token = Ask("update_block", patch).token;
  Update(todo_, {{"dueDate", "2026-03-02"}});
  EXPECT_TRUE(Try("update_block", patch, token)->success);
  EXPECT_EQ(Priority(), "high");
}

// A tool without its own text for the question.
TEST_F(ApprovalStateTest, AQuestionThatPolicyAsksSaysWhatTheCallWouldDo) {
  config_.mutable_confirmation()->add_require_for_tools("create_task");
  Start();
  const std::string summary = Ask("create_task", {{"title", "Wire 1000000 EUR"}, {"dueDate", "today"}}).summary;
  EXPECT_THAT(summary, HasSubstr("Run "));
  EXPECT_THAT(summary, HasSubstr("title: \"Wire 1000000 EUR\"\n"));
  const std::string description = absl::StrCat(std::string(9000, 'x'), "; and more");
  EXPECT_THAT(Ask("create_task", {{"title", "x"}, {"description", description}}).summary, HasSubstr(description));
}

// Text that is masked elsewhere may be what the call is about.
TEST_F(ApprovalStateTest, AQuestionIsNotMasked) {
  Update(page_, {{"title", "Mail of ann@example.org\u202e"}});
  EXPECT_THAT(AskToDelete().summary, HasSubstr("Delete page \"Mail of ann@example.org\\u{202e}\"\n"));
}

// A stored question that was changed would show a person another one.
TEST_F(ApprovalStateTest, IsOneOfTheQuestionThatWasAsked) {
  const security::ConfirmationRequest question = AskToDelete();
  EXPECT_EQ(question.question_digest, security::confirmation::QuestionDigest(question.summary));
  const storage::WriteContext context{core().Call("delete_block")->claimed.workspace_id, "ada", "e1", absl::Now(), {}};
  ASSERT_TRUE(bare_store()
                  .Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(),
                          [&](storage::Transaction& tx) -> absl::Status {
                            auto row = tx.FindConfirmation(question.confirmation_id).value();
                            if (!row.has_value()) return absl::NotFoundError("the question is not stored");
                            row->summary = "Delete nothing";
                            return tx.PutConfirmation(*row);
                          })
                  .ok());
  EXPECT_EQ(CodeOf(Delete(question.token).status()), ErrorCode::kCancelled);
  EXPECT_TRUE(Exists(page_));
}

}  // namespace
}  // namespace toolgate::services::core
