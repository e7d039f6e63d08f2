#include "services/execution/saga_steps.h"

#include "gmock/gmock.h"
#include "tests/support/effect_fixture.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::execution {
namespace {

using security::ToolResult;
using ::testing::ElementsAre;
using testing::FactOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Leaves a handler as a process does that ends. tests/integration/saga_crash_test.cc ends real ones.
struct SagaEnded {};

Json Write(const std::string& name, const std::string& text) {
  return {{"tool", "scratch_write"}, {"arguments", {{"name", name}, {"text", text}}}};
}
Json Plain() { return {{"tool", "scratch_plain"}}; }
Json Send() { return {{"tool", "scratch_send"}, {"arguments", {{"name", "letter"}}}}; }
// Fails, since there is no such file.
Json Fail() { return {{"tool", "scratch_read"}, {"arguments", {{"name", "nothing"}}}}; }

class SagaStepsTest : public testing::EffectFixture {
 protected:
  ToolResult Trigger(const Json& steps, const std::string& key = "") {
    automation_ = MakeAutomation(steps);
    return Again(key);
  }
  ToolResult Again(const std::string& key) {
    const absl::StatusOr<ToolResult> result = core_->Run(*TriggerCall(automation_, key));
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(ToolResult());
  }
  ToolResult Undo(const std::string& entry = "") {
    const auto call = UndoCall();
    if (!entry.empty()) call->SetArguments({{"entryId", entry}});
    const absl::StatusOr<ToolResult> result = core_->Run(*call);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(ToolResult());
  }
  int Sent() const {
    const std::string lines = testing::ReadScratch(dir_.path() + "/sent");
    return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }
  // Of each audit entry of `tool`, oldest first: whether it succeeded, and which entry it names.
  std::vector<std::pair<bool, std::string>> Undos() {
    std::vector<std::pair<bool, std::string>> undos;
    for (const v1::AuditEntry& entry : Audit("undo")) {
      undos.insert(undos.begin(), {entry.success(), entry.params_json()});
    }
    return undos;
  }
  static std::string UndoOf(const v1::AuditEntry& entry) { return DumpJson(Json{{"auditEntryId", entry.id()}}); }
  // Ends the process when the scratch tools come to `place` for the `count`-th time.
  void EndAt(const std::string& place, int count, const Json& steps, const std::string& key) {
    automation_ = MakeAutomation(steps);
    hooks_.at = [&count, place](std::string_view at) {
      if (at == place && --count == 0) throw SagaEnded();
    };
    EXPECT_FALSE(core_->Run(*TriggerCall(automation_, key)).ok());
    hooks_.at = nullptr;
    core_ = NewCore();  // The next process.
  }
  // The recovery of the automation's call.
  std::string RecoveryOf(const std::string& tool = "trigger_automation") {
    for (const v1::AuditEntry& entry : Audit(tool)) {
      if (!entry.recovery().empty()) return entry.recovery();
    }
    return "";
  }

  std::string automation_;
};

TEST_F(SagaStepsTest, IsOneChangeOfStepsThatSettleOneByOne) {
  std::vector<size_t> settled;
  hooks_.at = [&](std::string_view place) {
    if (place != "staged") return;
    View([&](storage::ReadView& view) {
      const storage::Claim claim = Claims()[0].claim;
      settled.push_back(view.ListSettledSteps(claim.part_of.empty() ? claim.id : claim.part_of)->size());
      return absl::OkStatus();
    });
    EXPECT_EQ(Claims().size(), 2U) << "the automation's and the step's";
    EXPECT_THAT(UndoStack(), IsEmpty());
  };
  const ToolResult result = Trigger(Json::array({Write("a", "one"), Plain(), Write("b", "{{steps.1.id}}")}));
  ASSERT_TRUE(result.success) << result.error->message;
  EXPECT_THAT(settled, ElementsAre(0, 2));
  const Json answer = Json::parse(result.data_json)["result"];
  EXPECT_EQ(answer["settledStepByStep"], true);
  EXPECT_EQ(answer["steps"][0]["result"]["bytes"], 3);
  EXPECT_EQ(File("b"), answer["steps"][1]["result"]["id"]) << "a step sees what those before it answered";
  EXPECT_TRUE(result.can_undo);
  EXPECT_EQ(result.affected_block_ids.size(), 1U);
  const auto stack = UndoStack();
  ASSERT_EQ(stack.size(), 1U);
  EXPECT_EQ(stack[0].description, "Ran automation \"Auto\"");
  EXPECT_THAT(Claims(), IsEmpty());
  const std::string parent = Audit("trigger_automation").at(0).call_id();
  ASSERT_EQ(Audit("scratch_write").size(), 2U);
  for (const v1::AuditEntry& step : Audit("scratch_write")) EXPECT_EQ(step.parent_call_id(), parent);
  EXPECT_EQ(Audit("scratch_plain").at(0).parent_call_id(), parent);
}

TEST_F(SagaStepsTest, OneUndoTakesAllBackAndARedoBringsAllAgain) {
  const ToolResult ran = Trigger(Json::array({Write("a", "one"), Plain(), Write("a", "two")}));
  ASSERT_TRUE(ran.success);
  const ToolResult undone = Undo();
  ASSERT_TRUE(undone.success) << undone.error->message;
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(Pages(), 0);
  const ToolResult redone = Undo(undone.undo_entry_id);
  ASSERT_TRUE(redone.success) << redone.error->message;
  EXPECT_EQ(File("a"), "two");
  EXPECT_EQ(Pages(), 1);
}

TEST_F(SagaStepsTest, AnUndoThatCannotTakeAllBackTakesNothingBack) {
  const ToolResult ran = Trigger(Json::array({Plain(), Write("a", "one")}));
  ASSERT_TRUE(ran.success);
  Commit([&](storage::Transaction& tx) {
    return tx.UpdateBlock(ran.affected_block_ids.at(0), R"({"title":"other"})").status();
  });
  const ToolResult undone = Undo();
  EXPECT_EQ(undone.error->code, ErrorCode::kConflict);
  EXPECT_EQ(File("a"), "one");
  EXPECT_EQ(Pages(), 1);
}

TEST_F(SagaStepsTest, AFailureTakesBackWhatWentBeforeTheNewestFirst) {
  const ToolResult result = Trigger(Json::array({Write("a", "one"), Plain(), Write("a", "two"), Fail()}), "k");
  ASSERT_FALSE(result.success);
  EXPECT_EQ(result.error->code, ErrorCode::kNotFound);
  EXPECT_THAT(result.error->message, HasSubstr("step 4 (scratch_read) failed and nothing of the automation was kept"));
  EXPECT_EQ(FactOf(*result.error, "step"), "3");
  EXPECT_EQ(FactOf(*result.error, "keptSteps"), "");
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(UndoStack(), IsEmpty());
  EXPECT_THAT(Claims(), IsEmpty());
  const auto writes = Audit("scratch_write");
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_THAT(Undos(),
              ElementsAre(std::pair(true, UndoOf(writes[0])), std::pair(true, UndoOf(Audit("scratch_plain")[0])),
                          std::pair(true, UndoOf(writes[1]))));
  EXPECT_EQ(Audit("undo")[0].parent_call_id(), Audit("trigger_automation")[0].call_id());
  const int acts = Acts();
  const ToolResult repeat = Again("k");
  EXPECT_TRUE(repeat.replayed);
  EXPECT_EQ(repeat.error->code, ErrorCode::kNotFound);
  EXPECT_EQ(Acts(), acts) << "a repeat runs nothing";
}

TEST_F(SagaStepsTest, NamesWhatCannotBeTakenBack) {
  const ToolResult result = Trigger(Json::array({Write("a", "one"), Send(), Plain(), Fail()}));
  ASSERT_FALSE(result.success);
  EXPECT_EQ(FactOf(*result.error, "keptSteps"), "1");
  EXPECT_THAT(result.error->message,
              HasSubstr("nothing of the automation was kept but what these steps did, which could not be taken back: "
                        "step 2 (scratch_send) (it has effects that cannot be taken back)"));
  EXPECT_EQ(Sent(), 1);
  EXPECT_FALSE(Exists("a")) << "all else was taken back";
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(Claims(), IsEmpty());
}

TEST_F(SagaStepsTest, NamesWhatSomebodyElseHasChangedSince) {
  hooks_.at = [&](std::string_view place) {
    if (place != "sending") return;
    std::ofstream(folder() + "/a") << "by hand";
  };
  const ToolResult result = Trigger(Json::array({Plain(), Write("a", "one"), Send(), Fail()}));
  ASSERT_FALSE(result.success);
  EXPECT_EQ(FactOf(*result.error, "keptSteps"), "1,2");
  EXPECT_EQ(File("a"), "by hand");
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(Undos(), ElementsAre(std::pair(false, UndoOf(Audit("scratch_write")[0])),
                                   std::pair(true, UndoOf(Audit("scratch_plain")[0]))));
}

TEST_F(SagaStepsTest, AStepThatCannotBeTakenBackMakesTheWholeIrreversible) {
  const ToolResult result = Trigger(Json::array({Write("a", "one"), Send()}));
  ASSERT_TRUE(result.success);
  EXPECT_FALSE(result.can_undo);
  EXPECT_EQ(Undo().error->code, ErrorCode::kCannotUndo);
  EXPECT_EQ(File("a"), "one");
}

TEST_F(SagaStepsTest, WithoutAnEffectStaysOneTransaction) {
  const ToolResult result = Trigger(Json::array({Plain(), Plain()}));
  ASSERT_TRUE(result.success);
  EXPECT_FALSE(Json::parse(result.data_json)["result"].contains("settledStepByStep"));
  EXPECT_EQ(Pages(), 2);
  const Json unknown{{"tool", "scratch_plane"}};
  EXPECT_FALSE(Trigger(Json::array({Plain(), unknown})).success);
  EXPECT_EQ(Pages(), 2);
  EXPECT_TRUE(Audit("scratch_plain")[0].taken_back());
  EXPECT_THAT(Undos(), IsEmpty());
}

TEST_F(SagaStepsTest, ADryRunActsOnNothingAndLeavesOutWhatItCannotKnow) {
  const auto call =
      TriggerCall(MakeAutomation(Json::array({Write("a", "one"), Plain(), Send(), Write("b", "{{steps.1.id}}")})), "k");
  call->dry_run = true;
  const absl::StatusOr<ToolResult> result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->success) << result->error->message;
  const Json answer = Json::parse(result->data_json)["result"];
  EXPECT_EQ(answer["settledStepByStep"], true);
  EXPECT_EQ(answer["steps"][0]["result"]["bytes"], 3);
  EXPECT_FALSE(answer["steps"][0].contains("leftOut"));
  EXPECT_EQ(answer["steps"][3]["leftOut"], true);
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(Sent(), 0);
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(Claims(), IsEmpty());
  EXPECT_THAT(UndoStack(), IsEmpty());
}

TEST_F(SagaStepsTest, AsksFirstAndTheApprovalStandsForItsSteps) {
  hooks_.automations_ask = true;
  core_ = NewCore();
  const ToolResult asked = Trigger(Json::array({Write("a", "one"), Plain()}));
  ASSERT_TRUE(asked.confirmation.has_value());
  EXPECT_THAT(asked.confirmation->summary,
              HasSubstr("each step settles by itself, and if one fails, those before it are taken back"));
  EXPECT_FALSE(Exists("a"));
  const auto call = TriggerCall(automation_);
  call->confirmation_token = asked.confirmation->token;
  const absl::StatusOr<ToolResult> ran = core_->Run(*call);
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_TRUE(ran->success);
  EXPECT_EQ(File("a"), "one");
  const auto again = TriggerCall(automation_);
  again->confirmation_token = asked.confirmation->token;
  EXPECT_FALSE(core_->Run(*again).ok()) << "it is used up";
}

TEST_F(SagaStepsTest, ADeadlineThatPassesTakesBackToo) {
  const auto call = TriggerCall(MakeAutomation(Json::array({Write("a", "one"), Write("b", "two")})));
  call->cancellation.Reset(clock_, clock_.Monotonic() + absl::Seconds(5));
  hooks_.at = [&](std::string_view place) {
    if (place == "renamed") clock_.Advance(absl::Seconds(6));
  };
  const absl::StatusOr<ToolResult> result = core_->Run(*call);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_FALSE(result->success);
  EXPECT_EQ(result->error->code, ErrorCode::kTimeout);
  EXPECT_FALSE(Exists("a"));
  EXPECT_THAT(Claims(), IsEmpty());
}

TEST_F(SagaStepsTest, RecoveryTakesBackWhatHadSettledAndTheStepThatRan) {
  EndAt("renamed", 2, Json::array({Write("a", "one"), Plain(), Write("b", "two"), Write("c", "three")}), "k");
  EXPECT_EQ(Claims().size(), 2U);
  EXPECT_EQ(core_->Run(*TriggerCall(automation_, "k")).status().code(), absl::StatusCode::kAborted);
  Recover(*core_);
  EXPECT_EQ(RecoveryOf("scratch_write"), "finished");
  EXPECT_EQ(RecoveryOf(), "rolled_back");
  EXPECT_FALSE(Exists("a") || Exists("b") || Exists("c"));
  EXPECT_EQ(Pages(), 0);
  EXPECT_THAT(Claims(), IsEmpty());
  const ToolResult repeat = Again("k");
  EXPECT_TRUE(repeat.replayed);
  EXPECT_EQ(repeat.error->code, ErrorCode::kExecutionError);
  EXPECT_TRUE(store_->VerifyChain("w", {})->valid);
}

TEST_F(SagaStepsTest, RecoverySaysWhatIsLeft) {
  EndAt("begun", 2, Json::array({Write("a", "one"), Send(), Write("b", "two")}), "k");
  Recover(*core_);
  EXPECT_EQ(RecoveryOf(), "partly_rolled_back");
  EXPECT_FALSE(Exists("a"));
  EXPECT_EQ(FactOf(*Again("k").error, "keptSteps"), "1");
}

TEST_F(SagaStepsTest, IsUnknownWhenAStepIs) {
  EndAt("sent", 1, Json::array({Write("a", "one"), Send()}), "k");
  Recover(*core_);
  EXPECT_EQ(RecoveryOf("scratch_send"), "unknown");
  EXPECT_EQ(RecoveryOf(), "unknown");
  EXPECT_FALSE(Exists("a"));
  const ToolResult repeat = Again("k");
  EXPECT_TRUE(repeat.replayed);
  EXPECT_EQ(FactOf(*repeat.error, "keptSteps"), "1");
  EXPECT_THAT(repeat.error->message, HasSubstr("it is not known whether it took effect"));
}

TEST_F(SagaStepsTest, AStepThatCannotBeResolvedHoldsUpItsAutomation) {
  EndAt("renamed", 2, Json::array({Write("a", "one"), Write("b", "two")}), "k");
  hooks_.fail_recovery = [] { return absl::UnavailableError("the disk is away"); };
  EXPECT_EQ(*core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr), 1);
  EXPECT_EQ(Claims().size(), 2U);
  EXPECT_EQ(File("a"), "one") << "nothing is taken back before it is known what the last step did";
  hooks_.fail_recovery = nullptr;
  Recover(*core_);
  EXPECT_FALSE(Exists("a") || Exists("b"));
}

TEST_F(SagaStepsTest, AStepOfAClaimThatWasTakenOverDoesNotRun) {
  hooks_.at = [&](std::string_view place) {
    if (place != "sending") return;
    hooks_.at = nullptr;
    const auto other = NewCore();
    Recover(*other);
  };
  const absl::StatusOr<ToolResult> result =
      core_->Run(*TriggerCall(MakeAutomation(Json::array({Write("a", "one"), Send(), Write("b", "two")})), "k"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->replayed) << "the other process has settled it";
  EXPECT_FALSE(result->success);
  EXPECT_FALSE(Exists("a") || Exists("b"));
  EXPECT_THAT(Claims(), IsEmpty());
}

}  // namespace
}  // namespace toolgate::services::execution
