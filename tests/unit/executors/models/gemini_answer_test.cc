#include "executors/models/gemini_answer.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "executors/models/gemini_request.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/model_answers.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::models {
namespace {

using testing::CollectedDeltas;
using testing::EventStream;
using testing::FailsWith;
using testing::ReadStreamAs;
using testing::ReadWholeAs;
using testing::Shown;

// A response with one candidate.
std::string Candidate(std::string_view parts, std::string_view finish = "") {
  return R"({"candidates":[{"content":{"role":"model","parts":[)" + std::string(parts) + "]}" +
         (finish.empty() ? "" : R"(,"finishReason":")" + std::string(finish) + "\"") +
         R"(,"index":0}],"modelVersion":"gemini-1"})";
}

std::vector<std::string> TurnEvents() {
  return {Candidate(R"({"text":"**Plan**","thought":true})"), Candidate(R"({"text":"Größe "})"),
          Candidate(R"({"text":"prüfen"},{"text":"","thoughtSignature":"c2ln"})"),
          Candidate(R"({"functionCall":{"id":"f1","name":"list_tasks","args":{"limit":2}},"thoughtSignature":"c2ln2"},)"
                    R"({"functionCall":{"name":"daily_overview"}})"),
          R"({"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}],"usageMetadata":)"
          R"({"promptTokenCount":9,"toolUsePromptTokenCount":1,"candidatesTokenCount":20,"thoughtsTokenCount":5}})"};
}

TEST(GeminiAnswerTest, ReadsAStreamInAnyPieces) {
  const std::string stream = EventStream(TurnEvents());
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{9}, size_t{100}, stream.size()}) {
    SCOPED_TRACE(piece);
    CollectedDeltas deltas;
    const auto answer = ReadStreamAs<GeminiAnswer>(stream, piece, &deltas);
    ASSERT_TRUE(answer.ok()) << answer.status();
    ASSERT_EQ(answer->message.tool_uses.size(), 2);
    const std::string made_up = answer->message.tool_uses[1].id;
    EXPECT_THAT(made_up, ::testing::MatchesRegex("toolgate-[A-Za-z0-9_-]{20}"));
    EXPECT_EQ(
        Shown(answer),
        R"({"stop":"tool use","text":"Größe prüfen","reasoning":"**Plan**","calls":["f1 list_tasks {\"limit\":2}",")" +
            made_up + R"( daily_overview {}"],"model":"gemini-1","tokens":[10,25]})" +
            R"({"gemini":[{"text":15},{"text":0,"extra":{"thoughtSignature":"c2ln"}},)" +
            R"({"toolUse":"f1","extra":{"thoughtSignature":"c2ln2"}},{"toolUse":")" + made_up + R"("}]})");
    EXPECT_EQ(deltas.text, "Größe prüfen");
    EXPECT_EQ(deltas.reasoning, "**Plan**");
  }
}

TEST(GeminiAnswerTest, GoesBackWithItsSignatures) {
  const auto answer = ReadStreamAs<GeminiAnswer>(EventStream(TurnEvents()));
  ASSERT_TRUE(answer.ok()) << answer.status();
  ModelRequest request;
  request.messages = {answer->message};
  const auto body = GeminiRequestBody(request);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ((*body)["contents"], *ParseJson(R"([{"role":"model","parts":[
      {"text":"Größe prüfen"},{"text":"","thoughtSignature":"c2ln"},
      {"functionCall":{"id":"f1","name":"list_tasks","args":{"limit":2}},"thoughtSignature":"c2ln2"},
      {"functionCall":{"name":"daily_overview","args":{}}}]}])"));
}

TEST(GeminiAnswerTest, ReadsAWholeAnswer) {
  EXPECT_EQ(Shown(ReadWholeAs<GeminiAnswer>(
                R"({"candidates":[{"content":{"parts":[{"text":"Hi"}],"role":"model"},"finishReason":"STOP"}],
                    "usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1},"modelVersion":"gemini-1"})")),
            R"({"stop":"end","text":"Hi","model":"gemini-1","tokens":[3,1]})");
}

TEST(GeminiAnswerTest, KeepsImages) {
  EXPECT_EQ(
      Shown(ReadWholeAs<GeminiAnswer>(Candidate(
          R"({"text":"Here."},{"inlineData":{"mimeType":"image/png","data":"cGl4"},"thoughtSignature":"s"})", "STOP"))),
      R"({"stop":"end","text":"Here.","images":["image/png pix"],"model":"gemini-1"})"
      R"({"gemini":[{"text":5},{"image":0,"extra":{"thoughtSignature":"s"}}]})");
}

TEST(GeminiAnswerTest, ShowsNoDraftsOfImages) {
  EXPECT_EQ(Shown(ReadWholeAs<GeminiAnswer>(Candidate(
                R"({"thought":true,"inlineData":{"mimeType":"image/png","data":"cGl4"}},{"text":"a"})", "STOP"))),
            R"({"stop":"end","text":"a","model":"gemini-1"})");
}

struct GeminiStop {
  const char* reason;
  const char* shown;
};

class GeminiStopTest : public ::testing::TestWithParam<GeminiStop> {};

TEST_P(GeminiStopTest, IsMapped) {
  const auto answer = testing::ReadWholeAs<GeminiAnswer>(Candidate(R"({"text":"a"})", GetParam().reason));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(testing::StopName(answer->stop), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Reasons, GeminiStopTest,
                         ::testing::Values(GeminiStop{"STOP", "end"}, GeminiStop{"MAX_TOKENS", "length"},
                                           GeminiStop{"SAFETY", "refusal"}, GeminiStop{"RECITATION", "refusal"},
                                           GeminiStop{"PROHIBITED_CONTENT", "refusal"}, GeminiStop{"OTHER", "end"}),
                         [](const auto& info) { return std::string(info.param.reason); });

struct GeminiFailure {
  const char* name;
  std::string event;
  const char* message;
  bool retryable;
};

class GeminiFailureTest : public ::testing::TestWithParam<GeminiFailure> {};

TEST_P(GeminiFailureTest, IsToldInOurWords) {
  const auto answer = ReadStreamAs<GeminiAnswer>(EventStream({GetParam().event}));
  EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, GetParam().message, ""));
  EXPECT_EQ(GetToolError(answer.status())->retryable, GetParam().retryable);
  EXPECT_EQ(answer.status().ToString().find("SECRET"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Streams, GeminiFailureTest,
    ::testing::Values(
        GeminiFailure{"Blocked", R"({"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}})",
                      "blocked the request; its reason is PROHIBITED_CONTENT", false},
        GeminiFailure{"BlockedForAnother", R"({"promptFeedback":{"blockReason":"SECRET"}})", "its reason is another",
                      false},
        GeminiFailure{"Exhausted", R"({"error":{"code":429,"message":"SECRET","status":"RESOURCE_EXHAUSTED"}})",
                      "too many requests", true},
        GeminiFailure{"Invalid", R"({"error":{"code":400,"message":"SECRET","status":"INVALID_ARGUMENT"}})",
                      "refused the request", false},
        GeminiFailure{"CutOff", Candidate(R"({"text":"SECRET"})"), "cut off", true},
        GeminiFailure{"MalformedCall", Candidate("", "MALFORMED_FUNCTION_CALL"), "MALFORMED_FUNCTION_CALL", true},
        GeminiFailure{"Empty", Candidate("", "STOP"), "it is empty", true},
        GeminiFailure{"Audio", Candidate(R"({"inlineData":{"mimeType":"audio/wav","data":"SECRET"}})"), "no image",
                      true},
        GeminiFailure{"BadImage", Candidate(R"({"inlineData":{"mimeType":"image/png","data":"*SECRET*"}})"),
                      "neither base64", true},
        GeminiFailure{"NamelessCall", Candidate(R"({"functionCall":{"args":{}}})", "STOP"), "names no tool", true},
        GeminiFailure{"NoJson", "SECRET", "no JSON", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(GeminiAnswerTest, BoundsPartsThatAreKeptForTheirSignatures) {
  AnswerBounds bounds;
  bounds.max_bytes = 1000;
  const std::vector<std::string> events(10, Candidate(R"({"text":"","thoughtSignature":"s"})"));
  EXPECT_THAT(ReadStreamAs<GeminiAnswer>(EventStream(events), std::string_view::npos, nullptr, bounds),
              FailsWith(ErrorCode::kExecutionError, "exceeds 1000 bytes", ""));
}

TEST(GeminiAnswerTest, RefusesBodiesThatAreNoAnswer) {
  EXPECT_THAT(ReadWholeAs<GeminiAnswer>("<html>"), FailsWith(ErrorCode::kExecutionError, "no JSON", ""));
  EXPECT_THAT(ReadWholeAs<GeminiAnswer>("{}"), FailsWith(ErrorCode::kExecutionError, "no candidates", ""));
}

TEST(GeminiAnswerTest, ReadsAnArrayOfChunks) {
  const auto answer = testing::ReadWholeAs<GeminiAnswer>(
      R"([{"candidates":[{"content":{"parts":[{"text":"Hi "}]}}]},
          {"candidates":[{"content":{"parts":[{"text":"there"}]},"finishReason":"STOP"}]}])");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->message.text, "Hi there");
}

TEST(GeminiAnswerTest, ACallWithoutArgumentsHasNoneWhereTheModelEndedItself) {
  for (const auto& [reason, arguments] :
       std::vector<std::pair<std::string, std::string>>{{"STOP", "{}"}, {"SAFETY", ""}, {"OTHER", ""}}) {
    const auto answer = testing::ReadWholeAs<GeminiAnswer>(
        R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{}}}]},"finishReason":")" + reason +
        "\"}]}");
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->message.tool_uses[0].arguments_json, arguments) << reason;
  }
}

TEST(GeminiAnswerTest, ACallThatTheLengthCutHasNoArgumentsOfOurs) {
  const auto answer = testing::ReadWholeAs<GeminiAnswer>(
      R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{}}}]},)"
      R"("finishReason":"MAX_TOKENS"}]})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->stop, StopReason::kLength);
  EXPECT_EQ(answer->message.tool_uses.at(0).arguments_json, "");
}

}  // namespace
}  // namespace toolgate::executors::models
