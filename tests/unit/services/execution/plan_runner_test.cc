#include "services/execution/plan_runner.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_core.h"
#include "tests/support/test_tools.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::services::execution {
namespace {

// Tools that do their work on a snapshot and write afterwards.

using executors::Plan;
using executors::PlanHandler;
using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolOutput;
using security::ToolResult;
using storage::ReadView;
using storage::Transaction;
using testing::CodeOf;
using testing::FailsWith;
using testing::TestCore;

// Counts in the document "count": each call plans the next number from the snapshot and writes it.
class PlanRunnerTest : public testing::StoreFixture {
 protected:
  PlanRunnerTest() {
    ToolDefinition definition = testing::MakeTool("count", 0).definition;
    definition.display_name = "Count";
    definition.confirmation = executors::ConfirmationRule::kConditional;
    executors::ToolHandlers row{"count", PlanHandler([this](ToolContext&, ReadView& view) { return MakePlan(view); })};
    row.preview = [this](ToolContext&, ReadView& view) {
      in_commit_ += dynamic_cast<Transaction*>(&view) != nullptr ? 1 : 0;
      executors::Preview preview;
      preview.needs_confirmation = false;
      if (digests_) preview.state_digest = Count(view);
      if (++previews_ == 1 && after_preview_ != nullptr) after_preview_();
      return preview;
    };
    core_ = std::make_unique<TestCore>(*store_, clock_, config::Load({}).value(),
                                       executors::Catalog::Create({definition}, {row}).value());
  }

  static std::string Count(ReadView& view) {
    const auto count = view.FindDocument("count", "one");
    EXPECT_TRUE(count.ok());
    return count->value_or("0");
  }
  absl::StatusOr<Plan> MakePlan(ReadView& view) {
    ++plans_;
    if (dynamic_cast<Transaction*>(&view) != nullptr) ++planned_in_commit_;
    if (!plan_error_.ok()) return plan_error_;
    const std::string base = Count(view);
    Plan plan;
    plan.output.data_json = std::to_string(std::stoi(base) + 1);
    plan.output.description = "Counted";
    if (only_reads_) return plan;
    if (meanwhile_ != nullptr) meanwhile_();
    plan.commit = [base, next = plan.output.data_json](Transaction& tx) -> absl::Status {
      if (Count(tx) != base) return absl::AbortedError("the count has changed");
      return tx.ChangeDocument("count", "one", next);
    };
    return plan;
  }
  // The action of another replica while a plan is made.
  void Set(const std::string& count) {
    Commit([&](Transaction& tx) { return tx.ChangeDocument("count", "one", count); });
  }
  std::string Stored() {
    std::string count;
    View([&](ReadView& view) {
      count = Count(view);
      return absl::OkStatus();
    });
    return count;
  }
  size_t AuditEntries() {
    core_->Flush();
    return AuditLog().size();
  }

  std::unique_ptr<TestCore> core_;
  std::atomic<int> plans_ = 0;
  std::atomic<int> planned_in_commit_ = 0;
  bool digests_ = true;  // Whether the preview depends on the count.
  int previews_ = 0;
  int in_commit_ = 0;                              // Of the previews.
  std::function<void()> after_preview_ = nullptr;  // The first one.
  bool only_reads_ = false;
  absl::Status plan_error_;
  std::function<void()> meanwhile_;
};

TEST_F(PlanRunnerTest, WhatWasPlannedIsCommittedWithItsRecords) {
  const auto result = core_->Run("count");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, "1");
  EXPECT_TRUE(result->can_undo);
  EXPECT_EQ(Stored(), "1");
  EXPECT_EQ(UndoStack().size(), 1u);
  EXPECT_EQ(AuditEntries(), 1u);
  EXPECT_EQ(plans_, 1);
}

TEST_F(PlanRunnerTest, APlanWithoutACommitIsARead) {
  digests_ = false;
  only_reads_ = true;
  const auto result = core_->Run("count");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, "1");
  EXPECT_EQ(Stored(), "0");
  EXPECT_EQ(UndoStack().size(), 0u);
  EXPECT_EQ(AuditEntries(), 1u);
}

TEST_F(PlanRunnerTest, TheStateIsCheckedOnThePlansSnapshotAndNotInTheCommit) {
  EXPECT_EQ(core_->Run("count")->data_json, "1");
  EXPECT_EQ(previews_, 2);
  EXPECT_EQ(in_commit_, 0);
}

TEST_F(PlanRunnerTest, AnotherStateThanThePreviewedIsAConflict) {
  after_preview_ = [this] { Set("7"); };
  const auto refused = core_->Run("count");
  EXPECT_EQ(CodeOf(refused.status()), ErrorCode::kConflict);
  EXPECT_EQ(plans_, 0);
  EXPECT_EQ(Stored(), "7");
}

TEST_F(PlanRunnerTest, AStateThatChangesAfterThePlanIsAConflictToo) {
  meanwhile_ = [this] {
    if (plans_ == 1) Set("10");
  };
  EXPECT_EQ(CodeOf(core_->Run("count").status()), ErrorCode::kConflict);
  EXPECT_EQ(Stored(), "10");
}

TEST_F(PlanRunnerTest, AnOutdatedPlanIsMadeAgain) {
  digests_ = false;
  meanwhile_ = [this] {
    if (plans_ == 1) Set("10");
  };
  EXPECT_EQ(core_->Run("count")->data_json, "11");
  EXPECT_EQ(Stored(), "11");
  EXPECT_EQ(plans_, 2);
  EXPECT_EQ(AuditEntries(), 1u) << "only the attempt that counted is on record";
}

TEST_F(PlanRunnerTest, NoPlanIsEverMadeInTheTransaction) {
  digests_ = false;
  meanwhile_ = [this] {
    if (plans_ <= 10) Set(std::to_string(100 * plans_));
  };
  EXPECT_EQ(core_->Run("count")->data_json, "1001");
  EXPECT_EQ(Stored(), "1001");
  EXPECT_EQ(plans_, 11);
  EXPECT_EQ(planned_in_commit_, 0);
}

TEST_F(PlanRunnerTest, APlanThatIsOutOfDateForEverIsAConflict) {
  digests_ = false;
  meanwhile_ = [this] { Set(std::to_string(100 * plans_)); };
  const auto result = core_->Run("count");
  EXPECT_THAT(result.status(), FailsWith(ErrorCode::kConflict, "changed by other calls", ""));
  EXPECT_TRUE(GetToolError(result.status())->retryable);
  EXPECT_EQ(planned_in_commit_, 0);
  EXPECT_EQ(Stored(), std::to_string(100 * plans_));
}

// Each of them plans a number, and all but one plan again.
TEST_F(PlanRunnerTest, CallsSideBySideAllCountInTheEnd) {
  digests_ = false;
  constexpr int kCalls = 16;
  std::vector<std::thread> threads;
  for (int i = 0; i < kCalls; ++i) {
    threads.emplace_back([this] { EXPECT_TRUE(core_->Run("count").ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Stored(), std::to_string(kCalls));
  EXPECT_EQ(planned_in_commit_, 0);
}

TEST_F(PlanRunnerTest, ADryRunAnswersAndKeepsNothing) {
  const auto call = core_->Call("count");
  call->dry_run = true;
  const auto result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data_json, "1");
  EXPECT_EQ(result->changes.documents.size(), 1u);
  EXPECT_EQ(Stored(), "0");
}

TEST_F(PlanRunnerTest, AKeyIsAnsweredAgainWithoutAnotherCommit) {
  for (const bool replayed : {false, true}) {
    const auto call = core_->Call("count");
    call->idempotency_key = "key";
    const auto result = core_->Run(*call);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->data_json, "1");
    EXPECT_EQ(result->replayed, replayed);
  }
  EXPECT_EQ(Stored(), "1");
}

TEST_F(PlanRunnerTest, AFailedPlanIsAFailedCallAndIsKeptUnderItsKey) {
  plan_error_ = MakeError(ErrorCode::kConflict, "no");
  for (const bool replayed : {false, true}) {
    const auto call = core_->Call("count");
    call->idempotency_key = "key";
    const auto result = core_->Run(*call);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(result->success);
    EXPECT_EQ(result->error->code, ErrorCode::kConflict);
    EXPECT_EQ(result->replayed, replayed);
  }
  EXPECT_EQ(plans_, 1);
  EXPECT_EQ(UndoStack().size(), 0u);
}

}  // namespace
}  // namespace toolgate::services::execution
