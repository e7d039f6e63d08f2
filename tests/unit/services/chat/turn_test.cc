#include "services/chat/turn.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::chat {
namespace {

LoggedMessage UserSays(const std::string& id) {
  LoggedMessage message;
  message.id = id;
  message.record.mutable_user()->set_text("Hi");
  return message;
}

LoggedMessage ModelAsks(const std::string& id, const std::vector<std::string>& uses) {
  LoggedMessage message;
  message.id = id;
  for (const std::string& use : uses) message.record.mutable_model()->add_tool_uses()->set_id(use);
  message.record.mutable_model()->set_input_tokens(10);
  message.record.mutable_model()->set_output_tokens(3);
  return message;
}

LoggedMessage ToolAnswers(const std::string& use) {
  LoggedMessage message;
  message.record.mutable_tool()->set_tool_use_id(use);
  return message;
}

std::vector<std::string> KeysOf(const std::vector<PendingCall>& calls) {
  std::vector<std::string> keys;
  for (const PendingCall& call : calls) keys.push_back(call.idempotency_key);
  return keys;
}

TEST(TurnTest, NothingIsPendingBeforeTheModelAsked) {
  EXPECT_FALSE(FirstPendingCall({}).has_value());
  EXPECT_FALSE(FirstPendingCall({UserSays("u")}).has_value());
  EXPECT_FALSE(HasAnswer({}));
  EXPECT_FALSE(HasAnswer({UserSays("u")}));
  EXPECT_EQ(TurnBegin({}), 0u);
}

TEST(TurnTest, CallsWithoutResultArePendingInTheirOrder) {
  const std::vector<LoggedMessage> messages = {UserSays("u"), ModelAsks("m", {"a", "b", "c"}), ToolAnswers("a")};
  EXPECT_THAT(KeysOf(PendingCalls(messages)), ::testing::ElementsAre("chat/m/1", "chat/m/2"));
  EXPECT_EQ(FirstPendingCall(messages)->use.id(), "b");
  EXPECT_EQ(FirstPendingCall(messages)->earlier_calls, 1);
  EXPECT_FALSE(HasAnswer(messages));
  EXPECT_TRUE(HasToolResult(messages));
}

TEST(TurnTest, EarlierCallsOfTheTurnCount) {
  const std::vector<LoggedMessage> messages = {UserSays("old"),    ModelAsks("x", {"z"}), ToolAnswers("z"),
                                               ModelAsks("y", {}), UserSays("u"),         ModelAsks("m", {"a"}),
                                               ToolAnswers("a"),   ModelAsks("n", {"b"})};
  EXPECT_EQ(FirstPendingCall(messages)->earlier_calls, 1);
  EXPECT_EQ(UsageOf(messages).model_calls(), 2);
  EXPECT_EQ(UsageOf(messages).tool_calls(), 2);
  EXPECT_EQ(UsageOf(messages).input_tokens(), 20);
  EXPECT_EQ(UsageOf(messages).output_tokens(), 6);
  EXPECT_EQ(TurnBegin(messages), 4u);
}

TEST(TurnTest, AnAnswerWithoutToolsEndsTheTurn) {
  std::vector<LoggedMessage> messages = {UserSays("u"), ModelAsks("m", {})};
  EXPECT_TRUE(HasAnswer(messages));
  messages.push_back(UserSays("v"));
  EXPECT_FALSE(HasAnswer(messages));
  EXPECT_TRUE(PendingCalls(messages).empty());
}

struct CutCase {
  const char* arguments;
  const char* stop;
  bool cut_off;
};

TEST(TurnTest, ACallIsCutOffWhereTheAnswerWasAndItsArgumentsAreNotWhole) {
  for (const CutCase& row :
       {CutCase{"", "length", true}, CutCase{R"({"a":)", "length", true}, CutCase{"[1]", "length", true},
        CutCase{R"({"a":1})", "length", false}, CutCase{"", "refusal", true}, CutCase{R"({"a":)", "refusal", true},
        CutCase{R"({"a":1})", "refusal", false}, CutCase{"", "tool_use", true}, CutCase{R"({"a":)", "tool_use", false},
        CutCase{"{}", "tool_use", false}}) {
    std::vector<LoggedMessage> messages = {UserSays("u"), ModelAsks("m", {"a"})};
    auto& model = *messages[1].record.mutable_model();
    model.mutable_tool_uses(0)->set_arguments_json(row.arguments);
    model.set_stop_reason(row.stop);
    EXPECT_EQ(FirstPendingCall(messages)->cut_off, row.cut_off) << row.arguments << " " << row.stop;
  }
}

TEST(TurnTest, CallsThatReadOnAreCountedByThemselves) {
  std::vector<LoggedMessage> messages = {UserSays("u"), ModelAsks("m", {"a", "b", "c", "d"})};
  for (const int i : {1, 3}) {
    messages[1].record.mutable_model()->mutable_tool_uses(i)->set_name(std::string(kReadOnTool));
  }
  const std::vector<PendingCall> calls = PendingCalls(messages);
  ASSERT_EQ(calls.size(), 4u);
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].reads_on, i % 2 == 1);
    EXPECT_EQ(calls[i].earlier_calls, static_cast<int>(i / 2));
  }
}

}  // namespace
}  // namespace toolgate::services::chat
