#include "services/execution/read_runner.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/fault.h"
#include "tests/support/event_log.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;
using security::FailureCause;
using security::ToolResult;
using storage::ReadView;
using testing::FactOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ReadRunnerTest : public RunnerFixture {
 protected:
  ReadRunnerTest() {
    Commit([](storage::Transaction& tx) {
      return tx.CreateBlock({.id = "plans", .type = "page", .data = R"({"title":"Plans"})"}).status();
    });
  }

  // A call of a tool that reads; Run runs it.
  void Prepare(ReadHandler handler) {
    tool_ = ToolOf("look", std::move(handler));
    tool_.definition.annotations.read_only = true;
    call_ = CallOf(tool_, {{"topic", "plans"}});
  }
  absl::StatusOr<ToolResult> Run() { return reads_.Run(*call_); }
  absl::StatusOr<ToolResult> Run(ReadHandler handler) {
    Prepare(std::move(handler));
    return Run();
  }

  static absl::StatusOr<ToolOutput> LookAtPlans(ToolContext&, ReadView& view) {
    ASSIGN_OR_RETURN(const storage::Block plans, view.GetBlock("plans"));
    return ToolOutput{.data_json = plans.data};
  }
  static ReadHandler Says(ToolOutput output) {
    return [output](ToolContext&, ReadView&) { return output; };
  }
  static ReadHandler Fails(absl::Status status) {
    return [status](ToolContext&, ReadView&) { return status; };
  }

  const ReadRunner reads_{environment_, kept_results_};
  executors::Tool tool_;
  std::unique_ptr<security::ToolCall> call_;
};

TEST_F(ReadRunnerTest, AnswersWhatTheToolReadOnASnapshot) {
  const absl::Time began = clock_.Now();
  const auto result = Run([this](ToolContext& context, ReadView& view) -> absl::StatusOr<ToolOutput> {
    clock_.Advance(absl::Seconds(2));
    ASSIGN_OR_RETURN(ToolOutput output, LookAtPlans(context, view));
    output.tokens_used = 7;
    output.retry_count = 2;
    output.continuation = "next";
    return output;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success);
  EXPECT_EQ(result->data_json, R"({"title":"Plans"})");
  EXPECT_EQ(result->tokens_used, 7);
  EXPECT_EQ(result->retry_count, 2);
  EXPECT_EQ(result->continuation, "next");
  EXPECT_EQ(result->started_at, began);
  EXPECT_EQ(result->ended_at, began + absl::Seconds(2));
  EXPECT_EQ(result->audit_entry_id, call_->audit_entry_id);
  EXPECT_FALSE(result->error.has_value());
  EXPECT_FALSE(result->untrusted || result->truncated || result->can_undo || result->dry_run || result->replayed);
}

TEST_F(ReadRunnerTest, GivesTheToolItsCallAndNobodyToRunOthers) {
  testing::EventLog client;
  Prepare([this](ToolContext& context, ReadView&) {
    EXPECT_EQ(context.arguments, call_->arguments());
    EXPECT_EQ(context.caller.user_id, "ann");
    EXPECT_EQ(context.now, call_->arrived) << "not the time at which it runs";
    EXPECT_EQ(context.time_zone.name(), "Europe/Berlin");
    EXPECT_EQ(&context.cancellation, &call_->cancellation);
    EXPECT_TRUE(context.dry_run);
    EXPECT_EQ(context.steps, nullptr);
    EXPECT_EQ(context.saga, nullptr);
    context.Report({.message = "half"});
    return ToolOutput{.data_json = "{}"};
  });
  call_->caller.time_zone = "Europe/Berlin";
  call_->dry_run = true;
  call_->events = &client;
  clock_.Advance(absl::Minutes(1));
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->dry_run);
  ASSERT_THAT(client.reports, SizeIs(1));
  EXPECT_EQ(client.reports[0].message, "half");
}

TEST_F(ReadRunnerTest, OpensNoTransactionAndLeavesNoRecord) {
  ASSERT_TRUE(Run(LookAtPlans)->success);
  EXPECT_EQ(unreliable_.reads, 1);
  EXPECT_EQ(unreliable_.commits + unreliable_.dry_runs, 0);
  EXPECT_FALSE(call_->state.audited) << "the pipeline writes its entry";
  ASSERT_TRUE(audit_.Flush().ok());
  EXPECT_THAT(AuditLog(), IsEmpty());
  EXPECT_THAT(UndoStack(), IsEmpty());
}

TEST_F(ReadRunnerTest, AFailureIsAResultInTheWordsOfLayer5) {
  const auto result = Run(Fails(MakeError(ErrorCode::kConflict, "ann@example.com has it")));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kConflict);
  EXPECT_EQ(result->error->message, "[masked:email] has it");
  EXPECT_EQ(result->failure_cause, FailureCause::kTool);
  EXPECT_EQ(result->data_json, "");
  EXPECT_EQ(result->audit_entry_id, call_->audit_entry_id);
  EXPECT_TRUE(call_->state.store_fault.ok());
}

TEST_F(ReadRunnerTest, AnUnknownFailureIsAReference) {
  const auto result = Run(Fails(absl::InternalError("the cache is inconsistent")));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->error->code, ErrorCode::kExecutionError);
  EXPECT_THAT(result->error->message, Not(HasSubstr("cache")));
  EXPECT_NE(FactOf(*result->error, "referenceId"), "");
}

TEST_F(ReadRunnerTest, AFailureOfTheStoreUnderTheToolRefusesTheCall) {
  faulty_->fault = absl::DataLossError("a page is damaged");
  const auto result = Run(LookAtPlans);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(storage::IsFault(result.status()));
  EXPECT_EQ(call_->state.store_fault, result.status());
}

TEST_F(ReadRunnerTest, AToolThatDoesWithoutTheStoreIsAnswered) {
  faulty_->fault = absl::DataLossError("a page is damaged");
  const auto result = Run([](ToolContext&, ReadView& view) {
    return ToolOutput{.data_json = view.GetBlock("plans").ok() ? "true" : "false"};
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, "false");
  EXPECT_TRUE(call_->state.store_fault.ok());
}

TEST_F(ReadRunnerTest, WithoutASnapshotTheToolDoesNotRun) {
  bool ran = false;
  Prepare([&](ToolContext&, ReadView&) {
    ran = true;
    return ToolOutput{.data_json = "{}"};
  });
  unreliable_.refuse_reads = absl::UnavailableError("the disk is away");
  const auto away = Run();
  EXPECT_EQ(away.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(storage::IsFault(away.status()));
  unreliable_.refuse_reads = MakeError(ErrorCode::kTimeout, "no reader was free in time");
  EXPECT_EQ(CodeOf(Run()), ErrorCode::kTimeout);
  EXPECT_FALSE(ran);
}

TEST_F(ReadRunnerTest, ACallThatEndsWhileItsToolReadsIsInterrupted) {
  const auto left = Run([this](ToolContext& context, ReadView& view) {
    call_->cancellation.Cancel();
    return LookAtPlans(context, view);
  });
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_EQ(CodeOf(left), ErrorCode::kCancelled);
  EXPECT_EQ(left->failure_cause, FailureCause::kInterrupted);
  Prepare([this](ToolContext& context, ReadView& view) {
    clock_.Advance(absl::Seconds(5));
    return LookAtPlans(context, view);
  });
  call_->cancellation.Reset(clock_, clock_.Monotonic() + absl::Seconds(5));
  const auto late = Run();
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(CodeOf(late), ErrorCode::kTimeout);
  EXPECT_EQ(late->failure_cause, FailureCause::kInterrupted);
}

TEST_F(ReadRunnerTest, TextFromOutsideIsTakenInBeforeItIsAnswered) {
  const auto result = Run(Says(Outside(kAttack)));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->untrusted);
  EXPECT_EQ(result->boundary.size(), 32U);
  EXPECT_THAT(call_->state.findings, Not(IsEmpty()));
  EXPECT_TRUE(IsMarked());
}

TEST_F(ReadRunnerTest, TextWhoseConversationCannotBeMarkedIsWithheld) {
  unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(Run(Says(Outside("Sunny."))).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReadRunnerTest, ALongAnswerIsCutAndKept) {
  const std::string text = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')));
  const auto result = Run(Says({.data_json = text}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->truncated);
  EXPECT_LE(result->data_json.size(), kMaxResultBytes);
  EXPECT_EQ(KeptWhole(*result), text);
}

TEST_F(ReadRunnerTest, LongTextFromOutsideIsScannedBeforeItIsCut) {
  const auto result = Run(Says(Outside(std::string(3 * kMaxResultBytes, '.') + kAttack)));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->data_json, Not(HasSubstr("Ignore")));
  EXPECT_THAT(call_->state.findings, Not(IsEmpty()));
}

TEST_F(ReadRunnerTest, ALongAnswerIsGoodAlsoWhenItCannotBeKept) {
  unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
  const auto result = Run(Says({.data_json = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')))}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success && result->truncated);
  EXPECT_EQ(result->continuation, "");
}

TEST_F(ReadRunnerTest, AStepsAnswerStaysWhole) {
  const std::string text = DumpJson(Json(std::string(3 * kMaxResultBytes, 'x')));
  Prepare(Says({.data_json = text}));
  call_->step_of = security::StepOf{.call_id = "parent", .claim_id = "whole"};
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, text);
  EXPECT_EQ(unreliable_.commits, 0);
}

TEST_F(ReadRunnerTest, AnswerEndsACallThatAnotherRunnerBegan) {
  Prepare(LookAtPlans);
  ToolResult result;
  result.started_at = clock_.Now() - absl::Seconds(1);
  ASSERT_TRUE(reads_.Answer(*call_, Outside(kAttack), result).ok());
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.started_at, clock_.Now() - absl::Seconds(1));
  EXPECT_EQ(result.ended_at, clock_.Now());
  EXPECT_EQ(result.boundary.size(), 32U);
  ToolResult failed;
  ASSERT_TRUE(reads_.Answer(*call_, MakeError(ErrorCode::kNotFound, "no such page"), failed).ok());
  EXPECT_FALSE(failed.success);
  EXPECT_EQ(failed.error->code, ErrorCode::kNotFound);
  EXPECT_EQ(unreliable_.reads, 1) << "of the mark; the tool does not run";
}

TEST_F(ReadRunnerTest, BoundTakesInAndCutsWhatIsFilled) {
  Prepare(LookAtPlans);
  ToolResult trusted = testing::Success(R"({"a":1})");
  ASSERT_TRUE(reads_.Bound(*call_, trusted).ok());
  EXPECT_EQ(trusted.data_json, R"({"a":1})");
  EXPECT_EQ(trusted.boundary, "");
  EXPECT_FALSE(IsMarked());
  ToolResult outside = testing::Success(DumpJson(Json(std::string(3 * kMaxResultBytes, 'x'))));
  outside.untrusted = true;
  ASSERT_TRUE(reads_.Bound(*call_, outside).ok());
  EXPECT_TRUE(outside.truncated);
  EXPECT_EQ(outside.boundary.size(), 32U);
  EXPECT_TRUE(IsMarked());
}

TEST_F(ReadRunnerTest, RehearsesWithoutATransaction) {
  Prepare(LookAtPlans);
  EXPECT_FALSE(reads_.Rehearse(*call_)->has_value()) << "the tool has no such way";
  tool_.handlers.rehearse = [](ToolContext&, ReadView& view) -> absl::StatusOr<std::optional<executors::Rehearsal>> {
    ASSIGN_OR_RETURN(const storage::Block plans, view.GetBlock("plans"));
    executors::Rehearsal rehearsal;
    rehearsal.output.data_json = R"({"deletedCount":500})";
    rehearsal.changes.blocks.push_back({plans, std::nullopt});
    rehearsal.changes_omitted = 499;
    return rehearsal;
  };
  call_->dry_run = true;
  const auto result = reads_.Rehearse(*call_);
  ASSERT_TRUE(result.ok() && result->has_value()) << result.status();
  EXPECT_TRUE((*result)->success && (*result)->dry_run && (*result)->can_undo);
  EXPECT_EQ((*result)->data_json, R"({"deletedCount":500})");
  EXPECT_THAT((*result)->affected_block_ids, ::testing::ElementsAre("plans"));
  EXPECT_EQ((*result)->changes_omitted, 499u);
  EXPECT_EQ((*result)->affected_blocks_omitted, 499u);
  EXPECT_EQ(unreliable_.commits + unreliable_.dry_runs, 0);
}

TEST_F(ReadRunnerTest, ARehearsalMayLeaveTheCallToATransactionOrFail) {
  Prepare(LookAtPlans);
  tool_.handlers.rehearse = [](ToolContext&, ReadView&) -> absl::StatusOr<std::optional<executors::Rehearsal>> {
    return std::nullopt;
  };
  EXPECT_FALSE(reads_.Rehearse(*call_)->has_value());
  tool_.handlers.rehearse = [](ToolContext&, ReadView&) -> absl::StatusOr<std::optional<executors::Rehearsal>> {
    return MakeError(ErrorCode::kNotFound, "no such plans");
  };
  const auto failed = reads_.Rehearse(*call_);
  ASSERT_TRUE(failed.ok() && failed->has_value());
  EXPECT_EQ((*failed)->error->code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace toolgate::services::execution
