#include "executors/artifacts/generate_artifact.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/bare_session.h"
#include "tests/support/store_fixture.h"

namespace toolgate::executors::artifacts {
namespace {

using models::ModelAnswer;
using models::ModelRequest;
using ::testing::HasSubstr;

constexpr char kGood[] = "```mermaid\nflowchart TD\n  A --> B\n```";
constexpr char kBad[] = "```mermaid\nflowchart TD\n  A -> B\n```";
constexpr char kUnsafeDiagram[] = "flowchart TD\n  A --> B\n  click A \"javascript:alert(1)\"\n";

// Says what the test has put down, one answer after the other, and streams it.
class ScriptedModel final : public models::ChatModel {
 public:
  explicit ScriptedModel(testing::FakeClock& clock) : clock_(clock) {}

  v1::CatalogFormat catalog_format() const override { return v1::CATALOG_FORMAT_OPENAI; }
  v1::ResultFormat result_format() const override { return v1::RESULT_FORMAT_OPENAI; }
  absl::StatusOr<ModelAnswer> Complete(const ModelRequest& request, models::DeltaSink* sink,
                                       providers::Scope& scope) override {
    requests.push_back(request);
    clock_.Advance(time_for_answer);
    *scope.retries += 1;
    if (answers.empty()) return absl::InternalError("asked too often");
    absl::StatusOr<ModelAnswer> answer = std::move(answers.front());
    answers.pop_front();
    if (!answer.ok()) return answer;
    if (const absl::Status streamed = sink->Text(answer->message.text); !streamed.ok()) return streamed;
    return answer;
  }

  void Say(std::string text, models::StopReason stop = models::StopReason::kEnd) {
    ModelAnswer answer;
    answer.message.role = models::Role::kAssistant;
    answer.message.text = std::move(text);
    answer.stop = stop;
    answer.input_tokens = 100;
    answer.output_tokens = 20;
    answer.model = "glm-test";
    answers.emplace_back(std::move(answer));
  }

  std::deque<absl::StatusOr<ModelAnswer>> answers;
  std::vector<ModelRequest> requests;
  absl::Duration time_for_answer = absl::Seconds(1);

 private:
  testing::FakeClock& clock_;
};

class Reports final : public ProgressSink {
 public:
  void Report(const Progress& progress) override { messages.push_back(progress.message); }
  std::vector<std::string> messages;
};

class GenerateArtifactTest : public testing::StoreFixture {
 protected:
  GenerateArtifactTest() {
    policy_.max_fix_rounds = 2;
    policy_.last_fix_start = absl::Seconds(30);
    policy_.max_output_tokens = 1000;
    policy_.max_code_bytes = 4000;
    policy_.reasoning = true;
  }

  absl::StatusOr<ToolOutput> Run(const Json& arguments, bool dry_run = false) {
    const ArtifactGenerator generator(model_, policy_, clock_);
    const Caller caller{.workspace_id = "w", .user_id = "u"};
    const fibers::Cancellation cancellation;
    testing::BareSession session(*store_, "w", "key");
    ToolContext context{arguments, caller, clock_.Now(), absl::UTCTimeZone(), cancellation, IdSource::Real(), dry_run};
    context.progress = &reports_;
    absl::StatusOr<Acted> acted = generator.Generate(context, session);
    if (!acted.ok()) return acted.status();
    EXPECT_EQ(acted->settle, nullptr);
    EXPECT_EQ(session.output(), "");
    return std::move(acted->output);
  }
  Json Answer() {
    const absl::StatusOr<ToolOutput> output = Run(kDiagram);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.ok() ? ParseJson(output->data_json).value() : Json();
  }
  ToolError Failure() {
    const auto error = GetToolError(Run(kDiagram).status());
    EXPECT_TRUE(error.has_value());
    return error.value_or(ToolError());
  }

  const Json kDiagram = {{"type", "mermaid"}, {"prompt", "Two steps"}};
  ArtifactPolicy policy_;
  std::shared_ptr<ScriptedModel> model_ = std::make_shared<ScriptedModel>(clock_);
  Reports reports_;
};

TEST_F(GenerateArtifactTest, AnswersASourceThatIsRight) {
  model_->Say(kGood);
  const absl::StatusOr<ToolOutput> output = Run(kDiagram);
  ASSERT_TRUE(output.ok()) << output.status();
  const Json data = ParseJson(output->data_json).value();
  EXPECT_EQ(data["artifactCode"], "flowchart TD\n  A --> B\n");
  EXPECT_EQ(data["type"], "mermaid");
  EXPECT_EQ(data["title"], "Two steps");
  EXPECT_EQ(data["valid"], true);
  EXPECT_EQ(data["warnings"], Json::array());
  EXPECT_EQ(data["fixRounds"], 0);
  EXPECT_EQ(data["model"], "glm-test");
  EXPECT_EQ(output->tokens_used, 120);
  EXPECT_EQ(output->retry_count, 1);
  EXPECT_TRUE(output->untrusted);
  EXPECT_FALSE(output->reversible);
}

TEST_F(GenerateArtifactTest, SaysWhatItDidNotCheck) {
  model_->Say("```mermaid\ngitGraph\n  commit\n```");
  const Json data = Answer();
  EXPECT_EQ(data["valid"], Json());
  EXPECT_EQ(data["fixRounds"], 0);
  ASSERT_EQ(data["warnings"].size(), 1u);
  EXPECT_EQ(data["warnings"][0]["rule"], "not-checked");
  EXPECT_EQ(data["warnings"][0]["severity"], "warning");
  EXPECT_EQ(data["warnings"][0]["line"], 1);
}

TEST_F(GenerateArtifactTest, HasTheModelMendErrors) {
  model_->Say(kBad);
  model_->Say(kGood);
  const Json data = Answer();
  EXPECT_EQ(data["fixRounds"], 1);
  EXPECT_EQ(data["valid"], true);
  ASSERT_EQ(model_->requests.size(), 2u);
  EXPECT_TRUE(model_->requests[0].reasoning);
  EXPECT_THAT(model_->requests[1].messages.back().text, HasSubstr("line 2, column 5"));
}

TEST_F(GenerateArtifactTest, EndsAfterTheLastRound) {
  for (int i = 0; i < 3; ++i) model_->Say(kBad);
  const Json data = Answer();
  EXPECT_EQ(data["fixRounds"], 2);
  EXPECT_EQ(data["valid"], false);
  EXPECT_EQ(data["warnings"][0]["rule"], "bad-arrow");
  EXPECT_EQ(data["warnings"][0]["line"], 2);
  EXPECT_EQ(data["warnings"][0]["severity"], "error");
}

TEST_F(GenerateArtifactTest, KeepsTheBestDraft) {
  model_->Say(kBad);
  model_->Say(kUnsafeDiagram);
  model_->Say("no diagram at all");
  EXPECT_EQ(Answer()["artifactCode"], "flowchart TD\n  A -> B\n");
}

TEST_F(GenerateArtifactTest, BeginsNoRoundTooLate) {
  model_->time_for_answer = absl::Seconds(31);
  model_->Say(kBad);
  EXPECT_EQ(Answer()["fixRounds"], 0);
  EXPECT_EQ(model_->requests.size(), 1u);
}

TEST_F(GenerateArtifactTest, HandsOutNothingUnsafe) {
  for (int i = 0; i < 3; ++i) model_->Say(kUnsafeDiagram);
  const ToolError error = Failure();
  EXPECT_EQ(error.code, ErrorCode::kExecutionError);
  EXPECT_TRUE(error.retryable);
  EXPECT_THAT(error.message, HasSubstr("line 3: the address runs a script"));
}

TEST_F(GenerateArtifactTest, AsksAgainAfterAnEmptyAnswer) {
  model_->Say(" ");
  model_->Say(kGood);
  EXPECT_EQ(Answer()["valid"], true);
}

TEST_F(GenerateArtifactTest, AsksNoSecondTimeAfterARefusal) {
  model_->Say("I'm sorry, but I can't draw that.");
  const ToolError error = Failure();
  EXPECT_THAT(error.message, HasSubstr("declined"));
  EXPECT_EQ(error.blame, Blame::kRequest);
  EXPECT_EQ(model_->requests.size(), 1u);
}

TEST_F(GenerateArtifactTest, TakesTheModelsWordForARefusal) {
  model_->Say(kGood, models::StopReason::kRefusal);
  const ToolError error = Failure();
  EXPECT_THAT(error.message, HasSubstr("declined"));
  EXPECT_EQ(error.blame, Blame::kRequest);
}

TEST_F(GenerateArtifactTest, PassesOnWhyTheModelFailed) {
  model_->answers.emplace_back(MakeError(ErrorCode::kTimeout, "artifact_model timed out"));
  EXPECT_EQ(Failure().code, ErrorCode::kTimeout);
}

TEST_F(GenerateArtifactTest, KeepsADraftWhenMendingFails) {
  model_->Say(kBad);
  model_->answers.emplace_back(MakeError(ErrorCode::kExecutionError, "artifact_model answered 500"));
  const Json data = Answer();
  EXPECT_EQ(data["valid"], false);
  EXPECT_EQ(data["warnings"][1]["rule"], "fix-failed");
}

TEST_F(GenerateArtifactTest, StopsWhenTheCallIsOver) {
  model_->Say(kBad);
  model_->answers.emplace_back(MakeError(ErrorCode::kCancelled, "the client left"));
  EXPECT_EQ(Failure().code, ErrorCode::kCancelled);
}

TEST_F(GenerateArtifactTest, EndsAnAnswerThatIsTooLong) {
  model_->Say(std::string(200'000, 'x'));
  const ToolError error = Failure();
  EXPECT_THAT(error.message, HasSubstr("longer than"));
  EXPECT_EQ(error.blame, Blame::kRequest);
}

TEST_F(GenerateArtifactTest, ReportsProgress) {
  model_->Say(kBad);
  model_->Say(std::string("flowchart TD\n  A --> B\n  %% ") + std::string(3000, 'x'));
  Answer();
  EXPECT_THAT(reports_.messages,
              ::testing::ElementsAre("Writing mermaid", "Checking the source", "Mending what checks found, round 1",
                                     HasSubstr("Mending what checks found, round 1: 3"), "Checking the source"));
}

TEST_F(GenerateArtifactTest, AsksNobodyInADryRun) {
  const absl::StatusOr<ToolOutput> output = Run(kDiagram, /*dry_run=*/true);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_TRUE(model_->requests.empty());
  EXPECT_EQ(ParseJson(output->data_json).value()["artifactCode"], "");
}

TEST_F(GenerateArtifactTest, RefusesArgumentsBeforeTheModelIsAsked) {
  EXPECT_EQ(GetToolError(Run({{"type", "svg"}, {"prompt", " "}}).status())->code, ErrorCode::kInvalidParams);
  EXPECT_TRUE(model_->requests.empty());
}

TEST_F(GenerateArtifactTest, LeavesNothingAfterACrash) {
  const Caller caller{.workspace_id = "w", .user_id = "u"};
  const fibers::Cancellation cancellation;
  testing::BareSession session(*store_, "w", "key");
  ToolContext context{kDiagram, caller, clock_.Now(), absl::UTCTimeZone(), cancellation, IdSource::Real()};
  const absl::StatusOr<Recovered> recovered = ArtifactGenerator::Recover(context, session);
  ASSERT_TRUE(recovered.ok());
  EXPECT_EQ(recovered->outcome, Recovered::Outcome::kRolledBack);
  EXPECT_THAT(GetToolError(recovered->failure)->message, HasSubstr("may have charged"));
}

}  // namespace
}  // namespace toolgate::executors::artifacts
