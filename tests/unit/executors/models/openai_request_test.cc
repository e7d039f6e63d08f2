#include "executors/models/openai_request.h"

#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

constexpr char kTools[] = R"([{"type":"function","function":{"name":"list_tasks","parameters":{"type":"object"}}}])";

std::string OpenAiBody(const ModelRequest& request, OpenAiDialect dialect, bool stream) {
  const auto body = OpenAiRequestBody(request, "m-1", dialect, stream);
  return body.ok() ? DumpJson(*body) : body.status().ToString();
}

Json OpenAiMessages(std::vector<Message> messages, OpenAiDialect dialect = OpenAiDialect::kOpenAi) {
  ModelRequest request;
  request.messages = std::move(messages);
  return (*OpenAiRequestBody(request, "m-1", dialect, false))["messages"];
}

Json Parsed(const char* text) {
  const auto json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? *json : Json();
}

ModelRequest FullRequest() {
  ModelRequest request;
  request.system = "Be brief.";
  request.messages = {{.role = Role::kUser, .text = "Hi"}};
  request.tools_json = kTools;
  request.max_output_tokens = 100;
  request.temperature = 0.5;
  request.reasoning = true;
  return request;
}

TEST(OpenAiRequestTest, SpeaksTheDialectOfOpenAi) {
  EXPECT_EQ(
      OpenAiBody(FullRequest(), OpenAiDialect::kOpenAi, true),
      R"({"model":"m-1","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],)"
      R"("tools":)" +
          std::string(kTools) +
          R"(,"max_completion_tokens":100,"temperature":0.5,"stream_options":{"include_usage":true},"stream":true})");
}

TEST(OpenAiRequestTest, SpeaksTheDialectOfGlm) {
  EXPECT_EQ(OpenAiBody(FullRequest(), OpenAiDialect::kGlm, true),
            R"({"model":"m-1","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],)"
            R"("tools":)" +
                std::string(kTools) +
                R"(,"max_tokens":100,"temperature":0.5,"thinking":{"type":"enabled"},"stream":true})");
  EXPECT_EQ(OpenAiBody({}, OpenAiDialect::kGlm, false),
            R"({"model":"m-1","messages":[],"thinking":{"type":"disabled"},"stream":false})");
}

TEST(OpenAiRequestTest, SendsImagesAsParts) {
  EXPECT_EQ(OpenAiMessages({{.role = Role::kUser,
                             .text = "Make it blue",
                             .images = {{.media_type = "image/png", .bytes = "pix"}, {.url = "https://x.example/1"}}}}),
            Parsed(R"([{"role":"user","content":[{"type":"text","text":"Make it blue"},
                {"type":"image_url","image_url":{"url":"data:image/png;base64,cGl4"}},
                {"type":"image_url","image_url":{"url":"https://x.example/1"}}]}])"));
}

TEST(OpenAiRequestTest, SendsARoundOfToolCalls) {
  const Message calls = {.role = Role::kAssistant,
                         .tool_uses = {{"call_1", "list_tasks", R"({"limit": 2})"}, {"call_2", "get_block", "{oops"}}};
  const Message answers = {.role = Role::kTool,
                           .tool_answers = {{.tool_use_id = "call_1",
                                             .name = "list_tasks",
                                             .rendered = R"({"role":"tool","tool_call_id":"call_1","content":"[]"})"},
                                            {.tool_use_id = "call_2", .name = "get_block", .rendered = "plain"}}};
  EXPECT_EQ(OpenAiMessages({calls, answers}), Parsed(R"([
      {"role":"assistant","content":null,"tool_calls":[
        {"id":"call_1","type":"function","function":{"name":"list_tasks","arguments":"{\"limit\": 2}"}},
        {"id":"call_2","type":"function","function":{"name":"get_block","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"call_1","content":"[]"},
      {"role":"tool","tool_call_id":"call_2","content":"plain"}])"));
}

TEST(OpenAiRequestTest, SendsToolResultElementsToGlm) {
  const Message answers = {.role = Role::kTool,
                           .tool_answers = {{.tool_use_id = "call_1", .rendered = "<tool_result>…</tool_result>"}}};
  EXPECT_EQ(OpenAiMessages({answers}, OpenAiDialect::kGlm),
            Parsed(R"([{"role":"tool","tool_call_id":"call_1","content":"<tool_result>…</tool_result>"}])"));
}

TEST(OpenAiRequestTest, SendsReasoningBackWithCallsAlone) {
  Message turn = {.role = Role::kAssistant,
                  .text = "a",
                  .reasoning = "Hm",
                  .provider_state = R"({"openai":{"reasoningMember":"reasoning_content","reasoningDetails":[{"x":1}],
                                       "callExtras":{"c":{"google":{}}}}})"};
  EXPECT_EQ(OpenAiMessages({turn}), Parsed(R"([{"role":"assistant","content":"a","reasoning_details":[{"x":1}]}])"));
  turn.tool_uses = {{"c", "t", "{}"}};
  EXPECT_EQ(OpenAiMessages({turn}), Parsed(R"([{"role":"assistant","content":"a","reasoning_details":[{"x":1}],
      "reasoning_content":"Hm","tool_calls":[
        {"id":"c","type":"function","function":{"name":"t","arguments":"{}"},"extra_content":{"google":{}}}]}])"));
  turn.provider_state = R"({"gemini":[{"text":1}]})";
  EXPECT_EQ(OpenAiMessages({turn}), Parsed(R"([{"role":"assistant","content":"a","tool_calls":[
        {"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}]}])"));
}

constexpr char kThought[] = R"({"openai":{"reasoningMember":"reasoning_content"}})";

Message Thinks(std::string text, std::string reasoning, std::vector<ToolUse> uses = {}) {
  return {.role = Role::kAssistant,
          .text = std::move(text),
          .reasoning = std::move(reasoning),
          .tool_uses = std::move(uses),
          .provider_state = kThought};
}

Message UserSays(std::string text) { return {.role = Role::kUser, .text = std::move(text)}; }
Message ToolSays(const std::string& id) {
  return {.role = Role::kTool, .tool_answers = {{.tool_use_id = id, .rendered = "r"}}};
}

// As DeepSeek checks it.
TEST(OpenAiRequestTest, SendsReasoningBackWithTheFinalAnswerOfATurnWithCalls) {
  const Json sent =
      OpenAiMessages({UserSays("One"), Thinks("plain", "a"), UserSays("Two"), Thinks("", "b", {{"c", "t", "{}"}}),
                      ToolSays("c"), Thinks("Done", "d"), UserSays("Three")});
  ASSERT_EQ(sent.size(), 7u);
  EXPECT_FALSE(sent[1].contains("reasoning_content"));
  EXPECT_EQ(sent[3]["reasoning_content"], "b");
  EXPECT_EQ(sent[5]["reasoning_content"], "d");
  EXPECT_EQ(sent[5]["content"], "Done");
}

TEST(OpenAiRequestTest, SendsEmptyReasoningWhereItMustBe) {
  Message no_thought = Thinks("Done", "");
  no_thought.provider_state = "";
  const std::vector<Message> messages = {UserSays("One"), Thinks("", "b", {{"c", "t", "{}"}}), ToolSays("c"),
                                         no_thought};
  EXPECT_EQ(OpenAiMessages(messages)[3]["reasoning_content"], "");
}

std::vector<Message> OfAnotherModel() {
  Message calls = {.role = Role::kAssistant, .reasoning = "secret", .tool_uses = {{"c", "t", "{}"}}};
  Message done = {.role = Role::kAssistant, .text = "Done", .reasoning = "secret"};
  return {UserSays("One"), calls, ToolSays("c"), done, UserSays("Two")};
}

Json MessagesFor(const char* model) {
  ModelRequest request;
  request.messages = OfAnotherModel();
  return (*OpenAiRequestBody(request, model, OpenAiDialect::kOpenAi, false))["messages"];
}

TEST(OpenAiRequestTest, ReasoningOfAnotherModelStays) {
  EXPECT_EQ(DumpJson(MessagesFor("gpt-4.1")).find("reasoning"), std::string::npos);
  EXPECT_EQ(DumpJson(MessagesFor("gpt-4.1")).find("secret"), std::string::npos);
}

TEST(OpenAiRequestTest, ModelsThatDemandReasoningGetAnEmptyOne) {
  for (const char* model : {"deepseek-v4-pro", "deepseek-chat", "deepseek/deepseek-v3.2", "kimi-k2.6"}) {
    const Json sent = MessagesFor(model);
    EXPECT_EQ(sent[1]["reasoning_content"], "") << model;
    EXPECT_EQ(sent[3]["reasoning_content"], "") << model;
    EXPECT_EQ(DumpJson(sent).find("secret"), std::string::npos);
  }
}

TEST(OpenAiRequestTest, IdsAreInTheFormOfTheModel) {
  ModelRequest request;
  const std::string long_id = "chatcmpl-tool-" + std::string(32, 'f');
  request.messages = {{.role = Role::kAssistant, .tool_uses = {{long_id, "t", "{}"}, {"call_1", "t", "{}"}}},
                      {.role = Role::kTool, .tool_answers = {{.tool_use_id = long_id}, {.tool_use_id = "call_1"}}}};
  const auto ids = [&](const char* model) {
    const Json sent = (*OpenAiRequestBody(request, model, OpenAiDialect::kOpenAi, false))["messages"];
    std::vector<std::string> shown = {sent[0]["tool_calls"][0]["id"], sent[0]["tool_calls"][1]["id"]};
    EXPECT_EQ(sent[1]["tool_call_id"], shown[0]);
    EXPECT_EQ(sent[2]["tool_call_id"], shown[1]);
    return shown;
  };
  EXPECT_LE(ids("gpt-4.1")[0].size(), 40u);
  EXPECT_EQ(ids("gpt-4.1")[1], "call_1");
  for (const std::string& id : ids("mistral-large-latest")) EXPECT_EQ(id.size(), 9u);
}

TEST(OpenAiRequestTest, ElementsHaveTheIdOfTheirMessage) {
  const std::string id(50, 'x');
  const Json sent = OpenAiMessages(
      {{.role = Role::kAssistant, .tool_uses = {{id, "t", "{}"}}},
       {.role = Role::kTool,
        .tool_answers = {{.tool_use_id = id,
                          .rendered = "<tool_result>\n  <tool_call_id>" + id + "</tool_call_id>\n</tool_result>"}}}},
      OpenAiDialect::kGlm);
  EXPECT_EQ(sent[1]["content"], "<tool_result>\n  <tool_call_id>" + sent[1]["tool_call_id"].get<std::string>() +
                                    "</tool_call_id>\n</tool_result>");
}

TEST(OpenAiRequestTest, MergesExtraMembersButForTheStream) {
  ModelRequest request = FullRequest();
  request.extra = {{"modalities", {"image", "text"}}, {"temperature", nullptr}, {"stream", true}};
  const auto body = OpenAiRequestBody(request, "m-1", OpenAiDialect::kOpenAi, false);
  ASSERT_TRUE(body.ok());
  EXPECT_EQ((*body)["modalities"], Json({"image", "text"}));
  EXPECT_FALSE(body->contains("temperature"));
  EXPECT_EQ((*body)["stream"], false);
}

TEST(OpenAiRequestTest, RefusesACatalogueThatIsNoJson) {
  ModelRequest request;
  request.tools_json = "[";
  EXPECT_EQ(OpenAiRequestBody(request, "m", OpenAiDialect::kOpenAi, false).status().code(),
            absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace toolgate::executors::models
