#include "services/execution/effect_runner.h"

#include "tests/support/effect_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::execution {
namespace {

using security::ToolResult;
using testing::CodeOf;

using EffectRunnerTest = testing::EffectFixture;

TEST_F(EffectRunnerTest, ClaimsBeforeItActsAndSettlesAfterwards) {
  std::vector<size_t> claims;
  hooks_.at = [&](std::string_view) { claims.push_back(Claims().size()); };
  const auto call = WriteCall("a", "one");
  const absl::StatusOr<ToolResult> result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success);
  EXPECT_EQ(result->data_json, R"({"bytes":3})");
  EXPECT_TRUE(result->can_undo);
  EXPECT_EQ(File("a"), "one");
  EXPECT_EQ(claims, (std::vector<size_t>{1, 1, 1, 1}));
  EXPECT_TRUE(Claims().empty());
  const auto audit = Audit("scratch_write");
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_EQ(audit[0].id(), call->audit_entry_id);
  EXPECT_EQ(audit[0].undo_entry_id(), result->undo_entry_id);
  EXPECT_EQ(audit[0].recovery(), "");
}

TEST_F(EffectRunnerTest, TheClaimSaysWhoRunsWhatUntilWhen) {
  storage::OpenClaim open;
  hooks_.at = [&](std::string_view place) {
    if (place == "staged") open = Claims().at(0);
  };
  const auto call = WriteCall("a", "one", "key-1");
  call->cancellation.Reset(clock_, clock_.Monotonic() + absl::Seconds(5));
  ASSERT_TRUE(core_->Run(*call).ok());
  EXPECT_EQ(open.workspace_id, "w");
  EXPECT_EQ(open.claim.id, call->audit_entry_id);
  EXPECT_EQ(open.claim.user_id, "ann");
  EXPECT_EQ(open.claim.tool_id, "scratch_write");
  EXPECT_EQ(open.claim.idempotency_key, "key-1");
  EXPECT_EQ(open.claim.good_until, clock_.Now() + absl::Seconds(35)) << "the call's deadline and the grace";
  EXPECT_EQ(Json::parse(open.claim.checkpoint)["name"], "a");
}

TEST_F(EffectRunnerTest, ARepeatWithTheKeyIsAnsweredAndRunsNothing) {
  const absl::StatusOr<ToolResult> first = core_->Run(*WriteCall("a", "one", "k"));
  const absl::StatusOr<ToolResult> repeat = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(first.ok() && repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->replayed);
  EXPECT_EQ(repeat->data_json, first->data_json);
  EXPECT_EQ(repeat->undo_entry_id, first->undo_entry_id);
  EXPECT_EQ(Acts(), 1);
}

TEST_F(EffectRunnerTest, ARepeatWhileTheFirstRunsIsAbortedToBeTriedAgain) {
  absl::Status repeat;
  hooks_.at = [&](std::string_view place) {
    if (place != "staged") return;
    hooks_.at = nullptr;
    repeat = core_->Run(*WriteCall("a", "one", "k")).status();
  };
  ASSERT_TRUE(core_->Run(*WriteCall("a", "one", "k")).ok());
  EXPECT_EQ(repeat.code(), absl::StatusCode::kAborted) << repeat;
  EXPECT_TRUE(GetToolError(repeat)->retryable);
  EXPECT_TRUE(GetToolError(repeat)->retry_after.has_value());
  EXPECT_EQ(Acts(), 1);
}

TEST_F(EffectRunnerTest, AFailureIsSettledWithNothingLeft) {
  hooks_.fail = [] { return MakeError(ErrorCode::kConflict, "on order"); };
  const absl::StatusOr<ToolResult> result = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kConflict);
  EXPECT_FALSE(Exists("a"));
  EXPECT_TRUE(Claims().empty());
  hooks_.fail = nullptr;
  const absl::StatusOr<ToolResult> repeat = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(repeat.ok());
  EXPECT_TRUE(repeat->replayed) << "a failure is an outcome too";
  EXPECT_FALSE(repeat->success);
  ASSERT_EQ(Audit("scratch_write").size(), 2U);
}

TEST_F(EffectRunnerTest, UndoTakesTheEffectBackAndRedoBringsItAgain) {
  ASSERT_TRUE(core_->Run(*WriteCall("a", "one")).ok());
  ASSERT_TRUE(core_->Run(*WriteCall("a", "two")).ok());
  const absl::StatusOr<ToolResult> undone = core_->Run(*UndoCall());
  ASSERT_TRUE(undone.ok() && undone->success) << undone.status();
  EXPECT_EQ(File("a"), "one");
  const auto redo = UndoCall();
  redo->SetArguments({{"entryId", undone->undo_entry_id}});
  const absl::StatusOr<ToolResult> redone = core_->Run(*redo);
  ASSERT_TRUE(redone.ok() && redone->success) << redone.status();
  EXPECT_EQ(File("a"), "two");
  ASSERT_TRUE(core_->Run(*UndoCall())->success);
  ASSERT_TRUE(core_->Run(*UndoCall())->success);
  EXPECT_FALSE(Exists("a"));
  EXPECT_TRUE(Claims().empty());
}

TEST_F(EffectRunnerTest, AnUndoOverALaterChangeIsAConflict) {
  ASSERT_TRUE(core_->Run(*WriteCall("a", "one")).ok());
  { std::ofstream(folder() + "/a") << "by hand"; }
  const absl::StatusOr<ToolResult> undone = core_->Run(*UndoCall());
  ASSERT_TRUE(undone.ok()) << undone.status();
  EXPECT_EQ(undone->error->code, ErrorCode::kConflict);
  EXPECT_EQ(File("a"), "by hand");
}

TEST_F(EffectRunnerTest, UndoOfBlocksStaysOneTransaction) {
  ASSERT_TRUE(core_->Run("scratch_plain").ok());
  size_t claims = 0;
  hooks_.at = [&](std::string_view) { ++claims; };
  const absl::StatusOr<ToolResult> undone = core_->Run(*UndoCall());
  ASSERT_TRUE(undone.ok() && undone->success) << undone.status();
  EXPECT_EQ(claims, 0U);
}

TEST_F(EffectRunnerTest, ADryRunActsOnNothingAndSaysWhatItWouldDo) {
  const auto call = WriteCall("a", "one", "k");
  call->dry_run = true;
  bool acted = false;
  hooks_.at = [&](std::string_view) { acted = true; };
  const absl::StatusOr<ToolResult> result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success && result->dry_run && result->can_undo);
  EXPECT_EQ(result->data_json, R"({"bytes":3})");
  EXPECT_FALSE(acted);
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(core_->Run(*UndoCall())->error->code, ErrorCode::kNothingToUndo);
  EXPECT_FALSE(core_->Run(*WriteCall("a", "one", "k"))->replayed) << "a dry run stores no outcome";
}

TEST_F(EffectRunnerTest, AReadOnlyEffectNeedsNoClaimAndMarksItsConversation) {
  { std::ofstream(folder() + "/a") << "from outside"; }
  const auto call = core_->Call("scratch_read", "chat");
  call->SetArguments({{"name", "a"}});
  const absl::StatusOr<ToolResult> result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, R"({"text":"from outside"})");
  EXPECT_TRUE(result->untrusted);
  EXPECT_FALSE(result->boundary.empty());
  EXPECT_TRUE(call->state.conversation_untrusted);
}

TEST_F(EffectRunnerTest, AKeyedReadOnlyEffectIsStored) {
  { std::ofstream(folder() + "/a") << "one"; }
  const auto read = [&] {
    const auto call = core_->Call("scratch_read");
    call->SetArguments({{"name", "a"}});
    call->idempotency_key = "k";
    return *core_->Run(*call);
  };
  EXPECT_FALSE(read().replayed);
  { std::ofstream(folder() + "/a") << "two"; }
  const ToolResult repeat = read();
  EXPECT_TRUE(repeat.replayed);
  EXPECT_EQ(repeat.data_json, R"({"text":"one"})");
}

TEST_F(EffectRunnerTest, AHandlerWhoseClaimWasTakenOverStopsBeforeItActs) {
  hooks_.at = [&](std::string_view place) {
    if (place != "begun") return;
    hooks_.at = nullptr;
    const auto other = NewCore();
    Recover(*other);
  };
  const absl::StatusOr<ToolResult> result = core_->Run(*WriteCall("a", "one", "k"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->replayed) << "the other process has settled it";
  EXPECT_FALSE(result->success);
  EXPECT_FALSE(Exists("a"));
  const auto audit = Audit("scratch_write");
  ASSERT_GE(audit.size(), 1U);
  EXPECT_EQ(audit.back().recovery(), "rolled_back");
}

}  // namespace
}  // namespace toolgate::services::execution
