#include "executors/workspace/trigger_automation.h"

#include <string>
#include <variant>
#include <vector>

#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class TriggerAutomationTest : public WorkspaceTest {
 protected:
  std::string Automation(const std::string& steps, const std::string& more = "") {
    return Create("automation", "", R"({"title": "Auto", "steps": )" + steps + more + "}");
  }
  absl::StatusOr<Json> Trigger(const std::string& id, const Json& context = Json::object()) {
    return Call("trigger_automation", {{"automationId", id}, {"context", context}});
  }
};

TEST_F(TriggerAutomationTest, RunsItsStepsWithTemplatesAndUndoesAsOne) {
  const std::string id = Automation(R"([
      {"tool": "create_block", "arguments": {"type": "page", "data": {"title": "{{context.name}} on {{today}}"}}},
      {"tool": "create_task", "arguments": {"title": "Start {{steps.0.block.data.title}}", "dueDate": "{{now}}"}},
      {"tool": "get_block", "arguments": {"blockId": "{{steps.0.blockId}}", "depth": "{{context.depth}}"}}])");
  const std::string before = harness_.Snapshot();
  harness_.caller().time_zone = "Pacific/Honolulu";
  const absl::StatusOr<Json> result = Trigger(id, {{"name", "Apollo"}, {"depth", 2}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)["success"], true);
  EXPECT_EQ((*result)["executionId"].get<std::string>().size(), 26u);
  const Json steps = (*result)["result"]["steps"];
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0]["result"]["block"]["data"]["title"], "Apollo on 2026-03-01");
  EXPECT_EQ(steps[1]["result"]["task"]["title"], "Start Apollo on 2026-03-01");
  EXPECT_EQ(steps[1]["result"]["task"]["dueDate"], "2026-03-02T09:00:00Z");
  EXPECT_EQ(steps[2]["result"]["block"]["id"], steps[0]["result"]["blockId"]);
  EXPECT_EQ(harness_.changes().blocks.size(), 2u);
  EXPECT_EQ(harness_.description(), "Ran automation \"Auto\"");
  EXPECT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(TriggerAutomationTest, AFailingStepTakesAllBackAndIsNamed) {
  const std::string id = Automation(R"([
      {"tool": "create_block", "arguments": {"type": "page", "data": {"title": "x"}}},
      {"tool": "delete_block", "arguments": {"blockId": "{{context.victim}}"}}])");
  const std::string before = harness_.Snapshot();
  const absl::StatusOr<Json> result = Trigger(id, {{"victim", "nowhere"}});
  EXPECT_THAT(result, FailsWith(ErrorCode::kNotFound, "step 2 (delete_block) failed", ""));
  const std::vector<std::pair<std::string, std::string>> facts = GetToolError(result.status())->facts;
  EXPECT_THAT(facts, ::testing::Contains(std::make_pair(std::string("step"), std::string("1"))));
  EXPECT_THAT(facts, ::testing::Contains(std::make_pair(std::string("tool"), std::string("delete_block"))));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(TriggerAutomationTest, RefusesWhatCannotBe) {
  const std::string before_page = Create("page", "", R"({"title": "P"})");
  EXPECT_THAT(Trigger(before_page), FailsWith(ErrorCode::kInvalidParams, "must name an automation", "/automationId"));
  EXPECT_THAT(Trigger("nowhere"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(Trigger(Automation(R"([{"tool": "get_block"}])", R"(, "enabled": false)")),
              FailsWith(ErrorCode::kConflict, "turned off", ""));
  EXPECT_THAT(Trigger(Automation(R"([{"tool": "trigger_automation", "arguments": {"automationId": "x"}}])")),
              FailsWith(ErrorCode::kConflict, "cannot trigger each other", ""));
  EXPECT_THAT(Trigger(Automation(R"([{"tool": "no_such_tool"}])")),
              FailsWith(ErrorCode::kUnknownTool, "step 1 (no_such_tool)", ""));
  EXPECT_THAT(Trigger(Automation(R"([{"tool": "get_block", "arguments": {"blockId": "{{steps.0.id}}"}}])")),
              FailsWith(ErrorCode::kInvalidParams, "{{steps.0.id}} names nothing", ""));
  EXPECT_THAT(Trigger(Automation(R"([{"tool": "get_block", "arguments": {"blockId": 5}}])")),
              FailsWith(ErrorCode::kInvalidParams, "step 1 (get_block)", "/blockId"));
  std::string many = "[";
  for (int i = 0; i < 51; ++i) many += i == 0 ? R"({"tool": "get_block"})" : R"(,{"tool": "get_block"})";
  EXPECT_THAT(Call("create_block", {{"type", "automation"}, {"data", {{"title", "x"}, {"steps", Parse(many + "]")}}}}),
              FailsWith(ErrorCode::kInvalidParams, "1 to 50 steps", "/data/steps"));
}

TEST_F(TriggerAutomationTest, AsksFirstUnlessAllStepsOnlyRead) {
  const auto preview = [&](const std::string& steps) {
    return *harness_.PreviewOf("trigger_automation", {{"automationId", Automation(steps)}});
  };
  EXPECT_FALSE(preview(R"([{"tool": "get_block"}, {"tool": "list_tasks"}])").needs_confirmation);
  EXPECT_TRUE(preview(R"([{"tool": "no_such_tool"}])").needs_confirmation);
  const Preview mixed = preview(R"([{"tool": "list_tasks"}, {"tool": "create_task"}])");
  EXPECT_TRUE(mixed.needs_confirmation);
  EXPECT_EQ(mixed.summary, "Run automation \"Auto\": list_tasks and create_task");
}

// Returns a page for "look", and makes the irreversible effect of "pay".
class FakeSteps final : public StepRunner {
 public:
  absl::StatusOr<StepResult> RunStep(const Step& step, storage::Transaction&) override {
    if (step.tool_id == "fail") return MakeError(ErrorCode::kConflict, "no");
    return StepResult{.data_json = "{}", .reversible = step.tool_id != "pay"};
  }
};

class IrreversibleStepTest : public TriggerAutomationTest {
 private:
  template <typename Function>
  auto With(const std::string& steps, Function function) {
    const Json arguments{{"automationId", Automation(steps)}};
    FakeSteps runner;
    const fibers::Cancellation cancellation;
    ToolContext context{arguments,
                        harness_.caller(),
                        harness_.clock().Now(),
                        absl::UTCTimeZone(),
                        cancellation,
                        IdSource::Real(),
                        false,
                        &runner};
    using Answer = decltype(function(context, std::declval<storage::Transaction&>()));
    Answer answer = absl::UnknownError("did not run");
    const storage::WriteContext write{harness_.caller().workspace_id, "ann", "change", harness_.clock().Now()};
    const absl::Status status = harness_.store().Commit(write, storage::CommitMode::kDryRun, cancellation,
                                                        [&](storage::Transaction& tx) -> absl::Status {
                                                          answer = function(context, tx);
                                                          return absl::OkStatus();
                                                        });
    EXPECT_TRUE(status.ok()) << status;
    return answer;
  }

 protected:
  absl::StatusOr<ToolOutput> Run(const std::string& steps) {
    return With(steps, [](ToolContext& context, storage::Transaction& tx) {
      return std::get<FlexibleHandler>(Tool().run).in_transaction(context, tx);
    });
  }
  absl::StatusOr<Preview> PreviewOf(const std::string& steps) {
    return With(steps, [](ToolContext& context, storage::Transaction& tx) {
      return std::get<WorkspacePreview>(Tool().preview)(context, tx);
    });
  }
  static ToolHandlers Tool() {
    return TriggerAutomationTool([](std::string_view id) {
      return ToolTraits{
          .read_only = id == "look", .reversible = id != "pay" && id != "mail", .settles_alone = id == "mail"};
    });
  }
};

TEST_F(IrreversibleStepTest, IsSaidBeforeAndAfter) {
  const std::string steps = R"([{"tool": "look"}, {"tool": "pay"}, {"tool": "look"}])";
  const auto preview = PreviewOf(steps);
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_FALSE(preview->reversible);
  EXPECT_EQ(preview->undo_summary, "It cannot be undone, because what step 2 (pay) does cannot be taken back.");
  const auto output = Run(steps);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->description, "Ran automation \"Auto\"; cannot be undone because of step 2 (pay)");
  const Json answer = Parse(output->data_json)["result"]["steps"];
  EXPECT_EQ(answer[1]["reversible"], false);
  EXPECT_FALSE(answer[0].contains("reversible"));
  EXPECT_TRUE(PreviewOf(R"([{"tool": "look"}])")->reversible);
}

TEST_F(IrreversibleStepTest, AFailureDoesNotClaimThatItWasTakenBack) {
  const auto output = Run(R"([{"tool": "pay"}, {"tool": "fail"}])");
  EXPECT_THAT(output, FailsWith(ErrorCode::kConflict, "but what step 1 (pay) did cannot be taken back", ""));
  EXPECT_THAT(Run(R"([{"tool": "look"}, {"tool": "fail"}])"),
              FailsWith(ErrorCode::kConflict, "failed and nothing of the automation was kept:", ""));
}

TEST_F(IrreversibleStepTest, AnEffectIsNoPartOfATransaction) {
  const auto output = Run(R"([{"tool": "look"}, {"tool": "mail"}])");
  EXPECT_EQ(output.status().code(), absl::StatusCode::kAborted) << output.status();
  EXPECT_FALSE(GetToolError(output.status()).has_value());
}

TEST_F(IrreversibleStepTest, TheQuestionSaysWhatAFailureOfASagaTakesBack) {
  EXPECT_EQ(PreviewOf(R"([{"tool": "look"}])")->summary, "Run automation \"Auto\": look");
  const auto preview = PreviewOf(R"([{"tool": "make"}, {"tool": "mail"}])");
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(
      preview->summary,
      "Run automation \"Auto\": make and mail; each step settles by itself, and if one fails, those before it are "
      "taken back, the newest first, but not what step 2 (mail) did");
}

}  // namespace
}  // namespace toolgate::executors::workspace
