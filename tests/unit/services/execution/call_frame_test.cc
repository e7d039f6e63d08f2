#include "services/execution/call_frame.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/audit/audit_entry.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using executors::Preview;
using executors::ToolContext;
using executors::ToolOutput;
using security::Approval;
using security::FailureCause;
using security::ToolCall;
using security::ToolResult;
using storage::ReadView;
using storage::Transaction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using State = storage::Confirmation::State;

class CallFrameTest : public RunnerFixture {
 protected:
  using Body = absl::FunctionRef<absl::Status(Transaction&)>;

  CallFrameTest() {
    tool_.handlers.preview = [this](ToolContext&, ReadView&) -> absl::StatusOr<Preview> {
      ++previews_;
      if (!preview_error_.ok()) return preview_error_;
      Preview preview;
      preview.state_digest = digest_;
      return preview;
    };
  }

  std::unique_ptr<ToolCall> Call(const std::string& key = "", std::optional<Approval> approval = std::nullopt) const {
    auto call = CallOf(tool_, {{"title", "Plans"}});
    call->idempotency_key = key;
    call->approval = std::move(approval);
    return call;
  }
  // Opens `call` in a transaction of its own.
  absl::StatusOr<std::optional<ToolResult>> Open(ToolCall& call) {
    absl::StatusOr<std::optional<ToolResult>> known;
    const absl::Status committed = InTransaction(call, [&](Transaction& tx) {
      known = frame_.Open(call, tx);
      return known.status();
    });
    return committed.ok() ? std::move(known) : committed;
  }
  // Opens `call`, makes the changes of its tool, and closes it with `output`, in one transaction.
  absl::Status Close(ToolCall& call, const absl::StatusOr<ToolOutput>& output, Body changes = Nothing) {
    v1::AuditEntry entry;
    audit::BeginAuditEntry(call, masker_, entry);
    return InTransaction(call, [&](Transaction& tx) -> absl::Status {
      result_ = ToolResult();
      RETURN_IF_ERROR(frame_.Open(call, tx).status());
      RETURN_IF_ERROR(tx.Nested([&] { return changes(tx); }, &result_.changes));
      return frame_.Close(call, output, ledger_, tx, entry, result_);
    });
  }
  static absl::Status Nothing(Transaction&) { return absl::OkStatus(); }
  static absl::Status OnePage(Transaction& tx) { return MakePage(tx).status(); }
  static ToolOutput Made() { return {.data_json = R"({"made":1})", .description = "Made a page"}; }

  storage::UndoEntry UndoEntry(const std::string& id) const {
    storage::UndoEntry entry;
    View([&](ReadView& view) {
      const auto found = view.FindUndoEntry("ann", id);
      EXPECT_TRUE(found.ok() && found->has_value()) << id;
      if (found.ok() && found->has_value()) entry = **found;
      return absl::OkStatus();
    });
    return entry;
  }
  // Puts the claim of an automation into the journal, and makes `step` a step of it.
  void Claim(std::string_view owner, ToolCall& step) const {
    storage::Claim claim;
    claim.id = "whole";
    claim.user_id = "ann";
    claim.owner = owner;
    Commit([&](Transaction& tx) { return tx.PutClaim(claim); });
    step.step_of = security::StepOf{.call_id = "parent", .claim_id = "whole", .number = 3};
  }
  std::vector<storage::SettledStep> SettledSteps() const {
    std::vector<storage::SettledStep> steps;
    View([&](ReadView& view) {
      auto found = view.ListSettledSteps("whole");
      if (found.ok()) steps = *std::move(found);
      return found.status();
    });
    return steps;
  }

  executors::Tool tool_ = ToolOf("make", PageMaker());
  std::string digest_ = "now";
  absl::Status preview_error_;
  int previews_ = 0;
  security::StepLedger ledger_;
  ToolResult result_;
};

TEST_F(CallFrameTest, AKeyCountsUnlessTheCallIsADryRun) {
  const auto call = Call();
  EXPECT_FALSE(IsKeyed(*call));
  EXPECT_FALSE(NeedsCommit(*call));
  call->idempotency_key = "k";
  EXPECT_TRUE(IsKeyed(*call));
  EXPECT_TRUE(NeedsCommit(*call));
  call->dry_run = true;
  EXPECT_FALSE(IsKeyed(*call));
  EXPECT_FALSE(NeedsCommit(*call));
  call->approval.emplace();
  EXPECT_TRUE(NeedsCommit(*call)) << "its confirmation is used up";
}

// ---- Open -----------------------------------------------------------------------------------------------------------

TEST_F(CallFrameTest, OpensACallThatHasNothingToCheck) {
  const auto known = Open(*Call());
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_FALSE(known->has_value());
  EXPECT_EQ(previews_, 0);
}

TEST_F(CallFrameTest, AKnownKeyIsAnsweredAndNothingElseHappens) {
  ASSERT_TRUE(Close(*Call("k"), Made()).ok());
  PutConfirmation("c", State::kPending);
  digest_ = "changed since";
  const auto known = Open(*Call("k", Approval{.confirmation_id = "c", .state_digest = "now"}));
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_TRUE(known->has_value());
  EXPECT_TRUE((*known)->replayed);
  EXPECT_EQ((*known)->data_json, R"({"made":1})");
  EXPECT_EQ(StateOf("c"), State::kPending);
  EXPECT_EQ(previews_, 0);
}

TEST_F(CallFrameTest, AKeyOfAnotherCallIsRefused) {
  ASSERT_TRUE(Close(*Call("k"), Made()).ok());
  const auto other = CallOf(tool_, {{"title", "Other plans"}});
  other->idempotency_key = "k";
  EXPECT_EQ(testing::CodeOf(Open(*other).status()), ErrorCode::kInvalidParams);
}

TEST_F(CallFrameTest, AKeyThatARunningCallHoldsIsAborted) {
  storage::Claim claim;
  claim.id = "running";
  claim.user_id = "ann";
  claim.idempotency_key = "k";
  Commit([&](Transaction& tx) -> absl::Status {
    RETURN_IF_ERROR(tx.ClaimIdempotencyKey("ann", "k").status());
    return tx.PutClaim(claim);
  });
  const absl::Status status = Open(*Call("k")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(GetToolError(status)->retryable);
}

TEST_F(CallFrameTest, ADryRunNeitherLooksForItsKeyNorUsesItsConfirmation) {
  ASSERT_TRUE(Close(*Call("k"), Made()).ok());
  PutConfirmation("c", State::kUsed);
  const auto call = Call("k", Approval{.confirmation_id = "c"});
  call->dry_run = true;
  const auto known = Open(*call);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_FALSE(known->has_value());
}

TEST_F(CallFrameTest, ChecksThatTheWorkspaceIsAsItWasApproved) {
  EXPECT_TRUE(Open(*Call("", Approval{.state_digest = "now"})).ok());
  EXPECT_EQ(previews_, 1);
  PutConfirmation("c", State::kPending);
  const Approval earlier{.confirmation_id = "c", .state_digest = "earlier"};
  EXPECT_EQ(testing::CodeOf(Open(*Call("", earlier)).status()), ErrorCode::kConflict);
  EXPECT_EQ(StateOf("c"), State::kPending) << "the person can be asked again";
  const auto dry_run = Call("", earlier);
  dry_run->dry_run = true;
  EXPECT_EQ(testing::CodeOf(Open(*dry_run).status()), ErrorCode::kConflict);
}

TEST_F(CallFrameTest, APreviewThatFailsMeansChangeUnlessItsFailureIsUnknown) {
  preview_error_ = MakeError(ErrorCode::kNotFound, "there is no such page");
  EXPECT_EQ(testing::CodeOf(Open(*Call("", Approval{.state_digest = "now"})).status()), ErrorCode::kConflict);
  preview_error_ = absl::DataLossError("a page is damaged");
  EXPECT_EQ(Open(*Call("", Approval{.state_digest = "now"})).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CallFrameTest, AnEffectIsNotLookedAtInTheClaimsCommit) {
  tool_.handlers.preview = [this](ToolContext&, executors::EffectSession&) {
    ++previews_;
    return Preview();
  };
  EXPECT_TRUE(Open(*Call("", Approval{.state_digest = "earlier"})).ok()) << "its handler compares";
  EXPECT_EQ(previews_, 0);
}

TEST_F(CallFrameTest, AnotherStateIsAConflictUnlessTheCallWasStopped) {
  EXPECT_TRUE(CompareState(std::string("a"), "a").ok());
  EXPECT_EQ(testing::CodeOf(CompareState(std::string("b"), "a")), ErrorCode::kConflict);
  EXPECT_EQ(testing::CodeOf(CompareState(MakeError(ErrorCode::kForbidden, "a link"), "a")), ErrorCode::kConflict);
  EXPECT_EQ(testing::CodeOf(CompareState(MakeError(ErrorCode::kTimeout, "late"), "a")), ErrorCode::kTimeout);
  EXPECT_EQ(testing::CodeOf(CompareState(MakeError(ErrorCode::kCancelled, "left"), "a")), ErrorCode::kCancelled);
  EXPECT_EQ(CompareState(absl::InternalError("disk"), "a").code(), absl::StatusCode::kInternal);
}

TEST_F(CallFrameTest, UsesAConfirmationUp) {
  for (const State state : {State::kPending, State::kApproved}) {
    const std::string id = state == State::kPending ? "pending" : "approved";
    PutConfirmation(id, state);
    EXPECT_TRUE(Open(*Call("", Approval{.confirmation_id = id})).ok()) << id;
    EXPECT_EQ(StateOf(id), State::kUsed) << id;
  }
}

TEST_F(CallFrameTest, AConfirmationThatNeedsADecisionMustBeApproved) {
  PutConfirmation("c", State::kPending);
  EXPECT_FALSE(Open(*Call("", Approval{.confirmation_id = "c", .decision_needed = true})).ok());
  EXPECT_EQ(StateOf("c"), State::kPending);
  PutConfirmation("d", State::kApproved);
  EXPECT_TRUE(Open(*Call("", Approval{.confirmation_id = "d", .decision_needed = true})).ok());
  EXPECT_EQ(StateOf("d"), State::kUsed);
}

TEST_F(CallFrameTest, AConfirmationThatIsUsedOrDeniedIsRefused) {
  PutConfirmation("used", State::kUsed);
  PutConfirmation("denied", State::kDenied);
  for (const char* id : {"used", "denied", "unknown"}) {
    const absl::Status status = Open(*Call("", Approval{.confirmation_id = id})).status();
    EXPECT_EQ(testing::CodeOf(status), ErrorCode::kCancelled) << id;
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << id;
  }
}

TEST_F(CallFrameTest, ADryRunUsesItsConfirmationInATransactionBefore) {
  PutConfirmation("c", State::kPending);
  const auto call = Call("", Approval{.confirmation_id = "c"});
  call->dry_run = true;
  EXPECT_TRUE(frame_.UseConfirmationBefore(*call).ok());
  EXPECT_EQ(unreliable_.commits, 1);
  EXPECT_EQ(StateOf("c"), State::kUsed);
  EXPECT_EQ(testing::CodeOf(frame_.UseConfirmationBefore(*call)), ErrorCode::kCancelled) << "once";
  unreliable_.commits = 0;
  EXPECT_TRUE(frame_.UseConfirmationBefore(*Call()).ok());
  EXPECT_TRUE(frame_.UseConfirmationBefore(*Call("", Approval{.state_digest = "now"})).ok());
  EXPECT_EQ(unreliable_.commits, 0) << "nobody had to be asked";
}

// ---- Close ----------------------------------------------------------------------------------------------------------

TEST_F(CallFrameTest, ClosesAChangeWithItsUndoEntryAndItsAuditEntry) {
  const auto call = Call();
  call->request_id = "turn";
  call->caller.conversation_id = "talk";
  ASSERT_TRUE(Close(*call, Made(), OnePage).ok());
  EXPECT_TRUE(result_.success && result_.can_undo);
  ASSERT_THAT(result_.changes.blocks, SizeIs(1)) << "lent to the undo entry, and back";
  const std::string page = result_.changes.blocks[0].after->id;
  EXPECT_THAT(result_.affected_block_ids, ElementsAre(page));
  const storage::UndoEntry entry = UndoEntry(result_.undo_entry_id);
  EXPECT_EQ(entry.tool_id, "make");
  EXPECT_EQ(entry.description, "Made a page");
  EXPECT_EQ(entry.created_at, clock_.Now());
  EXPECT_EQ(entry.audit_entry_id, call->audit_entry_id);
  EXPECT_THAT(entry.affected_block_ids, ElementsAre(page));
  EXPECT_THAT(entry.changes.blocks, SizeIs(1));
  EXPECT_TRUE(entry.reversible);
  EXPECT_FALSE(entry.is_undo());
  EXPECT_EQ(entry.request_id, "turn");
  EXPECT_EQ(entry.conversation_id, "talk");
  const auto log = AuditLog();
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].id(), call->audit_entry_id);
  EXPECT_EQ(log[0].undo_entry_id(), entry.id);
  EXPECT_TRUE(log[0].success() && log[0].can_undo());
  EXPECT_EQ(log[0].params_json(), R"({"title":"Plans"})");
  EXPECT_THAT(log[0].affected_block_ids(), ElementsAre(page));
}

TEST_F(CallFrameTest, WithoutAChangeThereIsNothingToUndo) {
  ASSERT_TRUE(Close(*Call(), Made()).ok());
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_FALSE(result_.can_undo);
  EXPECT_EQ(result_.undo_entry_id, "");
  EXPECT_THAT(AuditLog(), SizeIs(1));
}

TEST_F(CallFrameTest, WhatCannotBeTakenBackIsOnTheStackAllTheSame) {
  ToolOutput output = Made();
  output.reversible = false;
  ASSERT_TRUE(Close(*Call(), output).ok());
  EXPECT_FALSE(result_.can_undo || result_.reversible);
  EXPECT_FALSE(UndoEntry(result_.undo_entry_id).reversible);
}

TEST_F(CallFrameTest, AnUndoNamesWhatItTookBackAndARedoWhatItRevived) {
  ASSERT_TRUE(Close(*Call(), Made(), OnePage).ok());
  const std::string earlier = result_.undo_entry_id;
  ToolOutput undo = Made();
  undo.undoes = {earlier};
  ASSERT_TRUE(Close(*Call(), undo, OnePage).ok());
  EXPECT_THAT(UndoEntry(result_.undo_entry_id).undoes, ElementsAre(earlier));
  EXPECT_FALSE(result_.redone);
  const size_t entries = UndoStack().size();
  ToolOutput redo = Made();
  redo.revives = {earlier};
  ASSERT_TRUE(Close(*Call(), redo, OnePage).ok());
  EXPECT_EQ(result_.undo_entry_id, earlier);
  EXPECT_TRUE(result_.can_undo && result_.redone);
  EXPECT_THAT(UndoStack(), SizeIs(entries)) << "no entry of its own";
  redo.revives = {earlier, "another"};
  ASSERT_TRUE(Close(*Call(), redo, OnePage).ok());
  EXPECT_EQ(result_.undo_entry_id, "") << "no single entry takes both back";
  EXPECT_FALSE(result_.can_undo);
}

TEST_F(CallFrameTest, AFailureIsAuditedAndStored) {
  ASSERT_TRUE(Close(*Call("k"), MakeError(ErrorCode::kConflict, "not now")).ok());
  EXPECT_FALSE(result_.success);
  EXPECT_EQ(result_.error->code, ErrorCode::kConflict);
  EXPECT_THAT(UndoStack(), IsEmpty());
  const auto log = AuditLog();
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].error().code(), "CONFLICT");
  const auto repeat = Open(*Call("k"));
  ASSERT_TRUE(repeat.ok() && repeat->has_value());
  EXPECT_EQ((*repeat)->error->code, ErrorCode::kConflict);
}

TEST_F(CallFrameTest, TheAuditEntriesOfStepsComeBeforeTheCallsOwn) {
  for (const char* id : {"first", "second"}) {
    v1::AuditEntry step;
    step.set_id(id);
    step.set_workspace_id("w");
    ledger_.AddEntry(step);
  }
  const auto call = Call();
  ASSERT_TRUE(Close(*call, Made()).ok());
  std::vector<std::string> ids;
  for (const v1::AuditEntry& entry : AuditLog()) ids.insert(ids.begin(), entry.id());
  EXPECT_THAT(ids, ElementsAre("first", "second", call->audit_entry_id));
}

TEST_F(CallFrameTest, TextFromOutsideIsTakenInWithTheCommit) {
  const auto call = Call("k");
  ledger_.texts().Find(Outside(kAttack).data_json);
  outside_text_.ScanMissing(ledger_.texts());
  ASSERT_TRUE(Close(*call, Outside(kAttack)).ok());
  EXPECT_TRUE(result_.untrusted);
  EXPECT_EQ(result_.boundary.size(), 32U);
  EXPECT_THAT(call->state.findings, Not(IsEmpty()));
  EXPECT_EQ(unreliable_.commits, 1) << "the mark needs no commit of its own";
  EXPECT_TRUE(IsMarked());
  EXPECT_TRUE(AuditLog()[0].untrusted());
  EXPECT_TRUE(AuditLog()[0].conversation_untrusted());
  EXPECT_THAT(AuditLog()[0].injection_findings(), Not(IsEmpty()));
}

TEST_F(CallFrameTest, TextFromOutsideIsNotScannedInTheCommit) {
  const auto call = Call();
  ASSERT_TRUE(Close(*call, Outside(kAttack)).ok());
  EXPECT_THAT(call->state.findings, IsEmpty());
  EXPECT_THAT(ledger_.texts().missing(), ElementsAre(Outside(kAttack).data_json));
}

TEST_F(CallFrameTest, ALongAnswerIsCutAndKeptWithTheCommit) {
  const std::string text = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')));
  ASSERT_TRUE(Close(*Call("k"), ToolOutput{.data_json = text}).ok());
  EXPECT_TRUE(result_.truncated);
  EXPECT_EQ(KeptWhole(result_), text);
  EXPECT_EQ(unreliable_.commits, 1);
  const auto repeat = Open(*Call("k"));
  ASSERT_TRUE(repeat.ok() && repeat->has_value());
  EXPECT_EQ((*repeat)->data_json, result_.data_json);
  EXPECT_EQ((*repeat)->continuation, result_.continuation);
}

TEST_F(CallFrameTest, ADryRunWritesOnlyWhatItShows) {
  const auto call = Call("k");
  call->dry_run = true;
  ToolOutput output = Outside(std::string(3 * kMaxResultBytes, '.') + kAttack);
  ASSERT_TRUE(Close(*call, output, OnePage).ok());
  EXPECT_TRUE(result_.success && result_.dry_run && result_.can_undo);
  EXPECT_THAT(result_.changes.blocks, SizeIs(1));
  EXPECT_EQ(result_.undo_entry_id, "") << "there is none any more";
  EXPECT_EQ(result_.data_json, output.data_json) << "cut by whoever can keep the rest";
  EXPECT_EQ(result_.boundary, "");
  EXPECT_THAT(call->state.findings, IsEmpty());
  EXPECT_THAT(AuditLog(), IsEmpty());
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_FALSE(HasOutcome("k"));
  EXPECT_EQ(Pages(), 0);
}

TEST_F(CallFrameTest, AStepThatSettlesByItselfIsNotedForItsAutomation) {
  const auto call = Call();
  Claim(kProcessId, *call);
  ASSERT_TRUE(Close(*call, Made(), OnePage).ok());
  const auto steps = SettledSteps();
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].number, 3);
  EXPECT_EQ(steps[0].audit_entry_id, call->audit_entry_id);
  EXPECT_EQ(steps[0].tool_id, "make");
  EXPECT_TRUE(steps[0].is_known && steps[0].reversible);
  EXPECT_THAT(steps[0].changes.blocks, SizeIs(1));
  EXPECT_THAT(result_.changes.blocks, SizeIs(1)) << "lent to the note, and back";
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_EQ(result_.undo_entry_id, "");
  EXPECT_EQ(AuditLog().at(0).parent_call_id(), "parent");
}

TEST_F(CallFrameTest, AStepIsNotedOnlyForWhatItLeaves) {
  const auto call = Call();
  Claim(kProcessId, *call);
  ASSERT_TRUE(Close(*call, Made()).ok());
  EXPECT_THAT(SettledSteps(), IsEmpty());
  call->dry_run = true;
  ASSERT_TRUE(Close(*call, Made(), OnePage).ok());
  EXPECT_THAT(SettledSteps(), IsEmpty());
  call->dry_run = false;
  call->audit_entry_id = "another";
  ToolOutput sent = Made();
  sent.reversible = false;
  ASSERT_TRUE(Close(*call, sent).ok());
  ASSERT_THAT(SettledSteps(), SizeIs(1)) << "it did something outside";
  EXPECT_FALSE(SettledSteps()[0].reversible);
}

TEST_F(CallFrameTest, AStepOfAClaimThatIsAnothersIsAborted) {
  const auto call = Call();
  Claim("another process", *call);
  EXPECT_EQ(Close(*call, Made(), OnePage).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(AuditLog(), IsEmpty());
}

TEST_F(CallFrameTest, AStoreThatFailsAtTheEndLeavesNothing) {
  unreliable_.fail_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(Close(*Call("k"), Made(), OnePage).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_THAT(AuditLog(), IsEmpty());
  EXPECT_FALSE(HasOutcome("k"));
}

// ---- Parts of it ----------------------------------------------------------------------------------------------------

TEST_F(CallFrameTest, FillsAResultFromTheOutput) {
  ToolResult result;
  storage::Block block;
  block.id = "b";
  result.changes.blocks.emplace_back().after = std::move(block);
  const auto call = Call();
  FillResult(environment_, *call,
             ToolOutput{.data_json = "1",
                        .tokens_used = 2,
                        .retry_count = 3,
                        .reversible = false,
                        .untrusted = true,
                        .continuation = "next"},
             result);
  EXPECT_TRUE(result.success && result.untrusted);
  EXPECT_EQ(result.data_json, "1");
  EXPECT_EQ(result.tokens_used, 2);
  EXPECT_EQ(result.retry_count, 3);
  EXPECT_FALSE(result.reversible);
  EXPECT_EQ(result.continuation, "next");
  EXPECT_THAT(result.affected_block_ids, ElementsAre("b"));
  EXPECT_EQ(result.ended_at, clock_.Now());
  EXPECT_EQ(result.audit_entry_id, call->audit_entry_id);
}

TEST_F(CallFrameTest, AFailureFillsInNoChanges) {
  ToolResult result;
  storage::Block block;
  block.id = "b";
  result.changes.blocks.emplace_back().after = std::move(block);
  FillResult(environment_, *Call(), MakeError(ErrorCode::kConflict, "of ann@example.com"), result);
  EXPECT_FALSE(result.success);
  EXPECT_TRUE(result.changes.empty());
  EXPECT_THAT(result.affected_block_ids, IsEmpty());
  EXPECT_EQ(result.error->message, "of [masked:email]");
  EXPECT_EQ(result.failure_cause, FailureCause::kTool);
}

TEST_F(CallFrameTest, AnInterruptionIsNotTheToolsFault) {
  struct Row {
    absl::Status status;
    ErrorCode code;
  };
  for (const Row& row : {Row{MakeError(ErrorCode::kTimeout, "late"), ErrorCode::kTimeout},
                         Row{MakeError(ErrorCode::kCancelled, "gone"), ErrorCode::kCancelled},
                         Row{absl::DeadlineExceededError("of a library"), ErrorCode::kExecutionError},
                         Row{absl::CancelledError("of a library"), ErrorCode::kExecutionError}}) {
    ToolResult result;
    FillResult(environment_, *Call(), row.status, result);
    EXPECT_EQ(result.error->code, row.code) << row.status;
    EXPECT_EQ(result.failure_cause, FailureCause::kInterrupted) << row.status;
    ToolResult of_step;
    of_step.failure_cause = FailureCause::kStep;
    FillResult(environment_, *Call(), row.status, of_step);
    EXPECT_EQ(of_step.failure_cause, FailureCause::kStep) << row.status;
  }
}

TEST_F(CallFrameTest, MarksTheConversationWithTheTransaction) {
  const auto call = Call();
  EXPECT_FALSE(InTransaction(*call, [&](Transaction& tx) -> absl::Status {
                 RETURN_IF_ERROR(MarkConversation(*call, Outside("one"), tx));
                 EXPECT_TRUE(call->state.conversation_untrusted);
                 return absl::AbortedError("taken back");
               }).ok());
  EXPECT_FALSE(IsMarked());
  const auto again = Call();
  EXPECT_TRUE(
      InTransaction(*again, [&](Transaction& tx) { return MarkConversation(*again, Outside("one"), tx); }).ok());
  EXPECT_TRUE(IsMarked());
}

TEST_F(CallFrameTest, AnswersOfItsOwnOnlyLookAtTheMark) {
  const auto before = Call();
  const auto look = [this](ToolCall& call) {
    EXPECT_TRUE(InTransaction(call, [&](Transaction& tx) { return MarkConversation(call, Made(), tx); }).ok());
    return call.state.conversation_untrusted;
  };
  EXPECT_FALSE(look(*before));
  EXPECT_FALSE(IsMarked());
  ASSERT_TRUE(outside_text_.MarkConversation(*Call()).ok());
  EXPECT_TRUE(look(*Call()));
}

}  // namespace
}  // namespace toolgate::services::execution
