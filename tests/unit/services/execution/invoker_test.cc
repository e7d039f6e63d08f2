#include "services/execution/invoker.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_matchers.h"
#include "tests/unit/services/execution/runner_fixture.h"

namespace toolgate::services::execution {
namespace {

using executors::Acted;
using executors::EffectHandler;
using executors::EffectSession;
using executors::FlexibleHandler;
using executors::Plan;
using executors::PlanHandler;
using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolOutput;
using executors::WriteHandler;
using security::FailureCause;
using security::ToolResult;
using storage::ReadView;
using storage::Transaction;
using testing::FailsWith;
using ::testing::SizeIs;

class InvokerTest : public RunnerFixture {
 protected:
  InvokerTest() {
    step_tools_["make"] = ToolOf("make", PageMaker());
    step_tools_["fail"] = ToolOf("fail", WriteHandler([](ToolContext&, Transaction&) -> absl::StatusOr<ToolOutput> {
                                   return MakeError(ErrorCode::kConflict, "no");
                                 }));
    step_tools_["send"] = ToolOf("send", WriteHandler([](ToolContext&, Transaction&) {
                                   ToolOutput output = Outside("sent");
                                   output.reversible = false;
                                   return output;
                                 }));
  }

  // Invokes `run` in a transaction in which something has happened before, and commits it.
  absl::StatusOr<ToolOutput> Invoke(decltype(executors::ToolHandlers::run) run, const Planned* planned = nullptr) {
    tool_.handlers.run = std::move(run);
    call_ = CallOf(tool_);
    absl::StatusOr<ToolOutput> output;
    EXPECT_TRUE(InTransaction(*call_, [&](Transaction& tx) -> absl::Status {
                  result_ = ToolResult();
                  ledger_.BeginAttempt();
                  RETURN_IF_ERROR(before_(tx));
                  output = execution::Invoke(environment_, *call_, planned, ledger_, tx, result_);
                  return absl::OkStatus();
                }).ok());
    return output;
  }
  static absl::StatusOr<ToolOutput> RunStep(const ToolContext& context, std::string_view tool, Transaction& tx) {
    ASSIGN_OR_RETURN(const executors::StepResult step, context.steps->RunStep({tool, Json::object()}, tx));
    return ToolOutput{.data_json = step.data_json};
  }
  // Of each step: its tool, and whether it was taken back.
  std::vector<std::pair<std::string, bool>> Steps() const {
    std::vector<std::pair<std::string, bool>> steps;
    for (const v1::AuditEntry& entry : ledger_.entries()) steps.emplace_back(entry.tool_id(), entry.taken_back());
    return steps;
  }
  static Plan PlanOf(std::function<absl::Status(Transaction&)> commit) {
    return {ToolOutput{.data_json = R"("planned")"}, std::move(commit)};
  }
  static absl::Status OnePage(Transaction& tx) { return MakePage(tx).status(); }

  executors::Tool tool_ = ToolOf("tool", PageMaker());
  std::unique_ptr<security::ToolCall> call_;
  std::function<absl::Status(Transaction&)> before_ = [](Transaction&) { return absl::OkStatus(); };
  security::StepLedger ledger_;
  ToolResult result_;
};

TEST_F(InvokerTest, RunsAReadInTheTransaction) {
  before_ = OnePage;
  const auto output = Invoke(ReadHandler([](ToolContext&, ReadView& view) -> absl::StatusOr<ToolOutput> {
    storage::BlockQuery query;
    query.types = {"page"};
    ASSIGN_OR_RETURN(const storage::BlockPage pages, view.FindBlocks(query));
    return ToolOutput{.data_json = std::to_string(pages.blocks.size())};
  }));
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->data_json, "1") << "it sees what the transaction did before";
  EXPECT_TRUE(result_.changes.empty());
}

TEST_F(InvokerTest, RunsAWriteAndTellsWhatItAloneChanged) {
  before_ = OnePage;
  const auto output = Invoke(PageMaker());
  ASSERT_TRUE(output.ok()) << output.status();
  ASSERT_THAT(result_.changes.blocks, SizeIs(1));
  EXPECT_EQ(DumpJson(Json{{"id", result_.changes.blocks[0].after->id}}), output->data_json);
  EXPECT_EQ(Pages(), 2);
}

TEST_F(InvokerTest, RunsAFlexibleToolsFirstWay) {
  FlexibleHandler flexible;
  flexible.in_transaction = PageMaker();
  flexible.as_effect = [](ToolContext&, EffectSession&) -> absl::StatusOr<Acted> {
    ADD_FAILURE() << "ran as an effect";
    return Acted();
  };
  EXPECT_TRUE(Invoke(flexible).ok());
  EXPECT_EQ(Pages(), 1);
}

TEST_F(InvokerTest, WhatWaitsOrWorksForLongIsAConflictThatNamesTheTool) {
  const auto output = Invoke(EffectHandler([](ToolContext&, EffectSession&) -> absl::StatusOr<Acted> {
    ADD_FAILURE() << "ran within a transaction";
    return Acted();
  }));
  EXPECT_THAT(output, FailsWith(ErrorCode::kConflict, "tool waits for something outside of the workspace", ""));
  const auto planned = Invoke(PlanHandler([](ToolContext&, ReadView&) -> absl::StatusOr<Plan> {
    ADD_FAILURE() << "planned within a transaction";
    return Plan();
  }));
  EXPECT_THAT(planned, FailsWith(ErrorCode::kConflict, "works for long before it writes", ""));
}

TEST_F(InvokerTest, WritesAPlanThatWasMadeBefore) {
  const PlanHandler again = [](ToolContext&, ReadView&) -> absl::StatusOr<Plan> {
    ADD_FAILURE() << "planned again";
    return Plan();
  };
  const Planned planned = PlanOf(OnePage);
  const auto output = Invoke(again, &planned);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->data_json, R"("planned")");
  EXPECT_EQ(Pages(), 1);
  const Planned nothing_to_write = PlanOf(nullptr);
  EXPECT_TRUE(Invoke(again, &nothing_to_write).ok());
  const Planned failed = MakeError(ErrorCode::kNotFound, "there is no such page");
  EXPECT_THAT(Invoke(again, &failed), FailsWith(ErrorCode::kNotFound, "no such page", ""));
  const Planned outdated = PlanOf([](Transaction& tx) {
    EXPECT_TRUE(MakePage(tx).ok());
    return absl::AbortedError("the base has changed");
  });
  EXPECT_EQ(Invoke(again, &outdated).status(), absl::AbortedError("the base has changed"));
  EXPECT_EQ(Pages(), 1) << "it left nothing";
}

TEST_F(InvokerTest, AToolThatFailsLeavesNothingButWhatWasThereBefore) {
  before_ = OnePage;
  const auto output = Invoke(WriteHandler([](ToolContext&, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    EXPECT_TRUE(MakePage(tx).ok());
    EXPECT_TRUE(tx.RecordEffect({"kind", "payload"}).ok());
    return MakeError(ErrorCode::kConflict, "not now");
  }));
  EXPECT_THAT(output, FailsWith(ErrorCode::kConflict, "not now", ""));
  EXPECT_EQ(Pages(), 1);
  EXPECT_TRUE(result_.changes.empty());
  EXPECT_EQ(result_.failure_cause, FailureCause::kTool);
  EXPECT_TRUE(call_->state.store_fault.ok());
}

TEST_F(InvokerTest, ADefinitionBindsItsHandler) {
  struct Row {
    const char* name;
    bool definition_reversible;
    bool read_only;
    bool output_reversible;
    bool expected;
  };
  for (const Row& row : {Row{"both", true, false, true, true}, Row{"not this time", true, false, false, false},
                         Row{"never", false, false, true, false}, Row{"nothing to reverse", false, true, true, true}}) {
    tool_.definition.annotations.reversible = row.definition_reversible;
    tool_.definition.annotations.read_only = row.read_only;
    const auto output = Invoke(WriteHandler([&](ToolContext&, Transaction&) {
      return ToolOutput{.data_json = "{}", .reversible = row.output_reversible};
    }));
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_EQ(output->reversible, row.expected) << row.name;
  }
}

TEST_F(InvokerTest, SaysThatTheStoreFailedUnderTheTool) {
  faulty_->fault = absl::DataLossError("a page is damaged");
  EXPECT_EQ(Invoke(PageMaker()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(call_->state.store_fault.code(), absl::StatusCode::kDataLoss);
  faulty_->fault = absl::OkStatus();
  EXPECT_FALSE(Invoke(WriteHandler([](ToolContext&, Transaction&) -> absl::StatusOr<ToolOutput> {
                 return absl::DataLossError("the tool's own trouble");
               })).ok());
  EXPECT_TRUE(call_->state.store_fault.ok());
}

TEST_F(InvokerTest, AToolThatDidWithoutTheStoreHasNotFailed) {
  faulty_->fault = absl::DataLossError("a page is damaged");
  const auto output = Invoke(WriteHandler([this](ToolContext& context, Transaction& tx) {
    EXPECT_FALSE(RunStep(context, "make", tx).ok());
    EXPECT_FALSE(call_->state.store_fault.ok()) << "a step is the automation's";
    return ToolOutput{.data_json = "{}"};
  }));
  EXPECT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(call_->state.store_fault.ok());
}

TEST_F(InvokerTest, StepsRunInTheSameTransactionAndAreNoted) {
  const auto output = Invoke(WriteHandler([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(RunStep(context, "make", tx).status());
    return RunStep(context, "make", tx);
  }));
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(result_.changes.blocks, SizeIs(2));
  EXPECT_TRUE(output->reversible);
  EXPECT_FALSE(output->untrusted);
  EXPECT_THAT(Steps(), ::testing::ElementsAre(std::pair("make", false), std::pair("make", false)));
}

TEST_F(InvokerTest, MarksOfStepsAreMarksOfTheWhole) {
  const auto output = Invoke(WriteHandler([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(RunStep(context, "send", tx).status());
    return ToolOutput{.data_json = "{}"};
  }));
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(output->untrusted);
  EXPECT_FALSE(output->reversible);
}

TEST_F(InvokerTest, AStepThatFailsIsTheCauseAndTakesItsSiblingsBack) {
  const auto output = Invoke(WriteHandler([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
    RETURN_IF_ERROR(RunStep(context, "make", tx).status());
    return RunStep(context, "fail", tx);
  }));
  EXPECT_THAT(output, FailsWith(ErrorCode::kConflict, "no", ""));
  EXPECT_EQ(result_.failure_cause, FailureCause::kStep);
  EXPECT_THAT(Steps(), ::testing::ElementsAre(std::pair("make", true), std::pair("fail", false)));
  EXPECT_EQ(Pages(), 0);
}

TEST_F(InvokerTest, AFailureAfterItsStepsIsTheToolsOwn) {
  EXPECT_FALSE(Invoke(WriteHandler([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
                 EXPECT_FALSE(RunStep(context, "fail", tx).ok());
                 RETURN_IF_ERROR(RunStep(context, "make", tx).status());
                 return MakeError(ErrorCode::kConflict, "not after all");
               })).ok());
  EXPECT_EQ(result_.failure_cause, FailureCause::kTool);
  EXPECT_THAT(Steps(), ::testing::ElementsAre(std::pair("fail", false), std::pair("make", true)));
}

TEST_F(InvokerTest, StepsFromBeforeStay) {
  before_ = [this](Transaction&) {
    v1::AuditEntry earlier;
    earlier.set_tool_id("earlier");
    earlier.set_success(true);
    ledger_.AddEntry(earlier);
    return absl::OkStatus();
  };
  EXPECT_FALSE(Invoke(WriteHandler([](ToolContext& context, Transaction& tx) -> absl::StatusOr<ToolOutput> {
                 RETURN_IF_ERROR(RunStep(context, "make", tx).status());
                 return MakeError(ErrorCode::kConflict, "not after all");
               })).ok());
  EXPECT_THAT(Steps(), ::testing::ElementsAre(std::pair("earlier", false), std::pair("make", true)));
}

}  // namespace
}  // namespace toolgate::services::execution
