#include "services/http/message_json.h"

#include "common/json.h"
#include "gtest/gtest.h"
#include "toolgate/v1/chat_service.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::http {
namespace {

TEST(MessageJsonTest, WritesCamelCaseAndFieldsThatAreNotSet) {
  v1::UndoResponse response;
  response.mutable_result()->set_undo_entry_id("u1");
  const auto text = MessageToJson(response);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->find('\n'), std::string::npos);
  const Json json = *ParseJson(*text);
  EXPECT_EQ(json["result"]["undoEntryId"], "u1");
  EXPECT_EQ(json["result"]["success"], false);
  EXPECT_EQ(json["result"]["affectedBlockIds"], Json::array());
  EXPECT_FALSE(json["result"].contains("error"));
}

TEST(MessageJsonTest, NamesEventsAfterTheirFields) {
  v1::ExecuteStreamResponse event;
  event.mutable_progress()->set_message("step 1");
  event.mutable_progress()->set_done(1);
  const auto written = ChoiceToEvent(event);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->name, "progress");
  EXPECT_EQ(*ParseJson(written->data), *ParseJson(R"({"message":"step 1","done":"1","total":"0"})"));
}

TEST(MessageJsonTest, NamesEventsOfAChatLikewise) {
  v1::ChatResponse event;
  event.mutable_content_delta()->set_content("Hi\n");
  const auto written = ChoiceToEvent(event);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->name, "content_delta");
  EXPECT_EQ(*ParseJson(written->data), *ParseJson(R"({"content":"Hi\n","reasoningContent":""})"));
}

TEST(MessageJsonTest, RefusesAnEmptyEvent) { EXPECT_FALSE(ChoiceToEvent(v1::ExecuteStreamResponse()).ok()); }

}  // namespace
}  // namespace toolgate::services::http
