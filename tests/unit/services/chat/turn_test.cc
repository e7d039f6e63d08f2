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

}  // namespace
}  // namespace toolgate::services::chat
