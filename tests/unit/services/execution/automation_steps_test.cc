#include "services/execution/automation_steps.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_core.h"
#include "tests/support/test_tools.h"
#include "tests/support/unreliable_store.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::execution {
namespace {

// Effects of an automation's steps on the whole: charges, once each, and marks.

using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolHandlers;
using executors::ToolOutput;
using executors::WriteHandler;
using security::ToolResult;
using ::testing::ElementsAre;
using testing::TestCore;

ToolDefinition Definition(std::string_view id) {
  ToolDefinition definition = testing::MakeTool(id, 0).definition;
  definition.display_name = id;
  return definition;
}

using Steps = std::vector<std::string>;

// Each attempt takes the next of `runs`, and later ones take the last.
class Automation {
 public:
  explicit Automation(std::vector<Steps> runs) : runs_(std::move(runs)) {}

  absl::StatusOr<ToolOutput> operator()(ToolContext& context, storage::Transaction& tx) {
    for (const std::string& tool : runs_[std::min(attempt_++, runs_.size() - 1)]) {
      const auto answer = context.steps->RunStep({tool, Json::object()}, tx);
      if (!answer.ok()) return answer.status();
    }
    return ToolOutput{.data_json = "{}", .description = "Ran"};
  }

 private:
  std::vector<Steps> runs_;
  size_t attempt_ = 0;
};

// Place in which the steps run.
enum class Place { kInTheTransaction, kInADryRun };

ToolHandlers RowOf(Place place, Automation automation) {
  if (place == Place::kInTheTransaction) return {"automation", WriteHandler(std::move(automation))};
  executors::FlexibleHandler flexible;
  flexible.in_transaction = std::move(automation);
  flexible.as_effect = [](ToolContext&, executors::EffectSession&) -> absl::StatusOr<executors::Acted> {
    return absl::InternalError("ran as an effect");
  };
  flexible.apply = [](storage::Transaction& tx, const storage::Changes& changes) { return tx.Apply(changes); };
  ToolHandlers row{"automation", flexible};
  row.recover = [](ToolContext&, executors::EffectSession&) { return executors::Recovered(); };
  return row;
}

// The store runs every transaction twice before it commits, as one that must retry.
class AutomationStepsTest : public testing::StoreFixture, public ::testing::WithParamInterface<Place> {
 protected:
  AutomationStepsTest() {
    unreliable_.retries = 2;
    config_ = config::Load({}).value();
    for (const char* tool : {"create", "pay", "fetch"}) {
      auto& window = *(*config_.mutable_rate_limiting()->mutable_tools())[tool].add_windows();
      window.set_audience("any");
      window.set_max_calls(100);
      window.mutable_window()->set_seconds(3600);
    }
  }

  void Make(std::vector<Steps> runs) {
    std::vector<ToolDefinition> definitions = {Definition("automation"), Definition("create"), Definition("pay"),
                                               Definition("fetch")};
    definitions[2].annotations.reversible = false;
    // Cost of a call of a model.
    definitions[3].annotations.open_world = true;
    definitions.push_back(Definition("fail"));
    definitions[3].executor["tokensPerCall"] = 10;
    const auto create = [](ToolContext&, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
      const auto block = tx.CreateBlock({"", "page", "", "{}", std::nullopt});
      if (!block.ok()) return block.status();
      return ToolOutput{.data_json = "{}", .description = "Created"};
    };
    const auto pay = [](ToolContext&, storage::Transaction&) { return ToolOutput{.data_json = "{}"}; };
    const auto fetch = [](ToolContext&, storage::Transaction&) {
      return ToolOutput{.data_json = "{}", .tokens_used = 10, .untrusted = true};
    };
    const auto fail = [](ToolContext&, storage::Transaction&) -> absl::StatusOr<ToolOutput> {
      return MakeError(ErrorCode::kConflict, "no");
    };
    core_ = std::make_unique<TestCore>(
        unreliable_, clock_, config_,
        executors::Catalog::Create(
            std::move(definitions),
            {RowOf(GetParam(), Automation(std::move(runs))), ToolHandlers{"create", WriteHandler(create)},
             ToolHandlers{"pay", WriteHandler(pay)}, ToolHandlers{"fetch", WriteHandler(fetch)},
             ToolHandlers{"fail", WriteHandler(fail)}})
            .value());
  }
  ToolResult Run(std::string_view tool = "automation") {
    auto result = core_->Run(tool);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(ToolResult());
  }
  // Oldest first: the tool, its outcome, and whether it was taken back.
  std::vector<std::string> Audited() {
    core_->Flush();
    std::vector<std::string> lines;
    for (const v1::AuditEntry& entry : AuditLog()) {
      lines.insert(lines.begin(), entry.tool_id() + " " + entry.outcome() + (entry.taken_back() ? " taken back" : "") +
                                      (entry.dry_run() ? " dry run" : ""));
    }
    return lines;
  }
  int64_t Charged(std::string_view tool) {
    const auto usage = core_->core().rate_limit().ListQuotaUsage("w", "ann");
    EXPECT_TRUE(usage.ok());
    for (const auto& row : *usage) {
      if (row.tool_id == tool) return row.used;
    }
    return 0;
  }

  testing::UnreliableStore unreliable_{*store_};
  toolgate::config::v1::Config config_;
  std::unique_ptr<TestCore> core_;
};

TEST_P(AutomationStepsTest, AStepIsChargedOnceHoweverOftenItsTransactionRuns) {
  Make({Steps{"create", "pay", "create"}});
  EXPECT_TRUE(Run().success);
  EXPECT_EQ(Charged("create"), 2);
  EXPECT_EQ(Charged("pay"), 1);
  EXPECT_TRUE(Run().success);
  EXPECT_EQ(Charged("create"), 4) << "another call is charged anew";
}

TEST_P(AutomationStepsTest, AStepThatOnlyALaterAttemptTakesIsChargedToo) {
  Make({Steps{"create"}, Steps{"pay", "create", "create"}});
  EXPECT_TRUE(Run().success);
  EXPECT_EQ(Charged("create"), 2);
  EXPECT_EQ(Charged("pay"), 1);
}

TEST_P(AutomationStepsTest, ALimitHoldsInEveryAttempt) {
  (*config_.mutable_rate_limiting()->mutable_tools())["create"].mutable_windows(0)->set_max_calls(3);
  Make({Steps{"create", "create"}});
  EXPECT_TRUE(Run().success);
  const ToolResult second = Run();
  ASSERT_TRUE(second.error.has_value());
  EXPECT_EQ(second.error->code, ErrorCode::kRateLimited);
}

TEST_P(AutomationStepsTest, TokensAreCountedOnceToo) {
  (*config_.mutable_provenance()->mutable_tools())["fetch"] = toolgate::config::v1::PROVENANCE_ACTION_ALLOW;
  Make({Steps{"fetch", "fetch"}});
  const auto with_tokens = [&](int64_t max) {
    const auto call = core_->Call("automation");
    call->request_id = "turn-" + std::to_string(max);
    call->budget.max_tokens = max;
    return core_->Run(*call);
  };
  EXPECT_TRUE(with_tokens(20)->success);
  EXPECT_EQ(with_tokens(19)->error->code, ErrorCode::kQuotaExceeded);
}

TEST_P(AutomationStepsTest, EveryStepIsAuditedOnceBeforeTheWhole) {
  Make({Steps{"create", "pay"}});
  EXPECT_TRUE(Run().success);
  EXPECT_THAT(Audited(), ElementsAre("create OK", "pay OK", "automation OK"));
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

TEST_P(AutomationStepsTest, StepsOfAFailedAutomationAreAuditedOnceAsTakenBack) {
  Make({Steps{"create", "fail", "create"}});
  EXPECT_FALSE(Run().success);
  EXPECT_THAT(Audited(), ElementsAre("create OK taken back", "fail CONFLICT", "automation CONFLICT"));
}

TEST_P(AutomationStepsTest, TheStoresOwnSecondRunDoublesNoEntry) {
  unreliable_.retries = 0;
  Make({Steps{"create", "fail"}});
  EXPECT_FALSE(Run().success);
  EXPECT_THAT(Audited(), ElementsAre("create OK taken back", "fail CONFLICT", "automation CONFLICT"));
}

TEST_P(AutomationStepsTest, OnlyTheStepsOfTheLastAttemptAreAudited) {
  Make({Steps{"fail"}, Steps{"pay", "pay"}, Steps{"create", "no_such_tool"}});
  EXPECT_FALSE(Run().success);
  EXPECT_THAT(Audited(), ElementsAre("create OK taken back", "no_such_tool UNKNOWN_TOOL", "automation UNKNOWN_TOOL"));
}

TEST_P(AutomationStepsTest, StepsOfADryRunAreAuditedOnceToo) {
  Make({Steps{"create", "pay"}});
  const auto call = core_->Call("automation");
  call->dry_run = true;
  EXPECT_TRUE(core_->Run(*call)->success);
  EXPECT_THAT(Audited(), ElementsAre("create OK dry run", "pay OK dry run", "automation OK dry run"));
}

TEST_P(AutomationStepsTest, StepsThatTheStoreCouldNotCommitAreAuditedAsTakenBack) {
  unreliable_.fail_commits = absl::UnavailableError("the disk is full");
  Make({Steps{"create"}});
  const auto call = core_->Call("automation");
  EXPECT_FALSE(core_->Run(*call).ok());
  EXPECT_THAT(Audited(), ElementsAre("create OK taken back", ::testing::StartsWith("automation ")));
}

TEST_P(AutomationStepsTest, OneIrreversibleStepMakesTheWholeIrreversible) {
  Make({Steps{"create", "pay"}});
  const ToolResult result = Run();
  EXPECT_TRUE(result.success);
  EXPECT_FALSE(result.can_undo);
  View([&](storage::ReadView& view) {
    const auto entry = view.FindUndoEntry("ann", result.undo_entry_id);
    EXPECT_TRUE(entry.ok() && entry->has_value());
    EXPECT_FALSE((*entry)->reversible);
    return absl::OkStatus();
  });
}

TEST_P(AutomationStepsTest, ReversibleStepsLeaveItReversible) {
  Make({Steps{"create", "create"}});
  const ToolResult result = Run();
  EXPECT_TRUE(result.can_undo);
  EXPECT_FALSE(result.untrusted);
}

TEST_P(AutomationStepsTest, AnUntrustedStepMarksTheResultAndTheConversation) {
  Make({Steps{"fetch", "create"}});
  const auto call = core_->Call("automation", "c1");
  const auto result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success);
  EXPECT_TRUE(result->untrusted);
  EXPECT_EQ(result->boundary.size(), 32u);
  EXPECT_TRUE(call->state.conversation_untrusted);
  const auto next = core_->Call("pay", "c1");
  EXPECT_TRUE(core_->Run(*next)->confirmation.has_value());
}

INSTANTIATE_TEST_SUITE_P(Places, AutomationStepsTest, ::testing::Values(Place::kInTheTransaction, Place::kInADryRun),
                         [](const ::testing::TestParamInfo<Place>& place) {
                           return place.param == Place::kInADryRun ? "InADryRun" : "InTheTransaction";
                         });

}  // namespace
}  // namespace toolgate::services::execution
