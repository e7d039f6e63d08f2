#include "services/execution/step_reversal.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executors/undo/undo_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/execution/claim_session.h"
#include "tests/support/event_log.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using executors::EffectSession;
using executors::ToolContext;
using storage::Effect;
using storage::SettledStep;
using storage::Transaction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An automation whose claim this process holds, and its settled steps; effects of the kind "outside" note their
// reversals.
class StepReversalTest : public RunnerFixture {
 protected:
  StepReversalTest() {
    undo_.handlers = executors::undo::UndoTool(
        nullptr, [this](std::string_view kind) { return kind == "outside" ? &reverser_ : nullptr; });
    environment_.undo = &undo_;
    Claim(kProcessId, clock_.Now() + kClaimGrace);
  }

  // Gives the automation's claim to `owner`.
  void Claim(std::string_view owner, absl::Time good_until) {
    storage::Claim claim;
    claim.id = parent_->audit_entry_id;
    claim.user_id = "ann";
    claim.owner = owner;
    claim.good_until = good_until;
    claim.checkpoint = "the automation's";
    const std::vector<storage::OpenClaim> earlier = Claims();
    Commit([&](Transaction& tx) -> absl::Status {
      for (const storage::OpenClaim& open : earlier) {
        RETURN_IF_ERROR(tx.DropClaim(open.claim.id, open.claim.owner).status());
      }
      return tx.PutClaim(claim);
    });
  }
  // Settles a step that makes a page and acts outside, once for each of `payloads`.
  SettledStep Settle(const std::vector<std::string>& payloads) {
    SettledStep step;
    step.claim_id = parent_->audit_entry_id;
    step.number = 1;
    step.audit_entry_id = "entry-1";
    step.tool_id = "make";
    const auto act = [&](Transaction& tx) -> absl::Status {
      ASSIGN_OR_RETURN(const storage::Block page, tx.CreateBlock({.type = "page", .data = "{}"}));
      page_ = page.id;
      for (const std::string& payload : payloads) RETURN_IF_ERROR(tx.RecordEffect({"outside", payload}));
      return absl::OkStatus();
    };
    const std::string owner = Claims().at(0).claim.owner;
    Commit([&](Transaction& tx) {
      absl::Status acted = tx.Nested([&] { return act(tx); }, &step.changes);
      return acted.ok() ? tx.PutSettledStep(step, owner).status() : acted;
    });
    return step;
  }
  absl::Status TakeBack(const SettledStep& step) { return StepReversal(environment_, *parent_).TakeBack(step); }

  size_t StepsLeft() const {
    size_t left = 0;
    View([&](storage::ReadView& view) {
      const auto steps = view.ListSettledSteps(parent_->audit_entry_id);
      if (steps.ok()) left = steps->size();
      return steps.status();
    });
    return left;
  }
  // Whether the step is as it was, and nothing says that anybody tried to take it back.
  void ExpectUntouched() const {
    EXPECT_EQ(Pages(), 1);
    EXPECT_EQ(StepsLeft(), 1U);
    EXPECT_THAT(AuditLog(), IsEmpty());
  }

  const executors::Tool automation_ = testing::MakeTool("trigger_automation", 0);
  const std::unique_ptr<security::ToolCall> parent_ = CallOf(automation_);
  std::string page_;
  // Called at each reversal; an error is its result.
  std::function<absl::Status(EffectSession&, std::string_view payload)> at_ = nullptr;
  std::vector<std::string> reversed_;
  const executors::AnyReverser reverser_ = executors::OutsideReverser(
      [this](const Effect& effect, ToolContext&, EffectSession& session) -> absl::StatusOr<Effect> {
        if (at_ != nullptr) RETURN_IF_ERROR(at_(session, effect.payload));
        reversed_.push_back(effect.payload);
        return Effect{"outside", "again " + effect.payload};
      });
  executors::Tool undo_ = testing::MakeTool("undo", 0);
};

TEST_F(StepReversalTest, LeavesNothingOfAStepButItsAuditEntry) {
  const SettledStep step = Settle({});
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_EQ(Pages(), 0);
  EXPECT_EQ(StepsLeft(), 0U);
  EXPECT_THAT(UndoStack(), IsEmpty()) << "nobody can redo a part of an automation";
  EXPECT_THAT(Claims(), SizeIs(1)) << "the automation is not settled yet";
  const auto log = AuditLog();
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].tool_id(), "undo");
  EXPECT_TRUE(log[0].success());
  EXPECT_EQ(log[0].params_json(), R"({"auditEntryId":"entry-1"})");
  EXPECT_EQ(log[0].parent_call_id(), parent_->id);
  EXPECT_EQ(log[0].user_id(), "ann");
  EXPECT_EQ(log[0].request_id(), "turn");
  EXPECT_THAT(log[0].affected_block_ids(), ElementsAre(page_));
}

TEST_F(StepReversalTest, TakesBackOutsideOfTheStoreFirstAndTheNewestFirst) {
  const SettledStep step = Settle({"1", "2"});
  at_ = [&](EffectSession&, std::string_view) {
    ExpectUntouched();
    return absl::OkStatus();
  };
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_THAT(reversed_, ElementsAre("2", "1"));
  EXPECT_EQ(Pages(), 0);
  EXPECT_EQ(unreliable_.commits, 2) << "one holds the claim, one does all the rest";
}

TEST_F(StepReversalTest, HoldsTheClaimForAsLongAsItMayTake) {
  const SettledStep step = Settle({"1"});
  at_ = [&](EffectSession&, std::string_view) {
    EXPECT_EQ(Claims().at(0).claim.good_until, clock_.Now() + kStepReversalTime + kClaimGrace);
    EXPECT_EQ(Claims().at(0).claim.checkpoint, "the automation's");
    clock_.Advance(absl::Seconds(30));
    return absl::OkStatus();
  };
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_EQ(Claims().at(0).claim.good_until, clock_.Now() + kStepReversalTime + kClaimGrace) << "and for the next one";
}

TEST_F(StepReversalTest, AClaimThatIsGoodForLongerStaysSo) {
  const absl::Time later = clock_.Now() + absl::Hours(1);
  Claim(kProcessId, later);
  EXPECT_TRUE(TakeBack(Settle({"1"})).ok());
  EXPECT_EQ(Claims().at(0).claim.good_until, later);
}

TEST_F(StepReversalTest, GivesReversersASessionOfTheirOwn) {
  testing::EventLog client;
  parent_->events = &client;
  const SettledStep step = Settle({"1"});
  at_ = [&](EffectSession& session, std::string_view) -> absl::Status {
    EXPECT_EQ(session.key(), "entry-1-undo") << "the same whenever the reversal is made again";
    EXPECT_EQ(session.checkpoint(), "");
    EXPECT_TRUE(session.Checkpoint("staged").ok());
    EXPECT_EQ(session.checkpoint(), "staged");
    EXPECT_EQ(Claims().at(0).claim.checkpoint, "the automation's");
    EXPECT_TRUE(session.Output("stdout", "one\n").ok());
    EXPECT_TRUE(session.Read([&](storage::ReadView& view) { return view.GetBlock(page_).status(); }).ok());
    fibers::Event event;
    EXPECT_EQ(session.Wait(event, absl::ZeroDuration()).value(), false);
    event.Set();
    EXPECT_EQ(session.Wait(event).value(), true);
    return absl::OkStatus();
  };
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_EQ(client.output, "") << "the client waits for the automation";
}

TEST_F(StepReversalTest, ACallThatIsOverIsTakenBackAllTheSame) {
  parent_->cancellation.Reset(clock_, clock_.Monotonic());
  parent_->cancellation.Cancel();
  EXPECT_TRUE(TakeBack(Settle({"1"})).ok());
  EXPECT_EQ(Pages(), 0);
}

// ---- Steps that cannot be taken back --------------------------------------------------------------------------------

TEST_F(StepReversalTest, AConflictOutsideIsAuditedAndLeavesTheStep) {
  const SettledStep step = Settle({"1", "2"});
  at_ = [](EffectSession&, std::string_view payload) {
    return payload == "1" ? MakeError(ErrorCode::kConflict, "the file has changed since") : absl::OkStatus();
  };
  EXPECT_EQ(testing::CodeOf(TakeBack(step)), ErrorCode::kConflict);
  EXPECT_THAT(reversed_, ElementsAre("2", "again 2"));
  EXPECT_EQ(Pages(), 1);
  EXPECT_EQ(StepsLeft(), 1U);
  const auto log = AuditLog("undo");
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_FALSE(log[0].success());
  EXPECT_EQ(log[0].error().code(), "CONFLICT");
}

TEST_F(StepReversalTest, AConflictInTheStoreBringsBackWhatWasTakenBackOutside) {
  const SettledStep step = Settle({"1", "2"});
  Commit([&](Transaction& tx) { return tx.UpdateBlock(page_, R"({"title":"by hand"})").status(); });
  EXPECT_EQ(testing::CodeOf(TakeBack(step)), ErrorCode::kConflict);
  EXPECT_THAT(reversed_, ElementsAre("2", "1", "again 1", "again 2"));
  EXPECT_EQ(Pages(), 1);
  EXPECT_EQ(StepsLeft(), 1U);
  const auto log = AuditLog();
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].error().code(), "CONFLICT");
  EXPECT_THAT(log[0].affected_block_ids(), IsEmpty());
}

TEST_F(StepReversalTest, AKindOfEffectThatNobodyTakesBackIsFinal) {
  SettledStep step = Settle({"1"});
  step.changes.effects.push_back({"gone", "2"});
  EXPECT_EQ(testing::CodeOf(TakeBack(step)), ErrorCode::kCannotUndo);
  EXPECT_THAT(reversed_, IsEmpty());
  EXPECT_EQ(StepsLeft(), 1U);
  EXPECT_EQ(AuditLog("undo").at(0).error().code(), "CANNOT_UNDO");
}

TEST_F(StepReversalTest, WithoutUndoNoStepCanBeTakenBack) {
  const SettledStep step = Settle({"1"});
  undo_.handlers.reverse = nullptr;
  EXPECT_EQ(testing::CodeOf(TakeBack(step)), ErrorCode::kCannotUndo);
  environment_.undo = nullptr;
  EXPECT_EQ(testing::CodeOf(TakeBack(step)), ErrorCode::kCannotUndo);
  EXPECT_EQ(Pages(), 1);
  EXPECT_EQ(StepsLeft(), 1U);
  const auto log = AuditLog("undo");
  ASSERT_THAT(log, SizeIs(2));
  EXPECT_FALSE(log[0].success() || log[1].success());
}

// ---- Reversals that fail for now ------------------------------------------------------------------------------------

TEST_F(StepReversalTest, AFailureThatMayPassIsNoToolErrorAndIsNotAudited) {
  const SettledStep step = Settle({"1"});
  absl::Status failure;
  at_ = [&](EffectSession&, std::string_view) { return failure; };
  for (const absl::Status& status :
       {MakeError(ErrorCode::kOverloaded, "busy"), MakeError(ErrorCode::kTimeout, "late"),
        MakeError(ErrorCode::kCancelled, "gone"), absl::UnavailableError("away"), absl::InternalError("broken")}) {
    failure = status;
    const absl::Status taken_back = TakeBack(step);
    EXPECT_FALSE(taken_back.ok()) << status;
    EXPECT_FALSE(GetToolError(taken_back).has_value()) << status;
    ExpectUntouched();
  }
  at_ = nullptr;
  EXPECT_TRUE(TakeBack(step).ok()) << "in the end";
}

TEST_F(StepReversalTest, ItsTimeIsBounded) {
  const SettledStep step = Settle({"1"});
  at_ = [&](EffectSession& session, std::string_view) {
    clock_.Advance(kStepReversalTime);
    EXPECT_EQ(testing::CodeOf(session.Output("stdout", "one\n")), ErrorCode::kTimeout);
    return absl::OkStatus();
  };
  const absl::Status taken_back = TakeBack(step);
  EXPECT_EQ(taken_back.code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(GetToolError(taken_back).has_value());
  ExpectUntouched();
}

TEST_F(StepReversalTest, AStoreThatFailsStopsItBeforeItActs) {
  const SettledStep step = Settle({"1"});
  unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(TakeBack(step).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(reversed_, IsEmpty());
  ExpectUntouched();
}

TEST_F(StepReversalTest, AnInterruptedReversalIsMadeAgain) {
  const SettledStep step = Settle({"1"});
  at_ = [&](EffectSession&, std::string_view) {
    unreliable_.refuse_commits = absl::UnavailableError("the disk is full");
    return absl::OkStatus();
  };
  EXPECT_EQ(TakeBack(step).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(reversed_, ElementsAre("1")) << "not brought back: the rest is to follow";
  ExpectUntouched();
  at_ = nullptr;
  unreliable_.refuse_commits = absl::OkStatus();
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_THAT(reversed_, ElementsAre("1", "1"));
  EXPECT_EQ(Pages(), 0);
}

TEST_F(StepReversalTest, AStoreThatRetriesTakesBackOnce) {
  const SettledStep step = Settle({"1"});
  unreliable_.retries = 2;
  EXPECT_TRUE(TakeBack(step).ok());
  EXPECT_THAT(reversed_, ElementsAre("1"));
  EXPECT_THAT(AuditLog(), SizeIs(1));
  EXPECT_THAT(AuditLog()[0].affected_block_ids(), ElementsAre(page_));
}

TEST_F(StepReversalTest, AConflictThatCannotBringBackIsLeftForLater) {
  const SettledStep step = Settle({"1"});
  Commit([&](Transaction& tx) { return tx.UpdateBlock(page_, R"({"title":"by hand"})").status(); });
  at_ = [](EffectSession&, std::string_view payload) {
    return payload == "1" ? absl::OkStatus() : MakeError(ErrorCode::kConflict, "the file has changed since");
  };
  const absl::Status taken_back = TakeBack(step);
  EXPECT_EQ(taken_back.code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(GetToolError(taken_back).has_value());
  ExpectUntouched();
}

TEST_F(StepReversalTest, AStepOfAClaimThatIsAnothersIsLeftToIt) {
  Claim("another process", clock_.Now() + kClaimGrace);
  const SettledStep step = Settle({"1"});
  EXPECT_EQ(TakeBack(step).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(reversed_, IsEmpty());
  ExpectUntouched();
}

TEST_F(StepReversalTest, AClaimThatIsLostMeanwhileStopsIt) {
  const SettledStep step = Settle({"1", "2"});
  at_ = [&](EffectSession& session, std::string_view payload) {
    if (payload == "1") return absl::OkStatus();
    Commit([&](Transaction& tx) {
      return tx.TakeOverClaim(step.claim_id, kProcessId, "another process", clock_.Now() + kClaimGrace).status();
    });
    EXPECT_EQ(session.Checkpoint("staged").code(), absl::StatusCode::kAborted);
    EXPECT_EQ(session.checkpoint(), "");
    return absl::OkStatus();
  };
  EXPECT_EQ(TakeBack(step).code(), absl::StatusCode::kAborted);
  EXPECT_THAT(reversed_, ElementsAre("2", "1")) << "which the other process finds and does not mind";
  ExpectUntouched();
}

}  // namespace
}  // namespace toolgate::services::execution
