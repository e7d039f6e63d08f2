#include "services/api/chat_api.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/json.h"
#include "coordination/leases/local_leases.h"
#include "executors/chat/chat_models.h"
#include "gmock/gmock.h"
#include "services/api/confirmation_api.h"
#include "services/api/instruction_api.h"
#include "services/chat/chats.h"
#include "tests/support/scripted_model.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScriptedModel;
using ::testing::SizeIs;

// "OK", the code of a ToolError, or the status as text.
std::string CodeNameOf(const absl::Status& status) {
  if (status.ok()) return "OK";
  const auto error = GetToolError(status);
  return error.has_value() ? std::string(ErrorCodeName(error->code)) : status.ToString();
}

// Keeps the events, and is gone after as many as a test says.
class KeptEvents final : public ChatWriter {
 public:
  absl::Status Write(const v1::ChatResponse& event, const fibers::Cancellation& cancellation) override {
    if (left == 0) return MakeError(ErrorCode::kCancelled, "the client has left");
    --left;
    events.push_back(event);
    return cancellation.Check();
  }

  // "tool_call_start" and so on; one name for several in a row.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const v1::ChatResponse& event : events) {
      const auto* field = v1::ChatResponse::descriptor()->FindFieldByNumber(event.event_case());
      if (names.empty() || names.back() != field->name()) names.push_back(field->name());
    }
    return names;
  }
  std::string Text() const {
    std::string text;
    for (const v1::ChatResponse& event : events) text += event.content_delta().content();
    return text;
  }
  const v1::Done& done() const { return events.back().done(); }

  std::vector<v1::ChatResponse> events;
  int left = 10'000;
};

class ChatApiTest : public ApiFixture {
 protected:
  explicit ChatApiTest(const toolgate::config::v1::Config& config = {}) : ApiFixture(config) { MakeChats({}); }

  void MakeChats(const std::function<void(executors::chat::ChatSettings&)>& change) {
    toolgate::config::v1::Config config = config::Load({}).value();
    executors::chat::ChatSettings settings = config.families().GetExtension(executors::chat::ChatSettings::chat);
    if (change != nullptr) change(settings);
    auto scripted = std::make_unique<ScriptedModel>();
    model_ = scripted.get();
    std::vector<executors::chat::ConfiguredModel> models(1);
    models.front().name = "scripted";
    models.front().model = std::move(scripted);
    chats_ = std::make_unique<chat::Chats>(
        settings, std::make_unique<executors::chat::ChatModels>(std::move(models), ""), waits_, leases_);
    runtime_.chats = chats_.get();
  }

  v1::ChatRequest Message(const std::string& text, const std::string& conversation = "talk",
                          const std::string& user = "ann") {
    auto request = As<v1::ChatRequest>(user);
    request.mutable_caller()->set_conversation_id(conversation);
    request.set_message(text);
    return request;
  }
  absl::Status Send(const v1::ChatRequest& request, KeptEvents& events) {
    fibers::Cancellation cancellation;
    return Chat(Known(Rpc::kChat), request, events, cancellation);
  }
  KeptEvents Sent(const v1::ChatRequest& request) {
    KeptEvents events;
    const absl::Status status = Send(request, events);
    EXPECT_TRUE(status.ok()) << status;
    return events;
  }
  v1::GetConversationResponse Conversation(const std::string& id = "talk", const std::string& user = "ann") {
    auto request = As<v1::GetConversationRequest>(user);
    request.set_conversation_id(id);
    v1::GetConversationResponse response;
    const absl::Status status = GetConversation(Known(Rpc::kGetConversation), request, response, cancellation_);
    EXPECT_TRUE(status.ok()) << status;
    return response;
  }
  std::vector<v1::ChatRole> Roles(const std::string& id = "talk") {
    std::vector<v1::ChatRole> roles;
    const v1::GetConversationResponse conversation = Conversation(id);
    for (const v1::ChatMessage& message : conversation.messages()) roles.push_back(message.role());
    return roles;
  }
  std::string NewPage() {
    const auto made = RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})");
    EXPECT_TRUE(made.ok()) << made.status();
    return ParseJson(made->result().data_json()).value()["block"]["id"].get<std::string>();
  }
  bool Exists(const std::string& block) {
    bool found = false;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             const auto read = view.FindBlock(block);
                             found = read.ok() && read->has_value();
                             return read.status();
                           })
                    .ok());
    return found;
  }
  static executors::models::ToolUse Create(const std::string& id, const std::string& title) {
    return {id, "create_block", absl::StrCat(R"({"type":"page","data":{"title":")", title, R"("}})")};
  }
  static executors::models::ToolUse Delete(const std::string& block) {
    return {"call_delete", "delete_block", absl::StrCat(R"({"blockId":")", block, R"("})")};
  }
  int64_t Pages() {
    int64_t pages = 0;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             const auto found = view.ListChildren("", 100);
                             pages = static_cast<int64_t>(found->size());
                             return found.status();
                           })
                    .ok());
    return pages;
  }

  coordination::leases::LocalLeases leases_;
  std::unique_ptr<chat::Chats> chats_;
  ScriptedModel* model_ = nullptr;
};

TEST_F(ChatApiTest, AnswersAndStoresTheConversation) {
  model_->Says("Hello, Ann.", "**Greeting**\n- be kind\n\nAnswer now");
  const KeptEvents events = Sent(Message("Hi there"));
  EXPECT_THAT(events.Names(), ElementsAre("reasoning_status", "content_delta", "reasoning_step", "content_delta",
                                          "reasoning_complete", "done"));
  EXPECT_EQ(events.Text(), "Hello, Ann.");
  EXPECT_EQ(events.done().conversation_id(), "talk");
  EXPECT_EQ(events.done().stop_reason(), "end");
  EXPECT_EQ(events.done().title(), "Hi there");
  EXPECT_EQ(events.done().model(), "scripted");
  EXPECT_EQ(events.done().usage().input_tokens(), 10);
  EXPECT_EQ(events.done().usage().model_calls(), 1);
  const v1::GetConversationResponse stored = Conversation();
  ASSERT_EQ(stored.messages_size(), 2);
  EXPECT_EQ(stored.messages(0).text(), "Hi there");
  EXPECT_EQ(stored.messages(1).text(), "Hello, Ann.");
  EXPECT_EQ(stored.messages(1).id(), events.done().message_id());
  EXPECT_EQ(stored.conversation().message_count(), 2);
}

TEST_F(ChatApiTest, LaterMessagesAreAnsweredWithTheEarlierOnes) {
  model_->Says("One.");
  model_->Says("Two.");
  Sent(Message("First"));
  Sent(Message("Second"));
  const auto& messages = model_->requests.back().messages;
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(messages[0].text, "First");
  EXPECT_EQ(messages[1].text, "One.");
  EXPECT_EQ(messages[2].text, "Second");
}

TEST_F(ChatApiTest, OldTurnsAreCutAsAWhole) {
  MakeChats([](auto& settings) { settings.set_max_history_bytes(3000); });
  for (int i = 0; i < 4; ++i) {
    model_->Says(absl::StrCat("answer ", i));
    Sent(Message(absl::StrCat(i, std::string(1000, '.'))));
  }
  const auto& messages = model_->requests.back().messages;
  ASSERT_FALSE(messages.empty());
  EXPECT_LT(messages.size(), 7u);
  EXPECT_EQ(messages.front().role, executors::models::Role::kUser);
  EXPECT_EQ(messages.back().text[0], '3');
}

TEST_F(ChatApiTest, ToolsRunAndTheModelReadsTheirResults) {
  model_->Calls({Create("call_1", "Tea")});
  model_->Says("Done.");
  const KeptEvents events = Sent(Message("Make a page"));
  EXPECT_THAT(events.Names(), ElementsAre("reasoning_status", "tool_call_start", "tool_result", "reasoning_status",
                                          "content_delta", "done"));
  EXPECT_EQ(events.events[1].tool_call_start().tool_name(), "create_block");
  EXPECT_EQ(events.events[1].tool_call_start().tool_call_id(), "call_1");
  EXPECT_THAT(events.events[1].tool_call_start().arguments_json(), HasSubstr("Tea"));
  EXPECT_TRUE(events.events[2].tool_result().success());
  EXPECT_EQ(Pages(), 1);
  const auto& messages = model_->requests.back().messages;
  ASSERT_THAT(messages, SizeIs(3));
  ASSERT_THAT(messages[2].tool_answers, SizeIs(1));
  EXPECT_EQ(messages[2].tool_answers[0].tool_use_id, "call_1");
  EXPECT_THAT(messages[2].tool_answers[0].rendered, HasSubstr("<tool_call_id>call_1</tool_call_id>"));
  EXPECT_THAT(messages[2].tool_answers[0].rendered, HasSubstr("Tea"));
  EXPECT_FALSE(messages[2].tool_answers[0].is_error);
}

TEST_F(ChatApiTest, ResultsOfOneAnswerStandTogether) {
  model_->Calls({Create("call_1", "One"), Create("call_2", "Two")});
  model_->Says("Done.");
  Sent(Message("Make two pages"));
  ASSERT_THAT(model_->requests.back().messages, SizeIs(3));
  EXPECT_THAT(model_->requests.back().messages[2].tool_answers, SizeIs(2));
  EXPECT_EQ(Pages(), 2);
}

TEST_F(ChatApiTest, RefusalsAreResultsForTheModel) {
  model_->Calls({{"call_1", "no_such_tool", "{}"}, {"call_2", "create_block", "{\"type\":"}});
  model_->Says("I could not.");
  const KeptEvents events = Sent(Message("Do it"));
  EXPECT_EQ(events.Text(), "I could not.");
  const auto& answers = model_->requests.back().messages[2].tool_answers;
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_THAT(answers[0].rendered, HasSubstr("UNKNOWN_TOOL"));
  EXPECT_THAT(answers[1].rendered, HasSubstr("INVALID_PARAMS"));
  EXPECT_TRUE(answers[0].is_error);
  EXPECT_EQ(events.events[2].tool_result().error().code(), "UNKNOWN_TOOL");
}

TEST_F(ChatApiTest, FurtherCallsThanATurnMayHaveAreRefused) {
  model_->Calls({Create("1", "a"), Create("2", "b")});
  model_->Calls({Create("3", "c"), Create("4", "d")});
  model_->Says("That is all.");
  const KeptEvents events = Sent(Message("Make four pages"));
  EXPECT_EQ(Pages(), 3);
  EXPECT_EQ(events.done().usage().tool_calls(), 4);
  const auto& answers = model_->requests.back().messages[4].tool_answers;
  ASSERT_THAT(answers, SizeIs(2));
  EXPECT_FALSE(answers[0].is_error);
  EXPECT_THAT(answers[1].rendered, HasSubstr("QUOTA_EXCEEDED"));
}

// The frame or part that the last result which the model was shown holds.
Json FrameIn(const ScriptedModel::Request& request) {
  const std::string& rendered = request.messages.back().tool_answers.back().rendered;
  const size_t begin = rendered.find('{', rendered.find("<result"));
  return ParseJson(absl::StrReplaceAll(rendered.substr(begin, rendered.rfind("</result>") - begin),
                                       {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}}))
      .value();
}

TEST_F(ChatApiTest, AResultThatIsCutCanBeReadOn) {
  MakeChats([](auto& settings) {
    settings.set_max_result_bytes(1100);
    settings.set_max_turns(20);
  });
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(RunTool("create_task", absl::StrCat(R"({"title":"Größe )", i, std::string(400, 'x'), R"("})")).ok());
  }
  model_->Calls({{"call_1", "list_tasks", "{}"}});
  std::string whole;
  size_t total = 0;
  const auto read_on = [&](const ScriptedModel::Request& request) -> absl::StatusOr<ScriptedModel::Answer> {
    const Json frame = FrameIn(request);
    EXPECT_TRUE(frame.contains("totalBytes")) << request.messages.back().tool_answers.back().rendered;
    if (!frame.contains("totalBytes")) return ScriptedModel::Answer();
    whole += frame[frame.contains("head") ? "head" : "text"].get<std::string>();
    total = frame["totalBytes"].get<size_t>();
    ScriptedModel::Answer answer;
    answer.message.role = executors::models::Role::kAssistant;
    if (frame.contains("continuation")) {
      answer.message.tool_uses = {
          {absl::StrCat("more_", whole.size()), "read_result", DumpJson({{"continuation", frame["continuation"]}})}};
    } else {
      answer.message.text = "I have read it all.";
    }
    return answer;
  };
  for (int i = 0; i < 19; ++i) model_->steps.push_back(read_on);
  const KeptEvents events = Sent(Message("What is there?"));
  EXPECT_EQ(events.Text(), "I have read it all.");
  EXPECT_THAT(model_->requests.front().tools_json, HasSubstr("\"read_result\""));
  const std::string& first = model_->requests[1].messages.back().tool_answers[0].rendered;
  EXPECT_THAT(first, HasSubstr(absl::StrCat(" of ", total, ".")));
  EXPECT_THAT(first, HasSubstr("To read on, call read_result"));
  EXPECT_EQ(whole.size(), total);
  EXPECT_TRUE(ParseJson(whole).ok());
  EXPECT_GT(events.done().usage().tool_calls(), 3) << total;
}

TEST_F(ChatApiTest, NoPartIsLongerThanAResultThatTheModelIsShown) {
  MakeChats([](auto& settings) { settings.set_max_result_bytes(1100); });
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(RunTool("create_task", absl::StrCat(R"({"title":")", std::string(400, 'x'), R"("})")).ok());
  }
  for (const char* most : {"1048576", "1048576.0", "1e6", "1000.5e6", "18446744073709551615", "-1", "9e99"}) {
    SCOPED_TRACE(most);
    model_->Calls({{absl::StrCat("list", most), "list_tasks", "{}"}});
    model_->steps.push_back([&](const ScriptedModel::Request& request) -> absl::StatusOr<ScriptedModel::Answer> {
      ScriptedModel::Answer answer;
      answer.message.role = executors::models::Role::kAssistant;
      answer.message.tool_uses = {{absl::StrCat("more", most), "read_result",
                                   absl::StrCat(R"({"continuation":)", DumpJson(FrameIn(request)["continuation"]),
                                                R"(,"maxBytes":)", most, "}")}};
      return answer;
    });
    model_->Says("Read.");
    Sent(Message("What is there?"));
    const auto& read = model_->requests.back().messages.back().tool_answers.back();
    EXPECT_EQ(read.is_error, std::string_view(most) == "-1") << read.rendered;
    EXPECT_LT(read.rendered.size(), 2500u);
  }
}

TEST_F(ChatApiTest, ReadingOnIsRefusedLikeAnyOtherCall) {
  model_->Calls({{"1", "read_result", R"({"continuation":"nothing.5"})"},
                 {"2", "read_result", "{\"con"},
                 {"3", "read_result", R"({"continuation":"nothing.5","maxBytes":9999999})"},
                 {"4", "read_result", "{}"}});
  model_->Says("No.");
  Sent(Message("Read on"));
  const auto& answers = model_->requests.back().messages[2].tool_answers;
  ASSERT_THAT(answers, SizeIs(4));
  EXPECT_THAT(answers[0].rendered, HasSubstr("NOT_FOUND"));
  EXPECT_THAT(answers[1].rendered, HasSubstr("INVALID_PARAMS"));
  EXPECT_THAT(answers[2].rendered, HasSubstr("NOT_FOUND"));
  EXPECT_THAT(answers[3].rendered, HasSubstr("MISSING_REQUIRED"));
}

TEST_F(ChatApiTest, ReadingOnHasALimitOfItsOwn) {
  MakeChats([](auto& settings) { settings.set_max_turns(2); });
  model_->Calls({Create("1", "a"),
                 {"2", "read_result", "{}"},
                 {"3", "read_result", "{}"},
                 {"4", "read_result", "{}"},
                 Create("5", "b")});
  model_->Says("No.");
  Sent(Message("Read on"));
  const auto& answers = model_->requests.back().messages[2].tool_answers;
  ASSERT_THAT(answers, SizeIs(5));
  EXPECT_THAT(answers[2].rendered, HasSubstr("MISSING_REQUIRED"));
  EXPECT_THAT(answers[3].rendered, HasSubstr("QUOTA_EXCEEDED"));
  EXPECT_FALSE(answers[4].is_error);
}

TEST_F(ChatApiTest, AModelThatNeverAnswersIsStopped) {
  MakeChats([](auto& settings) { settings.set_max_turns(2); });
  for (const char* id : {"1", "2", "3"}) model_->Calls({Create(id, id)});
  const KeptEvents events = Sent(Message("Go on for ever"));
  EXPECT_EQ(events.Names().back(), "error");
  EXPECT_EQ(events.events.back().error().code(), "QUOTA_EXCEEDED");
  EXPECT_THAT(model_->requests, SizeIs(2));
}

TEST_F(ChatApiTest, FailureOfTheModelIsAnErrorEventAndTheTurnCanGoOn) {
  ToolError down;
  down.message = "scripted did not answer";
  down.retryable = true;
  model_->Fails(ToStatus(down));
  const KeptEvents failed = Sent(Message("Hi"));
  ASSERT_EQ(failed.Names().back(), "error");
  EXPECT_TRUE(failed.events.back().error().error().retryable());
  EXPECT_EQ(failed.events.back().error().conversation_id(), "talk");
  model_->Says("Here I am.");
  const KeptEvents events = Sent(Message(""));
  EXPECT_EQ(events.Text(), "Here I am.");
  EXPECT_THAT(Roles(), ElementsAre(v1::CHAT_ROLE_USER, v1::CHAT_ROLE_ASSISTANT));
}

TEST_F(ChatApiTest, AToolThatNeedsAPersonPausesTheTurnUntilTheTokenComesBack) {
  const std::string page = NewPage();
  model_->Calls({Create("call_1", "Tea"), Delete(page)});
  const KeptEvents asked = Sent(Message("Tidy up"));
  EXPECT_THAT(asked.Names(), ElementsAre("reasoning_status", "tool_call_start", "tool_result", "tool_call_start",
                                         "confirmation_request", "done"));
  EXPECT_EQ(asked.done().stop_reason(), "confirmation");
  EXPECT_TRUE(Exists(page));
  EXPECT_TRUE(Conversation().conversation().has_pending_confirmation());
  EXPECT_EQ(Conversation().conversation().pending_confirmation().token(), "");

  model_->Says("Deleted.");
  v1::ChatRequest approved = Message("");
  approved.set_confirmation_token(asked.events[4].confirmation_request().token());
  const KeptEvents events = Sent(approved);
  EXPECT_THAT(events.Names(),
              ElementsAre("tool_call_start", "tool_result", "reasoning_status", "content_delta", "done"));
  EXPECT_TRUE(events.events[1].tool_result().success());
  EXPECT_FALSE(Exists(page));
  EXPECT_EQ(Pages(), 1);
  EXPECT_FALSE(Conversation().conversation().has_pending_confirmation());
  EXPECT_EQ(events.done().usage().model_calls(), 2);
}

TEST_F(ChatApiTest, APausedTurnAsksAgainAndTakesNoOtherToken) {
  const std::string page = NewPage();
  model_->Calls({Delete(page)});
  const KeptEvents asked = Sent(Message("Delete it"));
  const KeptEvents again = Sent(Message(""));
  EXPECT_THAT(again.Names(), ElementsAre("tool_call_start", "confirmation_request", "done"));
  EXPECT_EQ(again.events[1].confirmation_request().token(), asked.events[2].confirmation_request().token());
  v1::ChatRequest wrong = Message("");
  wrong.set_confirmation_token("guessed");
  KeptEvents none;
  EXPECT_EQ(CodeNameOf(Send(wrong, none)), "INVALID_PARAMS");
  EXPECT_TRUE(Exists(page));
}

TEST_F(ChatApiTest, ADenialIsAResultForTheModel) {
  const std::string page = NewPage();
  model_->Calls({Delete(page)});
  const KeptEvents asked = Sent(Message("Delete it"));
  auto decide = As<v1::DecideConfirmationRequest>();
  decide.set_confirmation_id(asked.events[2].confirmation_request().confirmation_id());
  decide.set_approve(false);
  v1::DecideConfirmationResponse decided;
  ASSERT_TRUE(DecideConfirmation(Known(Rpc::kDecideConfirmation), decide, decided, cancellation_).ok());
  model_->Says("As you wish.");
  const KeptEvents events = Sent(Message(""));
  EXPECT_EQ(events.Text(), "As you wish.");
  EXPECT_THAT(model_->requests.back().messages.back().tool_answers[0].rendered, HasSubstr("CANCELLED"));
  EXPECT_TRUE(Exists(page));
}

TEST_F(ChatApiTest, ANewMessageEndsAPause) {
  const std::string page = NewPage();
  model_->Calls({Delete(page)});
  Sent(Message("Delete it"));
  model_->Says("Then I leave it.");
  const KeptEvents events = Sent(Message("No, wait"));
  EXPECT_EQ(events.Text(), "Then I leave it.");
  EXPECT_TRUE(Exists(page));
  EXPECT_THAT(model_->requests.back().messages[2].tool_answers[0].rendered, HasSubstr("was not run"));
  EXPECT_FALSE(Conversation().conversation().has_pending_confirmation());
}

TEST_F(ChatApiTest, ACallThatRanIsNotRunAgainAfterAnInterruption) {
  model_->Calls({Create("call_1", "Tea")});
  KeptEvents lost;
  lost.left = 2;  // The client is gone when the result comes.
  EXPECT_EQ(CodeNameOf(Send(Message("Make a page"), lost)), "OK");
  EXPECT_EQ(Pages(), 1);
  model_->Says("Done.");
  const KeptEvents events = Sent(Message(""));
  EXPECT_EQ(events.Text(), "Done.");
  EXPECT_EQ(Pages(), 1);
}

TEST_F(ChatApiTest, ARepeatedMessageIsAnsweredOnce) {
  model_->Calls({Create("call_1", "Tea")});
  model_->Says("Done.");
  v1::ChatRequest request = Message("Make a page", "");
  request.set_request_id("m-1");
  const KeptEvents first = Sent(request);
  const KeptEvents second = Sent(request);
  EXPECT_EQ(second.Text(), "Done.");
  EXPECT_EQ(second.done().conversation_id(), first.done().conversation_id());
  EXPECT_EQ(second.done().message_id(), first.done().message_id());
  EXPECT_THAT(second.Names(), ElementsAre("tool_call_start", "tool_result", "content_delta", "done"));
  EXPECT_THAT(model_->requests, SizeIs(2));
  EXPECT_EQ(Pages(), 1);
  request.set_message("Something else");
  KeptEvents none;
  EXPECT_EQ(CodeNameOf(Send(request, none)), "CONFLICT");
}

TEST_F(ChatApiTest, ConversationsBelongToTheirUser) {
  model_->Says("Hello, Ann.");
  model_->Says("Hello, Bob.");
  Sent(Message("Hi"));
  Sent(Message("Hi", "talk", "bob"));
  EXPECT_EQ(Conversation("talk", "ann").messages(1).text(), "Hello, Ann.");
  EXPECT_EQ(Conversation("talk", "bob").messages(1).text(), "Hello, Bob.");
  auto request = As<v1::GetConversationRequest>("eve");
  request.set_conversation_id("talk");
  v1::GetConversationResponse response;
  EXPECT_EQ(CodeNameOf(GetConversation(Known(Rpc::kGetConversation), request, response, cancellation_)), "NOT_FOUND");
}

TEST_F(ChatApiTest, ConversationsAreListedByPagesAndDeleted) {
  for (const char* id : {"a", "b", "c"}) {
    model_->Says("Yes.");
    Sent(Message("Hi", id));
    clock_.Advance(absl::Seconds(1));
  }
  auto list = As<v1::ListConversationsRequest>();
  list.set_page_size(2);
  v1::ListConversationsResponse page;
  ASSERT_TRUE(ListConversations(Known(Rpc::kListConversations), list, page, cancellation_).ok());
  ASSERT_EQ(page.conversations_size(), 2);
  EXPECT_EQ(page.conversations(0).id(), "c");
  list.set_page_token(page.next_page_token());
  page.Clear();
  ASSERT_TRUE(ListConversations(Known(Rpc::kListConversations), list, page, cancellation_).ok());
  ASSERT_EQ(page.conversations_size(), 1);
  EXPECT_EQ(page.conversations(0).id(), "a");
  EXPECT_EQ(page.next_page_token(), "");
  auto remove = As<v1::DeleteConversationRequest>();
  remove.set_conversation_id("a");
  v1::DeleteConversationResponse removed;
  ASSERT_TRUE(DeleteConversation(Known(Rpc::kDeleteConversation), remove, removed, cancellation_).ok());
  EXPECT_TRUE(removed.deleted());
  ASSERT_TRUE(DeleteConversation(Known(Rpc::kDeleteConversation), remove, removed, cancellation_).ok());
  EXPECT_FALSE(removed.deleted());
}

TEST_F(ChatApiTest, TheModelHasTheUsersInstructionAndTools) {
  auto update = As<v1::UpdateInstructionRequest>();
  update.set_core_instruction("You are Ada.");
  update.set_memory("- likes tea");
  v1::UpdateInstructionResponse updated;
  ASSERT_TRUE(UpdateInstruction(Known(Rpc::kUpdateInstruction), update, updated, cancellation_).ok());
  model_->Says("Hi.");
  Sent(Message("Hi"));
  EXPECT_THAT(model_->requests.back().system, HasSubstr("You are Ada."));
  EXPECT_THAT(model_->requests.back().system, HasSubstr("- likes tea"));
  EXPECT_THAT(model_->requests.back().tools_json, HasSubstr("\"create_block\""));
  EXPECT_THAT(model_->requests.back().tools_json, HasSubstr("\"save_memory\""));
  update.set_memory_enabled(false);
  ASSERT_TRUE(UpdateInstruction(Known(Rpc::kUpdateInstruction), update, updated, cancellation_).ok());
  model_->Says("Hi.");
  Sent(Message("Hi again"));
  EXPECT_THAT(model_->requests.back().tools_json, HasSubstr("\"create_block\""));
  for (const char* tool : {"\"save_memory\"", "\"db_query\"", "\"update_db_schema\""}) {
    EXPECT_THAT(model_->requests.back().tools_json, Not(HasSubstr(tool)));
  }
}

TEST_F(ChatApiTest, TheModeDecidesWhichToolsThereAre) {
  v1::ChatRequest request = Message("Just talk");
  request.mutable_caller()->set_mode_hint("chat");
  model_->Calls({Create("call_1", "Tea")});
  model_->Says("I cannot.");
  Sent(request);
  EXPECT_EQ(model_->requests.back().tools_json, "");
  EXPECT_THAT(model_->requests.back().messages[2].tool_answers[0].rendered, HasSubstr("FORBIDDEN"));
  EXPECT_EQ(Pages(), 0);
  request.mutable_caller()->set_mode_hint("shout");
  KeptEvents none;
  EXPECT_EQ(CodeNameOf(Send(request, none)), "INVALID_PARAMS");
}

struct BadChatRow {
  const char* name;
  std::function<void(v1::ChatRequest&)> change;
  const char* code;
};

class BadChatTest : public ChatApiTest, public ::testing::WithParamInterface<BadChatRow> {};

TEST_P(BadChatTest, IsRefusedBeforeAnythingIsStored) {
  v1::ChatRequest request = Message("Hi");
  GetParam().change(request);
  KeptEvents events;
  EXPECT_EQ(CodeNameOf(Send(request, events)), GetParam().code);
  EXPECT_THAT(events.events, IsEmpty());
  EXPECT_THAT(model_->requests, IsEmpty());
  auto list = As<v1::ListConversationsRequest>();
  v1::ListConversationsResponse page;
  ASSERT_TRUE(ListConversations(Known(Rpc::kListConversations), list, page, cancellation_).ok());
  EXPECT_EQ(page.conversations_size(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, BadChatTest,
    ::testing::Values(
        BadChatRow{"UnknownModel", [](auto& r) { r.set_model("gpt-0"); }, "INVALID_PARAMS"},
        BadChatRow{"TooLong", [](auto& r) { r.set_message(std::string(70'000, 'x')); }, "INVALID_PARAMS"},
        BadChatRow{"LongRequestId", [](auto& r) { r.set_request_id(std::string(129, 'x')); }, "INVALID_PARAMS"},
        BadChatRow{"TokenWithMessage", [](auto& r) { r.set_confirmation_token("t"); }, "INVALID_PARAMS"},
        BadChatRow{"NothingToGoOnWith", [](auto& r) { r.clear_message(); }, "NOT_FOUND"},
        BadChatRow{"NoMessage",
                   [](auto& r) {
                     r.clear_message();
                     r.mutable_caller()->clear_conversation_id();
                   },
                   "MISSING_REQUIRED"},
        BadChatRow{"ImageOfAnotherType",
                   [](auto& r) {
                     r.add_images()->set_media_type("image/tiff");
                     r.mutable_images(0)->set_data("x");
                   },
                   "INVALID_PARAMS"},
        BadChatRow{"EmptyImage", [](auto& r) { r.add_images()->set_media_type("image/png"); }, "INVALID_PARAMS"}),
    [](const auto& row) { return row.param.name; });

TEST_F(ChatApiTest, WithoutAModelItSaysWhatToConfigure) {
  runtime_.chats = nullptr;
  KeptEvents events;
  const absl::Status status = Send(Message("Hi"), events);
  EXPECT_EQ(CodeNameOf(status), "NOT_CONFIGURED");
  EXPECT_THAT(std::string(status.message()), HasSubstr("chat.models"));
}

TEST_F(ChatApiTest, OneChatAtATimeGoesOnWithAConversation) {
  const auto lease = chats_->leases().Take({"w", "ann", "talk"});
  ASSERT_TRUE(lease.ok());
  KeptEvents events;
  const absl::Status status = Send(Message("Hi"), events);
  EXPECT_EQ(CodeNameOf(status), "CONFLICT");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
}

}  // namespace
}  // namespace toolgate::services::api
