#include "services/execution/transaction_runner.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/fault.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using executors::EffectHandler;
using executors::FlexibleHandler;
using executors::Plan;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;
using executors::WriteHandler;
using security::Approval;
using security::FailureCause;
using security::ToolCall;
using security::ToolResult;
using storage::Transaction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using State = storage::Confirmation::State;

class TransactionRunnerTest : public RunnerFixture {
 protected:
  explicit TransactionRunnerTest(int64_t max_undo_bytes = storage::kMaxUndoBytes) : RunnerFixture(max_undo_bytes) {
    step_tools_["make"] = ToolOf("make", PageMaker());
    step_tools_["fail"] = ToolOf("fail", WriteHandler([](ToolContext&, Transaction&) -> absl::StatusOr<ToolOutput> {
                                   return MakeError(ErrorCode::kConflict, "no");
                                 }));
  }

  // A call with the key "k" and the confirmation "c", of a tool that does what `run` does. Run runs it.
  void Prepare(decltype(executors::ToolHandlers::run) run) {
    tool_.handlers.run = std::move(run);
    call_ = CallOf(tool_);
    call_->idempotency_key = "k";
    call_->approval = Approval{.confirmation_id = "c"};
    PutConfirmation("c", State::kPending);
  }
  absl::StatusOr<ToolResult> Run(const Planned* planned = nullptr) { return transactions_.Run(*call_, planned); }
  // The same call again.
  absl::StatusOr<ToolResult> Repeat(std::string_view conversation = "talk") {
    call_ = CallOf(tool_);
    call_->idempotency_key = "k";
    call_->caller.conversation_id = conversation;
    return Run();
  }
  void ExpectNothingLeft() {
    EXPECT_EQ(Pages(), 0);
    EXPECT_THAT(UndoStack(), IsEmpty());
    EXPECT_FALSE(HasOutcome("k"));
    EXPECT_EQ(StateOf("c"), State::kPending);
    EXPECT_FALSE(call_->state.audited) << "the pipeline writes its entry";
    EXPECT_THAT(AuditLog("tool"), IsEmpty());
  }

  // Makes a page and ends with `status`.
  static WriteHandler MakesAPageAndFails(absl::Status status) {
    return [status](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
      RETURN_IF_ERROR(MakePage(tx).status());
      return status;
    };
  }
  static WriteHandler Says(ToolOutput output) {
    return [output](ToolContext&, Transaction&) { return output; };
  }
  static WriteHandler RunsSteps(std::vector<std::string> steps) {
    return [steps](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
      for (const std::string& step : steps) {
        RETURN_IF_ERROR(context.steps->RunStep({step, Json::object()}, tx).status());
      }
      return ToolOutput{.data_json = "{}", .description = "Ran"};
    };
  }
  // Oldest first: the tool of each audit entry in the store, its outcome, and whether it was taken back.
  std::vector<std::string> Audited() {
    EXPECT_TRUE(audit_.Flush().ok());
    std::vector<std::string> lines;
    for (const v1::AuditEntry& entry : AuditLog()) {
      lines.insert(lines.begin(),
                   absl::StrCat(entry.tool_id(), " ", entry.outcome(), entry.taken_back() ? " taken back" : ""));
    }
    return lines;
  }

  executors::Tool tool_ = ToolOf("tool", PageMaker());
  std::unique_ptr<ToolCall> call_;
};

TEST_F(TransactionRunnerTest, CommitsAChangeAndAllItsRecordsAtOnce) {
  const absl::Time began = clock_.Now();
  Prepare([this](ToolContext&, Transaction& tx) {
    clock_.Advance(absl::Seconds(1));
    return MakePage(tx);
  });
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success && result->can_undo);
  EXPECT_EQ(result->started_at, began);
  EXPECT_EQ(result->ended_at, began + absl::Seconds(1));
  EXPECT_EQ(unreliable_.commits, 1);
  EXPECT_EQ(unreliable_.reads, 0);
  EXPECT_EQ(Pages(), 1);
  ASSERT_THAT(UndoStack(), SizeIs(1));
  EXPECT_EQ(UndoStack()[0].id, result->undo_entry_id);
  EXPECT_TRUE(HasOutcome("k"));
  EXPECT_EQ(StateOf("c"), State::kUsed);
  EXPECT_TRUE(call_->state.audited);
  ASSERT_THAT(AuditLog(), SizeIs(1));
  EXPECT_EQ(AuditLog()[0].id(), call_->audit_entry_id);
}

TEST_F(TransactionRunnerTest, AToolThatFailsLeavesItsRecordsAndNoOtherTrace) {
  Prepare(MakesAPageAndFails(MakeError(ErrorCode::kConflict, "not now")));
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kConflict);
  EXPECT_EQ(result->failure_cause, FailureCause::kTool);
  EXPECT_TRUE(result->changes.empty());
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_TRUE(HasOutcome("k"));
  EXPECT_EQ(StateOf("c"), State::kUsed);
  EXPECT_TRUE(call_->state.audited);
  EXPECT_THAT(Audited(), ElementsAre("tool CONFLICT"));
}

TEST_F(TransactionRunnerTest, StepsOfAFailedToolAreAuditedAsTakenBack) {
  Prepare(RunsSteps({"make", "fail"}));
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failure_cause, FailureCause::kStep);
  EXPECT_THAT(Audited(), ElementsAre("make OK taken back", "fail CONFLICT", "tool CONFLICT"));
  EXPECT_EQ(Pages(), 0);
}

// ---- Dry runs -------------------------------------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, ADryRunShowsAChangeAndTakesItBack) {
  Prepare(PageMaker());
  call_->dry_run = true;
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success && result->dry_run && result->can_undo);
  EXPECT_EQ(result->undo_entry_id, "");
  EXPECT_THAT(result->changes.blocks, SizeIs(1));
  EXPECT_EQ(unreliable_.dry_runs, 1);
  EXPECT_EQ(unreliable_.commits, 0);
  ExpectNothingLeft();
}

TEST_F(TransactionRunnerTest, ADryRunsTextFromOutsideHasReachedTheModel) {
  Prepare(Says(Outside(kAttack)));
  call_->dry_run = true;
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->boundary.size(), 32U);
  EXPECT_THAT(call_->state.findings, Not(IsEmpty()));
  EXPECT_TRUE(call_->state.conversation_untrusted);
  EXPECT_TRUE(IsMarked());
}

TEST_F(TransactionRunnerTest, ADryRunsTextIsWithheldWhenItsConversationCannotBeMarked) {
  Prepare([this](ToolContext&, Transaction&) {
    unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
    return Outside("Sunny.");
  });
  call_->dry_run = true;
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(TransactionRunnerTest, ADryRunsLongAnswerCanBeReadToItsEnd) {
  const std::string text = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')));
  Prepare(Says({.data_json = text}));
  call_->dry_run = true;
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->truncated);
  EXPECT_EQ(KeptWhole(*result), text);
}

TEST_F(TransactionRunnerTest, StepsOfADryRunAreAuditedThroughTheQueue) {
  Prepare(RunsSteps({"make", "make"}));
  call_->dry_run = true;
  ASSERT_TRUE(Run()->success);
  EXPECT_THAT(Audited(), ElementsAre("make OK", "make OK"));
  EXPECT_TRUE(AuditLog()[0].dry_run());
}

TEST_F(TransactionRunnerTest, StepsThatCannotBeAuditedRefuseTheCall) {
  toolgate::config::v1::Audit full = config_.audit();
  full.set_max_pending(0);
  audit::AuditQueue queue(*store_, full, {});
  const Environment environment = EnvironmentWith(queue);
  const TransactionRunner runner(environment, frame_, kept_results_);
  Prepare(RunsSteps({"make"}));
  call_->dry_run = true;
  EXPECT_EQ(runner.Run(*call_).status().code(), absl::StatusCode::kUnavailable);
  Prepare(RunsSteps({"make"}));
  EXPECT_TRUE(runner.Run(*call_).ok()) << "committed with the call, they need no queue";
}

// ---- Repeats --------------------------------------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, ARepeatIsAnsweredAndRunsNothing) {
  Prepare(PageMaker());
  const auto first = Run();
  const auto repeat = Repeat();
  ASSERT_TRUE(first.ok() && repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->replayed);
  EXPECT_EQ(repeat->data_json, first->data_json);
  EXPECT_EQ(repeat->undo_entry_id, first->undo_entry_id);
  EXPECT_EQ(repeat->audit_entry_id, first->audit_entry_id) << "of the call that ran";
  EXPECT_EQ(Pages(), 1);
  EXPECT_FALSE(call_->state.audited) << "the pipeline writes its entry";
  EXPECT_THAT(Audited(), ElementsAre("tool OK"));
}

TEST_F(TransactionRunnerTest, ARepeatedAnswerFromOutsideMarksTheConversationItIsGivenIn) {
  Prepare(Says(Outside(kAttack)));
  const auto first = Run();
  const auto repeat = Repeat("another talk");
  ASSERT_TRUE(first.ok() && repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->untrusted);
  EXPECT_EQ(repeat->boundary.size(), 32U);
  EXPECT_NE(repeat->boundary, first->boundary);
  EXPECT_THAT(call_->state.findings, Not(IsEmpty()));
  EXPECT_TRUE(IsMarked("another talk"));
}

TEST_F(TransactionRunnerTest, TextFromOutsideIsScannedBetweenTwoAttempts) {
  int ran = 0;
  Prepare([&](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    ++ran;
    RETURN_IF_ERROR(MakePage(tx).status());
    return Outside(kAttack);
  });
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ran, 3) << "the store runs a body that fails once more by itself";
  EXPECT_EQ(Pages(), 1) << "of the attempt that counts";
  EXPECT_THAT(call_->state.findings, Not(IsEmpty()));
  EXPECT_THAT(AuditLog()[0].injection_findings(), SizeIs(static_cast<int>(call_->state.findings.size())));
}

TEST_F(TransactionRunnerTest, TextThatIsAnotherEachTimeIsKeptWithoutAScan) {
  int ran = 0;
  Prepare([&](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(MakePage(tx).status());
    return Outside(absl::StrCat(++ran, kAttack));
  });
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ran, 7) << "three attempts that are taken back, each once more by the store, and one that counts";
  EXPECT_EQ(Pages(), 1) << "a scan decides about nothing that ran";
  EXPECT_TRUE(IsMarked());
}

TEST_F(TransactionRunnerTest, AKeyOfAnotherCallIsRefusedAndRunsNothing) {
  Prepare(PageMaker());
  ASSERT_TRUE(Run().ok());
  call_ = CallOf(tool_, {{"title", "another"}});
  call_->idempotency_key = "k";
  EXPECT_EQ(CodeOf(Run()), ErrorCode::kInvalidParams);
  EXPECT_EQ(Pages(), 1);
}

// ---- Stores that fail or retry --------------------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, ATransactionThatRunsAgainCountsOnce) {
  Prepare([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(context.steps->RunStep({"make", Json::object()}, tx).status());
    return Outside(kAttack);
  });
  call_->state.findings.emplace_back().rule_id = "earlier";
  const size_t found = outside_text_.Find(DumpJson(Json(kAttack)), "result").size();
  unreliable_.retries = 2;
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(call_->state.findings, SizeIs(1 + found));
  EXPECT_EQ(call_->state.findings[0].rule_id, "earlier");
  EXPECT_THAT(result->changes.blocks, SizeIs(1));
  EXPECT_EQ(Pages(), 1);
  EXPECT_TRUE(IsMarked()) << "by the attempt that counts";
  EXPECT_THAT(Audited(), ElementsAre("make OK", "tool OK"));
}

TEST_F(TransactionRunnerTest, ACommitThatFailsLeavesNothing) {
  Prepare(RunsSteps({"make"}));
  unreliable_.fail_commits = absl::UnavailableError("the disk is full");
  const auto result = Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(storage::IsFault(result.status()));
  ExpectNothingLeft();
  EXPECT_THAT(Audited(), ElementsAre("make OK taken back")) << "its steps are known all the same";
}

TEST_F(TransactionRunnerTest, AFailureOfTheStoreUnderTheToolRefusesTheCall) {
  Prepare(PageMaker());
  faulty_->fault = absl::DataLossError("a page is damaged");
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(call_->state.store_fault.code(), absl::StatusCode::kDataLoss);
  faulty_->fault = absl::OkStatus();
  ExpectNothingLeft();
}

TEST_F(TransactionRunnerTest, AFaultOfAnEarlierAttemptIsForgotten) {
  Prepare(PageMaker());
  call_->state.store_fault = absl::DataLossError("a page was damaged");
  ASSERT_TRUE(Run().ok());
  EXPECT_TRUE(call_->state.store_fault.ok());
}

// ---- Plans and tools that may be refused ----------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, CommitsAPlanThatWasMadeBefore) {
  Prepare(executors::PlanHandler([](ToolContext&, storage::ReadView&) -> absl::StatusOr<Plan> {
    ADD_FAILURE() << "planned again";
    return Plan();
  }));
  const Planned planned =
      Plan{ToolOutput{.data_json = R"("planned")"}, [](Transaction& tx) { return MakePage(tx).status(); }};
  const auto result = Run(&planned);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, R"("planned")");
  EXPECT_EQ(Pages(), 1);
  EXPECT_THAT(UndoStack(), SizeIs(1));
}

TEST_F(TransactionRunnerTest, APlanThatIsOutOfDateIsAbortedWithNothingDone) {
  Prepare(executors::PlanHandler());
  const Planned planned = Plan{ToolOutput{.data_json = "{}"}, [](Transaction& tx) -> absl::Status {
                                 RETURN_IF_ERROR(MakePage(tx).status());
                                 return absl::AbortedError("the base has changed");
                               }};
  EXPECT_TRUE(IsOutOfDate(Run(&planned).status()));
  ExpectNothingLeft();
}

TEST_F(TransactionRunnerTest, APlanThatFailedIsAFailedCall) {
  Prepare(executors::PlanHandler());
  const Planned planned = MakeError(ErrorCode::kNotFound, "there is no such page");
  const auto result = Run(&planned);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kNotFound);
  EXPECT_TRUE(HasOutcome("k"));
}

TEST_F(TransactionRunnerTest, AFlexibleToolMaySayThatItNeedsAnotherWay) {
  FlexibleHandler flexible;
  flexible.in_transaction = MakesAPageAndFails(absl::AbortedError("it waits for something outside"));
  Prepare(flexible);
  EXPECT_TRUE(IsOutOfDate(Run().status()));
  ExpectNothingLeft();
}

TEST_F(TransactionRunnerTest, NoOtherToolMay) {
  Prepare(MakesAPageAndFails(absl::AbortedError("of a library")));
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kExecutionError);
  EXPECT_TRUE(HasOutcome("k"));
}

TEST_F(TransactionRunnerTest, OnlyAnAbortWithoutAToolErrorMeansOutOfDate) {
  EXPECT_TRUE(IsOutOfDate(absl::AbortedError("the base has changed")));
  EXPECT_FALSE(IsOutOfDate(MakeError(ErrorCode::kConflict, "changed since"))) << "which is ABORTED for gRPC";
  EXPECT_FALSE(IsOutOfDate(absl::UnavailableError("away")));
  EXPECT_FALSE(IsOutOfDate(absl::OkStatus()));
}

// ---- Limits ---------------------------------------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, ACallThatIsOverDoesNotRun) {
  const auto fails_when_run = [](ToolContext&, Transaction&) -> absl::StatusOr<ToolOutput> {
    ADD_FAILURE() << "it ran";
    return ToolOutput();
  };
  Prepare(fails_when_run);
  call_->cancellation.Cancel();
  EXPECT_EQ(CodeOf(Run()), ErrorCode::kCancelled);
  ExpectNothingLeft();
  Prepare(fails_when_run);
  call_->cancellation.Reset(clock_, clock_.Monotonic());
  EXPECT_EQ(CodeOf(Run()), ErrorCode::kTimeout);
}

TEST_F(TransactionRunnerTest, ACallThatEndsWhileItsToolRunsLeavesNothing) {
  Prepare([this](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(MakePage(tx).status());
    clock_.Advance(absl::Seconds(5));
    return MakePage(tx);
  });
  call_->cancellation.Reset(clock_, clock_.Monotonic() + absl::Seconds(5));
  const auto result = Run();
  EXPECT_FALSE(result.ok()) << "under its key, an interruption is no outcome";
  EXPECT_EQ(CodeOf(result), ErrorCode::kTimeout);
  ExpectNothingLeft();
}

TEST_F(TransactionRunnerTest, AnInterruptionBeforeTheFirstChangeIsNotTheToolsFault) {
  Prepare([this](ToolContext&, Transaction& tx) {
    call_->cancellation.Cancel();
    return MakePage(tx);
  });
  call_->idempotency_key.clear();
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kCancelled);
  EXPECT_EQ(result->failure_cause, FailureCause::kInterrupted);
  EXPECT_TRUE(call_->state.audited);
  EXPECT_EQ(Pages(), 0);
}

class SmallUndoTest : public TransactionRunnerTest {
 protected:
  SmallUndoTest() : TransactionRunnerTest(/*max_undo_bytes=*/4000) {}
};

TEST_F(SmallUndoTest, AChangeThatUndoCouldNotKeepFails) {
  Prepare([](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    for (int i = 0; i < 10; ++i) RETURN_IF_ERROR(MakePage(tx).status());
    return ToolOutput{.data_json = "{}"};
  });
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(Pages(), 0);
  EXPECT_TRUE(HasOutcome("k"));
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

TEST_F(TransactionRunnerTest, AStepThatWasApprovedAsReversibleMustBe) {
  Prepare([](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    ASSIGN_OR_RETURN(ToolOutput output, MakePage(tx));
    output.reversible = false;
    return output;
  });
  Commit([](Transaction& tx) {
    storage::Claim claim;
    claim.id = "whole";
    claim.owner = kProcessId;
    return tx.PutClaim(claim);
  });
  call_->step_of = security::StepOf{.call_id = "parent", .approved_as_a_whole = true, .claim_id = "whole"};
  EXPECT_EQ(CodeOf(Run()), ErrorCode::kConflict);
  ExpectNothingLeft();
  tool_.definition.annotations.reversible = false;
  EXPECT_TRUE(Run().ok()) << "the person was told";
  EXPECT_EQ(Pages(), 1);
}

class TransactionStepTest : public TransactionRunnerTest {
 protected:
  // Runs `tool` as the step of an automation that has made a page before, and ends with `status`.
  absl::StatusOr<ToolResult> RunStep(const executors::Tool& tool, const absl::Status& status = absl::OkStatus()) {
    const auto parent = CallOf(tool_);
    absl::StatusOr<ToolResult> result;
    const absl::Status committed = InTransaction(*parent, [&](Transaction& tx) -> absl::Status {
      EXPECT_TRUE(MakePage(tx).ok());
      step_ = CallOf(tool);
      step_->step_of = security::StepOf{.call_id = parent->id, .transaction = &tx, .ledger = &ledger_};
      unreliable_.reads = unreliable_.commits = 0;
      result = transactions_.RunStep(*step_);
      return status;
    });
    EXPECT_EQ(committed, status);
    return result;
  }

  security::StepLedger ledger_;
  std::unique_ptr<ToolCall> step_;
};

TEST_F(TransactionStepTest, RunsInItsAutomationsTransactionAndLeavesTheRecordsToIt) {
  const auto result = RunStep(ToolOf("make", PageMaker()));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success);
  EXPECT_THAT(result->changes.blocks, SizeIs(1)) << "its own alone";
  EXPECT_EQ(unreliable_.reads + unreliable_.commits, 0);
  EXPECT_EQ(Pages(), 2);
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_EQ(result->undo_entry_id, "");
  EXPECT_FALSE(step_->state.audited);
  EXPECT_THAT(Audited(), IsEmpty());
}

TEST_F(TransactionStepTest, IsTakenBackAloneWhenItFails) {
  const auto result = RunStep(ToolOf("fail", MakesAPageAndFails(MakeError(ErrorCode::kConflict, "no"))));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(CodeOf(result), ErrorCode::kConflict);
  EXPECT_EQ(Pages(), 1) << "what the automation did before stays";
}

TEST_F(TransactionStepTest, KeepsALongAnswerWholeForLaterSteps) {
  const std::string text = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')));
  EXPECT_EQ(RunStep(ToolOf("tell", Says({.data_json = text})))->data_json, text);
}

TEST_F(TransactionStepTest, TakesTextFromOutsideInWithTheTransaction) {
  const executors::Tool fetch = ToolOf("fetch", Says(Outside(kAttack)));
  const auto taken_back = RunStep(fetch, absl::AbortedError("taken back"));
  EXPECT_EQ(taken_back->boundary.size(), 32U);
  EXPECT_THAT(step_->state.findings, IsEmpty()) << "nothing is scanned in a transaction";
  outside_text_.ScanMissing(ledger_.texts());
  EXPECT_TRUE(step_->state.conversation_untrusted);
  EXPECT_FALSE(IsMarked());
  ASSERT_TRUE(RunStep(fetch).ok());
  EXPECT_THAT(step_->state.findings, Not(IsEmpty()));
  EXPECT_EQ(unreliable_.commits, 0) << "the mark is the transaction's";
  EXPECT_TRUE(IsMarked());
}

TEST_F(TransactionStepTest, AFailureOfTheStoreUnderItRefusesIt) {
  const executors::Tool look =
      ToolOf("look", ReadHandler([](ToolContext&, storage::ReadView& view) -> absl::StatusOr<ToolOutput> {
               RETURN_IF_ERROR(view.GetBlock("plans").status());
               return ToolOutput{.data_json = "{}"};
             }));
  const auto missing = RunStep(look);
  EXPECT_EQ(CodeOf(missing), ErrorCode::kNotFound);
  const executors::Tool fault = ToolOf("fault", ReadHandler([](ToolContext&, storage::ReadView&) {
                                         return storage::MarkFault(absl::DataLossError("a page is damaged"));
                                       }));
  EXPECT_EQ(RunStep(fault).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(step_->state.store_fault.code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace toolgate::services::execution
