#include "services/execution/stored_outcome.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/message_bounds.h"
#include "common/proto_bytes.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_tools.h"
#include "toolgate/internal/v1/outcome.pb.h"

namespace toolgate::services::execution {
namespace {

using security::ToolCall;
using security::ToolResult;

class StoredOutcomeTest : public testing::StoreFixture {
 protected:
  StoredOutcomeTest() {
    call_->caller.workspace_id = "w";
    call_->caller.user_id = "ann";
    call_->FreezeArguments();
  }
  absl::StatusOr<ToolResult> Read(const ToolCall& call, const storage::IdempotentOutcome& stored) {
    absl::StatusOr<ToolResult> read;
    View([&](storage::ReadView& view) {
      read = FromOutcome(call, stored, view);
      return absl::OkStatus();
    });
    return read;
  }
  // The answer to a repeat if the first call ended with `result`.
  ToolResult Repeat(const ToolResult& result) {
    const auto stored = ToOutcome(*call_, result, absl::FromUnixSeconds(1000)).value();
    const absl::StatusOr<ToolResult> repeated = Read(*call_, stored);
    EXPECT_TRUE(repeated.ok()) << repeated.status();
    EXPECT_TRUE(repeated->replayed);
    return *repeated;
  }
  void PushUndo(const std::string& id, bool reversible = true) {
    storage::UndoEntry entry;
    entry.id = id;
    entry.user_id = call_->caller.user_id;
    entry.tool_id = "create_block";
    entry.reversible = reversible;
    Commit([&](storage::Transaction& tx) { return tx.PushUndoEntry(entry); });
  }

  executors::Tool tool_ = testing::MakeTool("create_block", 0);
  std::unique_ptr<ToolCall> call_ = testing::MakeCall(tool_);
};

TEST_F(StoredOutcomeTest, AFailureIsAnsweredAsTheFirstTime) {
  ToolResult first;
  ToolError& error = first.error.emplace();
  error.code = ErrorCode::kCancelled;
  error.message = "not now";
  error.violations.push_back({"/title", "maxLength", "at most 5 characters", "string of 9 characters"});
  error.facts.emplace_back("blockId", "b");
  error.retryable = true;
  error.retry_after = absl::Milliseconds(1500);
  error.refused_as = absl::StatusCode::kFailedPrecondition;

  const ToolResult second = Repeat(first);
  EXPECT_FALSE(second.success);
  ASSERT_TRUE(second.error.has_value());
  EXPECT_EQ(second.error->code, error.code);
  EXPECT_EQ(second.error->message, error.message);
  ASSERT_EQ(second.error->violations.size(), 1u);
  EXPECT_EQ(second.error->violations[0].path, "/title");
  EXPECT_EQ(second.error->violations[0].rule, "maxLength");
  EXPECT_EQ(second.error->violations[0].expected, "at most 5 characters");
  EXPECT_EQ(second.error->violations[0].found, "string of 9 characters");
  EXPECT_EQ(second.error->facts, error.facts);
  EXPECT_TRUE(second.error->retryable);
  EXPECT_EQ(second.error->retry_after, error.retry_after);
  EXPECT_EQ(second.error->refused_as, error.refused_as);
}

TEST_F(StoredOutcomeTest, ASuccessIsAnsweredAsTheFirstTime) {
  ToolResult first;
  first.success = true;
  first.data_json = R"({"blockId":"b"})";
  first.undo_entry_id = "u";
  first.can_undo = true;
  first.affected_block_ids = {"a", "b"};
  first.tokens_used = 7;
  first.retry_count = 2;
  first.started_at = absl::FromUnixMicros(1'000'001);
  first.ended_at = absl::FromUnixMicros(2'000'002);
  first.audit_entry_id = "e";
  first.untrusted = true;
  first.truncated = true;

  PushUndo("u");
  const ToolResult second = Repeat(first);
  EXPECT_TRUE(second.success);
  EXPECT_FALSE(second.error.has_value());
  EXPECT_EQ(second.data_json, first.data_json);
  EXPECT_EQ(second.undo_entry_id, first.undo_entry_id);
  EXPECT_TRUE(second.can_undo);
  EXPECT_EQ(second.affected_block_ids, first.affected_block_ids);
  EXPECT_EQ(second.tokens_used, first.tokens_used);
  EXPECT_EQ(second.retry_count, first.retry_count);
  EXPECT_EQ(second.started_at, first.started_at);
  EXPECT_EQ(second.ended_at, first.ended_at);
  EXPECT_EQ(second.audit_entry_id, first.audit_entry_id);
  EXPECT_TRUE(second.untrusted);
  EXPECT_TRUE(second.truncated);
}

TEST_F(StoredOutcomeTest, CountsTheBlocksThatAreNotAnswered) {
  ToolResult first = testing::Success();
  first.affected_block_ids.assign(kMaxShownBlocks + 4, "b");
  const ToolResult second = Repeat(first);
  EXPECT_EQ(second.affected_block_ids.size(), kMaxShownBlocks);
  EXPECT_EQ(second.affected_blocks_omitted, 4u);
}

TEST_F(StoredOutcomeTest, SaysWhetherItCanBeUndoneNow) {
  ToolResult first = testing::Success();
  EXPECT_FALSE(Repeat(first).can_undo);
  first.undo_entry_id = "u";
  EXPECT_FALSE(Repeat(first).can_undo) << "its entry is not on the stack";
  PushUndo("u");
  EXPECT_TRUE(Repeat(first).can_undo);
  const std::string& user = call_->caller.user_id;
  Commit([&](storage::Transaction& tx) { return tx.SetUndone(user, "u", true); });
  EXPECT_FALSE(Repeat(first).can_undo);
  EXPECT_EQ(Repeat(first).undo_entry_id, "u");
  Commit([&](storage::Transaction& tx) { return tx.SetUndone(user, "u", false); });
  EXPECT_TRUE(Repeat(first).can_undo) << "it was done again";
  for (int i = 0; i < storage::kUndoStackSize; ++i) PushUndo(absl::StrCat("later", i));
  EXPECT_FALSE(Repeat(first).can_undo) << "later changes have pushed it off the stack";

  PushUndo("sent", /*reversible=*/false);
  first.undo_entry_id = "sent";
  EXPECT_FALSE(Repeat(first).can_undo);
}

TEST_F(StoredOutcomeTest, SaysWhetherTheFirstCallWasPartOfAnotherRequest) {
  call_->request_id = "turn-1";
  call_->caller.conversation_id = "c1";
  const auto stored = ToOutcome(*call_, testing::Success(), absl::FromUnixSeconds(1000)).value();
  EXPECT_FALSE(Read(*call_, stored)->replay_of_another_request);
  call_->request_id = "turn-2";
  EXPECT_TRUE(Read(*call_, stored)->replay_of_another_request);
  call_->request_id = "turn-1";
  call_->caller.conversation_id = "c2";
  EXPECT_TRUE(Read(*call_, stored)->replay_of_another_request);
  call_->caller.conversation_id = "";
  EXPECT_TRUE(Read(*call_, stored)->replay_of_another_request);
}

TEST_F(StoredOutcomeTest, OfCallsWithoutARequestIsThatOfOneRequest) {
  EXPECT_FALSE(Repeat(testing::Success()).replay_of_another_request);
}

TEST_F(StoredOutcomeTest, OfAnEarlierVersionSaysNothingOfItsRequest) {
  auto stored = ToOutcome(*call_, testing::Success(), absl::FromUnixSeconds(1000)).value();
  internal::v1::StoredOutcome earlier;
  ASSERT_TRUE(ParseProto(stored.response, earlier).ok());
  earlier.clear_request_id();
  earlier.clear_conversation_id();
  stored.response = SerializeProto(earlier).value();
  call_->request_id = "turn-1";
  EXPECT_FALSE(Read(*call_, stored)->replay_of_another_request);
}

TEST_F(StoredOutcomeTest, OfAnotherCallIsRefused) {
  const auto stored = ToOutcome(*call_, testing::Success(), absl::FromUnixSeconds(1000)).value();
  executors::Tool other = testing::MakeTool("update_block", 1);
  const auto other_tool = testing::MakeCall(other);
  other_tool->FreezeArguments();
  EXPECT_EQ(testing::CodeOf(Read(*other_tool, stored).status()), ErrorCode::kInvalidParams);
  const auto other_arguments = testing::MakeCall(tool_);
  other_arguments->SetArguments(Json{{"title", "x"}});
  other_arguments->FreezeArguments();
  EXPECT_EQ(testing::CodeOf(Read(*other_arguments, stored).status()), ErrorCode::kInvalidParams);
}

TEST_F(StoredOutcomeTest, ThatCannotBeReadIsDataLoss) {
  auto stored = ToOutcome(*call_, testing::Success(), absl::FromUnixSeconds(1000)).value();
  stored.response = "\xff\xff";
  EXPECT_EQ(Read(*call_, stored).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace toolgate::services::execution
