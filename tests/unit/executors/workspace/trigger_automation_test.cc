#include <string>
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
  EXPECT_EQ(harness_.deltas().size(), 2u);
  EXPECT_EQ(harness_.description(), "Ran automation \"Auto\"");
  EXPECT_EQ(harness_.Revert(harness_.deltas()), absl::OkStatus());
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

}  // namespace
}  // namespace toolgate::executors::workspace
