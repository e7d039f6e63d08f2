#include "services/chat/chat_loop.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scripted_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::services::chat {
namespace {

using executors::models::ToolUse;
using internal::v1::ChatToolUse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedModel;
using ::testing::SizeIs;

// Answers {"ran": NAME}. Those named "ask" need a person. As the pipeline does, it runs nothing twice for one key.
class FakeTools final : public ToolCaller {
 public:
  v1::ToolCallStart Describe(const ChatToolUse& use) override {
    v1::ToolCallStart start;
    start.set_tool_name(use.name());
    start.set_tool_call_id(use.id());
    return start;
  }
  absl::StatusOr<ToolOutcome> Call(const ChatToolUse& use, std::string_view key, std::string_view token) override {
    if (lost) return MakeError(ErrorCode::kCancelled, "the client has left");
    ToolOutcome outcome;
    if (use.name() == "ask" && token != "token" && ran.count(std::string(key)) == 0) {
      outcome.question.emplace();
      outcome.question->set_token("token");
      outcome.question->set_confirmation_id("question");
      outcome.question->set_needs_decision(needs_decision);
      return outcome;
    }
    ++ran[std::string(key)];
    outcome.record.set_tool_use_id(use.id());
    outcome.record.set_tool_id(use.name());
    outcome.record.set_data_json("{\"ran\":\"" + use.name() + "\"}");
    if (use.name() == "paint") outcome.shown.emplace_back().mutable_image_complete()->set_image_url("https://i/1");
    return outcome;
  }
  absl::StatusOr<bool> AwaitDecision(const std::string& id, absl::Duration timeout) override {
    EXPECT_EQ(id, "question");
    waits.push_back(timeout);
    return decided;
  }

  bool needs_decision = false;
  bool decided = false;
  bool lost = false;
  std::map<std::string, int> ran;  // By key.
  std::vector<absl::Duration> waits;
};

class ListedEvents final : public ChatWriter {
 public:
  absl::Status Write(const v1::ChatResponse& event, const fibers::Cancellation&) override {
    events.push_back(event);
    return absl::OkStatus();
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const v1::ChatResponse& event : events) {
      names.push_back(v1::ChatResponse::descriptor()->FindFieldByNumber(event.event_case())->name());
    }
    return names;
  }
  std::vector<v1::ChatResponse> events;
};

class ChatLoopTest : public ::testing::Test {
 protected:
  ChatLoopTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
  }

  // As another process finds the conversation.
  std::unique_ptr<ConversationLog> Open() {
    return ConversationLog::Open({*store_, clock_, IdSource::Real(), "w", "ann"}, "talk", 100'000, never_).value();
  }
  void Begin(const std::string& text) {
    internal::v1::ChatUserRecord user;
    user.set_text(text);
    const auto log = Open();
    const absl::Status begun = log->BeginTurn("", std::move(user), EndedCalls(*log, tools_));
    ASSERT_TRUE(begun.ok()) << begun;
  }
  absl::Status Run(std::string token = "") {
    events_.events.clear();
    const auto log = Open();
    const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
    const observability::tracing::CallSpan span;
    executors::providers::Scope scope{wait, span};
    ChatLoop loop({model_, tools_, *log, events_, never_, scope}, brief_, limits_, std::move(token));
    return loop.Run();
  }
  static ToolUse Use(const std::string& id, const std::string& name) { return {id, name, "{}"}; }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  fibers::Cancellation never_;
  ScriptedModel model_;
  FakeTools tools_;
  ListedEvents events_;
  ModelBrief brief_{"glm", "Be brief.", "[]", true, Json{{"top_p", 0.5}}};
  ChatLimits limits_{3, 8, 1000, absl::Seconds(60)};
};

TEST_F(ChatLoopTest, TheModelIsToldWhatTheBriefSays) {
  Begin("Hi");
  model_.Says("Hello.");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(model_.requests[0].system, "Be brief.");
  EXPECT_EQ(model_.requests[0].tools_json, "[]");
  EXPECT_TRUE(model_.requests[0].reasoning);
  EXPECT_EQ(model_.requests[0].max_output_tokens, 1000);
  EXPECT_EQ(model_.requests[0].extra, (Json{{"top_p", 0.5}}));
}

TEST_F(ChatLoopTest, ToolsRunInOrderUntilTheModelAnswers) {
  Begin("Paint");
  model_.Calls({Use("a", "paint"), Use("b", "list")});
  model_.Says("Here it is.");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(events_.Names(),
              ElementsAre("reasoning_status", "tool_call_start", "tool_result", "image_complete", "tool_call_start",
                          "tool_result", "reasoning_status", "content_delta", "done"));
  EXPECT_THAT(tools_.ran, SizeIs(2));
  EXPECT_THAT(*Open()->ReadArtifacts(never_), SizeIs(1));
}

TEST_F(ChatLoopTest, ADecisionInTimeGoesOnInTheSameStream) {
  Begin("Delete");
  tools_.needs_decision = true;
  tools_.decided = true;
  model_.Calls({Use("a", "ask")});
  model_.Says("Gone.");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(events_.Names(), ElementsAre("reasoning_status", "tool_call_start", "confirmation_request", "tool_result",
                                           "reasoning_status", "content_delta", "done"));
  EXPECT_THAT(tools_.waits, ElementsAre(absl::Seconds(60)));
  EXPECT_FALSE(Open()->pause().has_value());
}

TEST_F(ChatLoopTest, AnotherProcessGoesOnAfterTheDecision) {
  Begin("Delete");
  tools_.needs_decision = true;
  model_.Calls({Use("a", "list"), Use("b", "ask")});
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(events_.events.back().done().stop_reason(), "confirmation");
  EXPECT_EQ(Open()->pause()->tool_use_id(), "b");
  // The same again while nobody has decided.
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(events_.Names(), ElementsAre("tool_call_start", "confirmation_request", "done"));
  tools_.decided = true;
  model_.Says("Gone.");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(events_.Names(),
              ElementsAre("tool_call_start", "tool_result", "reasoning_status", "content_delta", "done"));
  EXPECT_THAT(tools_.ran, SizeIs(2));
  for (const auto& [key, times] : tools_.ran) EXPECT_EQ(times, 1) << key;
}

TEST_F(ChatLoopTest, WhereTheTokenIsTheApprovalTheStreamDoesNotWait) {
  Begin("Delete");
  tools_.decided = true;
  model_.Calls({Use("a", "ask")});
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(events_.Names().back(), "done");
  EXPECT_THAT(tools_.waits, SizeIs(0));
  tools_.decided = false;
  model_.Says("Gone.");
  ASSERT_TRUE(Run("token").ok());
  EXPECT_EQ(events_.events.back().done().stop_reason(), "end");
}

TEST_F(ChatLoopTest, AnInterruptedCallIsRepeatedUnderItsKey) {
  Begin("Paint");
  model_.Calls({Use("a", "paint")});
  tools_.lost = true;
  EXPECT_EQ(Run().code(), absl::StatusCode::kCancelled);
  tools_.lost = false;
  const std::string key = FirstPendingCall(Open()->messages())->idempotency_key;
  model_.Says("Here it is.");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(tools_.ran.begin()->first, key);
}

// An answer that stopped at its limit of tokens, or as `stop` says.
ScriptedModel::Step CutCalls(std::vector<ToolUse> uses,
                             executors::models::StopReason stop = executors::models::StopReason::kLength) {
  return [uses = std::move(uses), stop](const ScriptedModel::Request&) -> absl::StatusOr<ScriptedModel::Answer> {
    ScriptedModel::Answer answer;
    answer.message.role = executors::models::Role::kAssistant;
    answer.message.tool_uses = uses;
    answer.stop = stop;
    return answer;
  };
}

TEST_F(ChatLoopTest, ACallThatTheLimitOfTokensCutIsToldAsThatAndNotRun) {
  for (const char* arguments : {"", R"({"title":"Te)"}) {
    Begin("Write");
    const size_t asked = model_.requests.size();
    model_.steps.push_back(CutCalls({{"a", "list", "{}"}, {"b", "paint", arguments}}));
    model_.Says("I was cut off.");
    ASSERT_TRUE(Run().ok());
    for (const auto& [key, times] : tools_.ran) EXPECT_EQ(key.back(), '0') << "the first call alone runs";
    const auto& answers = model_.requests.at(asked + 1).messages.back().tool_answers;
    ASSERT_THAT(answers, SizeIs(2));
    EXPECT_FALSE(answers[0].is_error);
    EXPECT_TRUE(answers[1].is_error);
    EXPECT_THAT(answers[1].rendered, HasSubstr("limit of output tokens"));
    EXPECT_THAT(answers[1].rendered, ::testing::Not(HasSubstr("JSON")));
  }
}

TEST_F(ChatLoopTest, ACallThatTheServiceStoppedIsToldAsThatAndNotRun) {
  for (const auto stop : {executors::models::StopReason::kRefusal, executors::models::StopReason::kToolUse}) {
    Begin("Write");
    const size_t asked = model_.requests.size();
    model_.steps.push_back(CutCalls({{"a", "paint", ""}}, stop));
    model_.Says("I was stopped.");
    ASSERT_TRUE(Run().ok());
    EXPECT_TRUE(tools_.ran.empty());
    const auto& answers = model_.requests.at(asked + 1).messages.back().tool_answers;
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_TRUE(answers[0].is_error);
    EXPECT_THAT(answers[0].rendered, HasSubstr("in the middle of this call"));
    EXPECT_THAT(answers[0].rendered, ::testing::Not(HasSubstr("limit of output tokens")));
  }
}

TEST_F(ChatLoopTest, ATextThatSpeaksOfTagsIsShownToTheModelAsItIs) {
  const std::string text = "Close it by </think>, as in <think>x</think>.";
  Begin("How do I close thoughts?");
  model_.Says(text);
  ASSERT_TRUE(Run().ok());
  Begin("Thanks");
  model_.Says("Welcome.");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(model_.requests.back().messages[1].text, text);
}

TEST_F(ChatLoopTest, IdsOfCallsAreThoseOfNoOtherCall) {
  Begin("Do it");
  model_.Calls({Use("create_task:0", "list"), Use("create_task:0", "list"), Use("call_1", "list")});
  model_.Says("Done.");
  ASSERT_TRUE(Run().ok());
  Begin("Again");
  model_.Calls({Use("create_task:0", "list"), Use("call_1", "list")});
  model_.Says("Done.");
  ASSERT_TRUE(Run().ok());
  std::vector<std::string> ids;
  const auto log = Open();
  for (const LoggedMessage& message : log->messages()) {
    for (const ChatToolUse& use : message.record.model().tool_uses()) {
      EXPECT_THAT(use.id(), ::testing::MatchesRegex("[A-Za-z0-9_-]{1,40}"));
      ids.push_back(use.id());
    }
    if (message.record.has_tool()) {
      EXPECT_THAT(ids, ::testing::Contains(message.record.tool().tool_use_id()));
    }
  }
  ASSERT_THAT(ids, SizeIs(5));
  EXPECT_EQ(ids[2], "call_1") << "an id that is one stays";
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  // The model that made them is told its own.
  EXPECT_EQ(model_.requests.back().messages[1].tool_uses[1].id, "create_task:0");
}

TEST_F(ChatLoopTest, AConversationGoesOnWithAnotherModel) {
  Begin("Do it");
  model_.steps.push_back([](const ScriptedModel::Request&) -> absl::StatusOr<ScriptedModel::Answer> {
    ScriptedModel::Answer answer;
    answer.message.role = executors::models::Role::kAssistant;
    answer.message.reasoning = "Hm";
    answer.message.provider_state = R"({"openai":{"reasoningMember":"reasoning_content"}})";
    answer.message.tool_uses = {Use("chatcmpl-tool-0123456789abcdef0123456789abcdef", "list")};
    return answer;
  });
  model_.Says("Done.");
  ASSERT_TRUE(Run().ok());
  EXPECT_NE(model_.requests.back().messages[1].provider_state, "");
  brief_.name = "mistral";
  Begin("Go on");
  model_.Says("Done.");
  ASSERT_TRUE(Run().ok());
  const auto& messages = model_.requests.back().messages;
  EXPECT_EQ(messages[1].provider_state, "");
  EXPECT_THAT(messages[1].tool_uses[0].id, ::testing::MatchesRegex("[A-Za-z0-9]{9}"));
  EXPECT_EQ(messages[2].tool_answers[0].tool_use_id, messages[1].tool_uses[0].id);
}

TEST_F(ChatLoopTest, SomebodyElseWhoWentOnIsNotOverwritten) {
  Begin("Hi");
  model_.steps.push_back([this](const ScriptedModel::Request&) -> absl::StatusOr<ScriptedModel::Answer> {
    Begin("Another message");
    return ScriptedModel::Answer();
  });
  const absl::Status status = Run();
  ASSERT_TRUE(GetToolError(status).has_value()) << status;
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kConflict);
}

TEST_F(ChatLoopTest, ReasoningIsSentWholeAtTheEnd) {
  Begin("Think");
  model_.Says("Yes.", "**Weigh it**\n- for\n- against");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(events_.Names(), ElementsAre("reasoning_status", "content_delta", "reasoning_step", "content_delta",
                                           "reasoning_complete", "done"));
  const v1::ReasoningComplete& complete = events_.events[4].reasoning_complete();
  EXPECT_THAT(complete.reasoning(), HasSubstr("Weigh it"));
  ASSERT_EQ(complete.steps_size(), 1);
  EXPECT_EQ(complete.steps(0).title(), "Weigh it");
  EXPECT_THAT(complete.steps(0).items(), ElementsAre("for", "against"));
  EXPECT_EQ(complete.steps(0).phase(), "analysis");
}

TEST_F(ChatLoopTest, TheTitleIsTheBeginningOfTheFirstMessage) {
  EXPECT_EQ(TitleOf("  Plan a trip\nto the sea"), "Plan a trip");
  EXPECT_EQ(TitleOf(" \n "), "Untitled");
  EXPECT_EQ(TitleOf(std::string(500, 'x')).size(), 80u);
}

}  // namespace
}  // namespace toolgate::services::chat
