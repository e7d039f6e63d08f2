// Scope of a person's approval of an automation: the steps that were shown, and no others.
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/approval_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using security::ToolResult;
using testing::CodeOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AutomationApprovalTest : public testing::ApprovalFixture {
 protected:
  AutomationApprovalTest() : victim_(MakeBlock("page", {{"title", "Plans"}})) {}

  void MakeAutomation(const Json& steps) {
    automation_ = MakeBlock("automation", {{"title", "Auto"}, {"steps", steps}});
  }
  void SetSteps(const Json& steps) { Update(automation_, {{"steps", steps}}); }
  absl::StatusOr<ToolResult> Trigger(std::string_view token = "") {
    return Try("trigger_automation", {{"automationId", automation_}}, token);
  }
  security::ConfirmationRequest Ask() {
    return ApprovalFixture::Ask("trigger_automation", {{"automationId", automation_}});
  }

  Json Creates() const {
    return Json::array({{{"tool", "create_block"}, {"arguments", {{"type", "page"}, {"data", {{"title", "New"}}}}}}});
  }
  Json Deletes() const { return Json::array({{{"tool", "delete_block"}, {"arguments", {{"blockId", victim_}}}}}); }
  Json Reads() const { return Json::array({{{"tool", "get_block"}, {"arguments", {{"blockId", victim_}}}}}); }

  const std::string victim_;
  std::string automation_;
};

TEST_F(AutomationApprovalTest, HoldsForTheStepsThatWereShown) {
  MakeAutomation(Creates());
  const std::string token = Ask().token;
  SetSteps(Deletes());
  EXPECT_EQ(CodeOf(Trigger(token).status()), ErrorCode::kConflict);
  EXPECT_TRUE(Exists(victim_));
  SetSteps(Creates());
  EXPECT_TRUE(Trigger(token)->success) << "the token was not used up, and these are the steps that were approved";
}

TEST_F(AutomationApprovalTest, HoldsForNoAutomationThatIsTurnedOff) {
  MakeAutomation(Creates());
  const std::string token = Ask().token;
  Run("update_block", {{"blockId", automation_}, {"data", {{"enabled", false}}}});
  EXPECT_EQ(CodeOf(Trigger(token).status()), ErrorCode::kConflict);
}

TEST_F(AutomationApprovalTest, HoldsForNoAutomationThatIsGone) {
  (*config_.mutable_identity()->mutable_roles())["developer"].add_auto_approve("delete_block");
  Start();
  MakeAutomation(Creates());
  const std::string token = Ask().token;
  EXPECT_TRUE(Run("delete_block", {{"blockId", automation_}}).success);
  EXPECT_EQ(CodeOf(Trigger(token).status()), ErrorCode::kConflict);
}

TEST_F(AutomationApprovalTest, OutlivesAReloadThatChangesNothing) {
  for (const std::string_view role : {"a", "b", "c", "d", "e"}) {
    (*config_.mutable_identity()->mutable_roles())[std::string(role)].add_auto_approve("get_block");
  }
  Start();
  MakeAutomation(Creates());
  const std::string token = Ask().token;
  // The order in a configuration's maps may differ from one core to the next.
  for (int i = 0; i < 10; ++i) {
    core().Reload(config_);
    EXPECT_EQ(CodeOf(Try("trigger_automation", {{"automationId", "other"}}, token).status()), ErrorCode::kForbidden);
  }
  const auto result = Trigger(token);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->success);
}

// Arguments that are longer than a step's may be.
TEST_F(AutomationApprovalTest, DoesNotStandForAStepThatIsTooLong) {
  Json arguments = {{"data", {{"content", std::string(40'000, 'x')}, {"priority", "low"}}}, {"blockId", ""}};
  const std::string todo = MakeBlock("todo", {{"content", "New"}});
  arguments["blockId"] = todo;
  MakeAutomation(Json::array({{{"tool", "update_block"}, {"arguments", arguments}}}));
  const auto result = Trigger(Ask().token);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->error.has_value());
  EXPECT_EQ(result->error->code, ErrorCode::kForbidden);
  EXPECT_THAT(result->error->message, HasSubstr("more than 32768 bytes"));
  // The same change, short enough to be read.
  arguments["data"]["content"] = std::string(200, 'x');
  MakeAutomation(Json::array({{{"tool", "update_block"}, {"arguments", arguments}}}));
  EXPECT_THAT(Ask().summary, HasSubstr("  blockId: \"" + todo));
  EXPECT_TRUE(Trigger(Ask().token)->success);
}

// Values that a call's own context adds to the steps are part of the question.
TEST_F(AutomationApprovalTest, TheQuestionShowsWhatTheCallFillsIn) {
  MakeAutomation(Json::array({{{"tool", "delete_block"}, {"arguments", {{"blockId", "{{context.id}}"}}}}}));
  const Json arguments = {{"automationId", automation_},
                          {"context", {{"padding", std::string(5000, 'x')}, {"id", victim_}}}};
  const security::ConfirmationRequest question = ApprovalFixture::Ask("trigger_automation", arguments);
  EXPECT_THAT(question.summary, HasSubstr("step 1: delete_block\n  blockId: \"" + victim_ + "\"\n"));
  EXPECT_TRUE(Run("trigger_automation", arguments, question.token).success);
  EXPECT_FALSE(Exists(victim_));
}

TEST_F(AutomationApprovalTest, DoesNotStandForAStepThatTheCallFillsInWithMoreThanIsShown) {
  const std::string todo = MakeBlock("todo", {{"content", "New"}});
  MakeAutomation(Json::array(
      {{{"tool", "update_block"},
        {"arguments", {{"blockId", todo}, {"data", {{"content", "{{context.text}}"}, {"priority", "low"}}}}}}}));
  Json arguments = {{"automationId", automation_}, {"context", {{"text", std::string(40'000, 'x')}}}};
  const auto result = Run("trigger_automation", arguments, ApprovalFixture::Ask("trigger_automation", arguments).token);
  ASSERT_TRUE(result.error.has_value());
  EXPECT_EQ(result.error->code, ErrorCode::kForbidden);
  arguments["context"]["text"] = std::string(200, 'x');
  EXPECT_TRUE(
      Run("trigger_automation", arguments, ApprovalFixture::Ask("trigger_automation", arguments).token).success);
}

// The result of an earlier step is unknown, and can be influenced by anyone who can write the data that it reads.
TEST_F(AutomationApprovalTest, DoesNotStandForAStepThatAnEarlierOneFillsIn) {
  Json steps = Reads();
  steps.push_back({{"tool", "delete_block"}, {"arguments", {{"blockId", "{{steps.0.block.id}}"}}}});
  MakeAutomation(steps);
  const auto result = Trigger(Ask().token);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->error.has_value());
  EXPECT_EQ(result->error->code, ErrorCode::kForbidden);
  EXPECT_THAT(result->error->message, HasSubstr("hold what only earlier steps answer"));
  EXPECT_TRUE(Exists(victim_));
}

TEST_F(AutomationApprovalTest, IsNotAskedForWhatTheCallDoesNotSay) {
  MakeAutomation(Json::array({{{"tool", "delete_block"}, {"arguments", {{"blockId", "{{context.id}}"}}}}}));
  const auto result = Trigger();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->error.has_value());
  EXPECT_EQ(result->error->code, ErrorCode::kInvalidParams);
  EXPECT_THAT(result->error->message, HasSubstr("step 1 (delete_block)"));
}

TEST_F(AutomationApprovalTest, StepsThatChangeRightBeforeTheyRunDoNotRun) {
  MakeAutomation(Creates());
  const std::string token = Ask().token;
  store().BeforeNextCommit([&] { SetSteps(Deletes()); });
  EXPECT_EQ(CodeOf(Trigger(token).status()), ErrorCode::kConflict);
  EXPECT_TRUE(Exists(victim_));
}

TEST_F(AutomationApprovalTest, ThatNobodyNeedsToBeAskedHoldsForTheseStepsToo) {
  MakeAutomation(Reads());
  EXPECT_TRUE(Trigger()->success);
  store().BeforeNextCommit([&] { SetSteps(Creates()); });
  EXPECT_EQ(CodeOf(Trigger().status()), ErrorCode::kConflict);
  EXPECT_FALSE(Ask().token.empty());
}

// A role that approves an automation by itself does not approve its steps.
class AutoApprovedAutomationTest : public AutomationApprovalTest {
 protected:
  AutoApprovedAutomationTest() { AutoApprove("trigger_automation"); }
  void AutoApprove(std::string_view tool) {
    (*config_.mutable_identity()->mutable_roles())["developer"].add_auto_approve(std::string(tool));
    Start();
  }
  ToolResult TriggerSteps(const Json& steps, bool dry_run = false) {
    MakeAutomation(steps);
    const auto call = core().Call("trigger_automation");
    call->SetArguments({{"automationId", automation_}});
    call->dry_run = dry_run;
    auto result = core().Run(*call);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ToolResult();
  }
  static void ExpectStepRefused(const ToolResult& result) {
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error->code, ErrorCode::kForbidden);
    EXPECT_THAT(result.error->message, HasSubstr("this step needs a person's approval"));
  }
};

TEST_F(AutoApprovedAutomationTest, AStepThatNeedsAPersonIsRefused) {
  ExpectStepRefused(TriggerSteps(Deletes()));
  EXPECT_TRUE(Exists(victim_));
  EXPECT_TRUE(TriggerSteps(Creates()).success);
}

TEST_F(AutoApprovedAutomationTest, AStepThatTheRoleApprovesTooRuns) {
  AutoApprove("delete_block");
  EXPECT_TRUE(TriggerSteps(Deletes()).success);
  EXPECT_FALSE(Exists(victim_));
}

TEST_F(AutoApprovedAutomationTest, ADryRunNeedsNobody) {
  EXPECT_TRUE(TriggerSteps(Deletes(), /*dry_run=*/true).success);
  EXPECT_TRUE(Exists(victim_));
}

TEST_F(AutoApprovedAutomationTest, PolicyThatRequiresAPersonHoldsForStepsToo) {
  config_.mutable_confirmation()->add_require_for_tools("get_block");
  Start();
  ExpectStepRefused(TriggerSteps(Reads()));
}

TEST_F(AutoApprovedAutomationTest, AToolThatDecidesByItsArgumentsDecidesInTheTransaction) {
  const auto update = [](const Json& data) {
    return Json{{"tool", "update_block"}, {"arguments", {{"blockId", "{{steps.0.blockId}}"}, {"data", data}}}};
  };
  Json steps =
      Json::array({{{"tool", "create_block"}, {"arguments", {{"type", "todo"}, {"data", {{"content", "New"}}}}}}});
  steps.push_back(update({{"content", "Newer"}}));
  EXPECT_TRUE(TriggerSteps(steps).success);
  steps[1] = update({{"priority", "high"}});
  ExpectStepRefused(TriggerSteps(steps));
}

TEST_F(AutomationApprovalTest, CoversStepsThatWouldAskByThemselves) {
  MakeAutomation(Deletes());
  EXPECT_TRUE(Trigger(Ask().token)->success);
  EXPECT_FALSE(Exists(victim_));
}

TEST_F(AutomationApprovalTest, TheQuestionShowsEveryStepWhole) {
  Json steps = Creates();
  const std::string title = std::string(5000, 'x') + "; rm -rf .";
  steps[0]["arguments"]["data"]["title"] = title;
  steps.push_back({{"tool", "create_task"}, {"arguments", {{"title", "Write to ann@example.org"}}}});
  steps.push_back(Deletes()[0]);
  MakeAutomation(steps);
  const std::string summary = Ask().summary;
  EXPECT_THAT(summary, HasSubstr("\nstep 1: create_block\n"));
  EXPECT_THAT(summary, HasSubstr("\"title\": \"" + title + "\""));
  EXPECT_THAT(summary, HasSubstr("\nstep 2: create_task\n  title: \"Write to ann@example.org\"\n"));
  EXPECT_THAT(summary, HasSubstr("\nstep 3: delete_block\n  blockId: \"" + victim_ + "\"\n"));
}

}  // namespace
}  // namespace toolgate::services::core
