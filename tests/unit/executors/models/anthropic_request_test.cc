#include "executors/models/anthropic_request.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

std::string AnthropicBody(const ModelRequest& request, bool stream) {
  const auto body = AnthropicRequestBody(request, "claude-1", stream);
  return body.ok() ? DumpJson(*body) : body.status().ToString();
}

std::string MessagesFor(std::vector<Message> messages) {
  ModelRequest request;
  request.messages = std::move(messages);
  return DumpJson((*AnthropicRequestBody(request, "claude-1", false))["messages"]);
}

TEST(AnthropicRequestTest, StatesTheTokensThatTheApiDemands) {
  EXPECT_EQ(AnthropicBody({}, false), R"({"model":"claude-1","max_tokens":8192,"messages":[],"stream":false})");
}

TEST(AnthropicRequestTest, HasSystemToolsAndSampling) {
  ModelRequest request;
  request.system = "Be brief.";
  request.messages = {{.role = Role::kUser, .text = "Hi"}};
  request.tools_json = R"([{"name":"list_tasks","input_schema":{"type":"object"}}])";
  request.max_output_tokens = 100;
  request.temperature = 0.5;
  EXPECT_EQ(AnthropicBody(request, true),
            R"({"model":"claude-1","max_tokens":100,"temperature":0.5,"system":"Be brief.",)"
            R"("messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],)"
            R"("tools":[{"name":"list_tasks","input_schema":{"type":"object"}}],"stream":true})");
}

TEST(AnthropicRequestTest, GivesReasoningHalfOfTheTokens) {
  ModelRequest request;
  request.reasoning = true;
  request.temperature = 0.5;
  EXPECT_EQ(AnthropicBody(request, false),
            R"({"model":"claude-1","max_tokens":16384,"thinking":{"type":"enabled","budget_tokens":8192},)"
            R"("messages":[],"stream":false})");
  request.max_output_tokens = 1500;
  EXPECT_EQ((*AnthropicRequestBody(request, "m", false))["thinking"]["budget_tokens"], 1024);
  request.max_output_tokens = 1024;
  EXPECT_FALSE(AnthropicRequestBody(request, "m", false)->contains("thinking"));
  EXPECT_EQ((*AnthropicRequestBody(request, "m", false))["temperature"], 0.5);
}

TEST(AnthropicRequestTest, DoesNotReasonInATurnThatBeganWithoutIt) {
  ModelRequest request;
  request.reasoning = true;
  request.messages = {{.role = Role::kAssistant, .tool_uses = {{"toolu_1", "t", "{}"}}}};
  EXPECT_FALSE(AnthropicRequestBody(request, "m", false)->contains("thinking"));
  request.messages[0].provider_state =
      R"({"anthropic":[{"opaque":{"type":"thinking","thinking":"Hm","signature":"s"}},{"toolUse":"toolu_1"}]})";
  EXPECT_TRUE(AnthropicRequestBody(request, "m", false)->contains("thinking"));
}

TEST(AnthropicRequestTest, SendsImagesAsBlocks) {
  EXPECT_EQ(
      MessagesFor({{.role = Role::kUser,
                    .text = "Blue?",
                    .images = {{.media_type = "image/png", .bytes = "pix"}, {.url = "https://x.example/1"}}}}),
      R"([{"role":"user","content":[)"
      R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"cGl4"}},)"
      R"({"type":"image","source":{"type":"url","url":"https://x.example/1"}},{"type":"text","text":"Blue?"}]}])");
}

TEST(AnthropicRequestTest, GroupsToolResultsInOneMessage) {
  const Message answers = {
      .role = Role::kTool,
      .tool_answers = {
          {.tool_use_id = "toolu_1",
           .rendered = R"({"type":"tool_result","tool_use_id":"toolu_1","content":"[]","is_error":false})"},
          {.tool_use_id = "functions.t:0", .rendered = "<tool_result/>", .is_error = true}}};
  EXPECT_EQ(MessagesFor({answers}),
            R"([{"role":"user","content":[)"
            R"({"type":"tool_result","tool_use_id":"toolu_1","content":"[]","is_error":false},)"
            R"({"type":"tool_result","content":"<tool_result/>","is_error":true,"tool_use_id":"functions_t_0"}]}])");
}

TEST(AnthropicRequestTest, MakesTurnsOfOtherProvidersAcceptable) {
  const Message turn = {.role = Role::kAssistant,
                        .text = " ",
                        .reasoning = "Hm",
                        .images = {{.media_type = "image/png", .bytes = "pix"}},
                        .tool_uses = {{"functions.t:0", "browser.search", "{oops"}},
                        .provider_state = R"({"openai":{"reasoningMember":"reasoning"}})"};
  EXPECT_EQ(MessagesFor({turn, {.role = Role::kAssistant, .text = "\n"}}),
            R"([{"role":"assistant","content":[)"
            R"({"type":"tool_use","id":"functions_t_0","name":"browser_search","input":{}}]}])");
}

TEST(AnthropicRequestTest, LetsExtraMembersReplaceItsOwn) {
  ModelRequest request;
  request.reasoning = true;
  request.extra = {{"thinking", {{"type", "adaptive"}, {"budget_tokens", nullptr}}}};
  EXPECT_EQ(DumpJson((*AnthropicRequestBody(request, "m", false))["thinking"]), R"({"type":"adaptive"})");
}

}  // namespace
}  // namespace toolgate::executors::models
