#include "executors/models/gemini_request.h"

#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::models {
namespace {

using testing::FailsWith;

std::string ContentsFor(std::vector<Message> messages) {
  ModelRequest request;
  request.messages = std::move(messages);
  return DumpJson((*GeminiRequestBody(request))["contents"]);
}

TEST(GeminiRequestTest, NamesTheModelInThePath) {
  EXPECT_EQ(*GeminiPath("gemini-2.5-flash", false), "/v1beta/models/gemini-2.5-flash:generateContent");
  EXPECT_EQ(*GeminiPath("models/gemini-2.5-flash", true),
            "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
}

TEST(GeminiRequestTest, RefusesModelNamesThatAreNoPartOfAUrl) {
  for (const std::string& name : {std::string(), std::string("models/"), std::string("../files"), std::string("a/b"),
                                  std::string("a?key=b"), std::string("a:b"), std::string("a b"), std::string("a%2F"),
                                  std::string("ä"), std::string(".."), std::string(129, 'a')}) {
    EXPECT_THAT(GeminiPath(name, true), FailsWith(ErrorCode::kInvalidParams, "gemini-2.5-flash", "")) << name;
  }
}

TEST(GeminiRequestTest, HasInstructionToolsAndConfiguration) {
  ModelRequest request;
  request.system = "Be brief.";
  request.messages = {{.role = Role::kUser, .text = "Hi"}};
  request.tools_json = R"({"functionDeclarations":[{"name":"list_tasks"}]})";
  request.max_output_tokens = 100;
  request.temperature = 0.5;
  request.reasoning = true;
  request.extra = {{"generationConfig", {{"responseModalities", {"TEXT", "IMAGE"}}}}};
  const auto body = GeminiRequestBody(request);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(DumpJson(*body),
            R"({"systemInstruction":{"parts":[{"text":"Be brief."}]},)"
            R"("contents":[{"role":"user","parts":[{"text":"Hi"}]}],)"
            R"("tools":[{"functionDeclarations":[{"name":"list_tasks"}]}],)"
            R"("toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},)"
            R"("generationConfig":{"maxOutputTokens":100,"temperature":0.5,"thinkingConfig":{"includeThoughts":true},)"
            R"("responseModalities":["TEXT","IMAGE"]}})");
}

TEST(GeminiRequestTest, OffersNoEmptyCatalogue) {
  ModelRequest request;
  request.tools_json = R"({"functionDeclarations":[]})";
  EXPECT_EQ(DumpJson(*GeminiRequestBody(request)), R"({"contents":[]})");
}

TEST(GeminiRequestTest, SendsImages) {
  EXPECT_EQ(ContentsFor({{.role = Role::kUser,
                          .text = "Blue?",
                          .images = {{.media_type = "image/png", .bytes = "pix"}, {.url = "https://x.example/1"}}}}),
            R"([{"role":"user","parts":[{"text":"Blue?"},{"inlineData":{"mimeType":"image/png","data":"cGl4"}},)"
            R"({"fileData":{"fileUri":"https://x.example/1"}}]}])");
}

TEST(GeminiRequestTest, SendsNoIdsThatTheModelDidNotGive) {
  const Message calls = {.role = Role::kAssistant,
                         .tool_uses = {{"f1", "list_tasks", R"({"limit":2})"}, {"toolgate-x", "get_block", "{oops"}}};
  const Message answers = {
      .role = Role::kTool,
      .tool_answers = {
          {.tool_use_id = "f1",
           .name = "list_tasks",
           .rendered = R"({"functionResponse":{"id":"f1","name":"list_tasks","response":{"result":[]}}})"},
          {.tool_use_id = "toolgate-x",
           .name = "get_block",
           .rendered = R"({"functionResponse":{"id":"toolgate-x","name":"get_block","response":{"error":{}}}})"}}};
  EXPECT_EQ(ContentsFor({calls, answers}),
            R"([{"role":"model","parts":[{"functionCall":{"id":"f1","name":"list_tasks","args":{"limit":2}}},)"
            R"({"functionCall":{"name":"get_block","args":{}}}]},{"role":"user","parts":[)"
            R"({"functionResponse":{"id":"f1","name":"list_tasks","response":{"result":[]}}},)"
            R"({"functionResponse":{"name":"get_block","response":{"error":{}}}}]}])");
}

TEST(GeminiRequestTest, WrapsAnswersOfOtherProviders) {
  EXPECT_EQ(ContentsFor({{.role = Role::kTool,
                          .tool_answers = {{.tool_use_id = "f1", .name = "t", .rendered = "<tool_result/>"}}}}),
            R"([{"role":"user","parts":[{"functionResponse":{"name":"t","response":{"result":"<tool_result/>"},)"
            R"("id":"f1"}}]}])");
}

}  // namespace
}  // namespace toolgate::executors::models
