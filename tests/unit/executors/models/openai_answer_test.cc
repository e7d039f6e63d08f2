#include "executors/models/openai_answer.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
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

// A chunk with this delta, a JSON object, and a finish reason unless it is empty.
std::string Chunk(std::string_view delta, std::string_view finish = "") {
  return R"({"id":"c1","object":"chat.completion.chunk","model":"m-1","choices":[{"index":0,"delta":)" +
         std::string(delta) + R"(,"finish_reason":)" +
         (finish.empty() ? std::string("null") : "\"" + std::string(finish) + "\"") + "}]}";
}

std::string WholeMessage(std::string_view message, std::string_view finish = "stop") {
  return R"({"model":"m-1","choices":[{"index":0,"message":)" + std::string(message) + R"(,"finish_reason":")" +
         std::string(finish) + "\"}]}";
}

bool IsRetryable(const absl::Status& status) {
  const auto error = GetToolError(status);
  return error.has_value() && error->retryable;
}

TEST(OpenAiAnswerTest, ReadsAWholeAnswer) {
  const auto answer = ReadWholeAs<OpenAiAnswer>(R"({
    "id": "chatcmpl-1", "object": "chat.completion", "model": "glm-4.6",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
      "role": "assistant", "content": "Looking.", "reasoning_content": "Which tool?",
      "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "list_tasks", "arguments": "{\"limit\": 2}"}},
        {"id": "call_2", "type": "function", "function": {"name": "get_block", "arguments": ""}}]}}],
    "usage": {"prompt_tokens": 120, "completion_tokens": 34, "total_tokens": 154}})");
  EXPECT_EQ(Shown(answer),
            R"({"stop":"tool use","text":"Looking.","reasoning":"Which tool?",)"
            R"("calls":["call_1 list_tasks {\"limit\": 2}","call_2 get_block {}"],"model":"glm-4.6","tokens":[120,34]})"
            R"({"openai":{"reasoningMember":"reasoning_content"}})");
}

struct WholeCase {
  const char* name;
  const char* message;
  const char* finish;
  const char* shown;  // Without the model.
};

class OpenAiWholeTest : public ::testing::TestWithParam<WholeCase> {};

TEST_P(OpenAiWholeTest, IsRead) {
  auto answer = ReadWholeAs<OpenAiAnswer>(WholeMessage(GetParam().message, GetParam().finish));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->model, "m-1");
  answer->model.clear();
  answer->message.provider_state.clear();
  EXPECT_EQ(Shown(answer), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Messages, OpenAiWholeTest,
    ::testing::Values(
        WholeCase{"Text", R"({"content":"Hi"})", "stop", R"({"stop":"end","text":"Hi"})"},
        WholeCase{"Parts", R"({"content":[{"type":"text","text":"Hi "},{"type":"text","text":"there"}]})", "stop",
                  R"({"stop":"end","text":"Hi there"})"},
        WholeCase{"Refusal", R"({"content":null,"refusal":"I cannot."})", "stop",
                  R"({"stop":"refusal","text":"I cannot."})"},
        WholeCase{"RefusalPart", R"({"content":[{"type":"refusal","refusal":"No."}]})", "stop",
                  R"({"stop":"refusal","text":"No."})"},
        WholeCase{"Filtered", R"({"content":""})", "content_filter", R"({"stop":"refusal"})"},
        WholeCase{"FilteredByGlm", R"({"content":""})", "sensitive", R"({"stop":"refusal"})"},
        WholeCase{"Length", R"({"content":"Once"})", "length", R"({"stop":"length","text":"Once"})"},
        WholeCase{"NothingButThoughtsInLength", R"({"content":"","reasoning":"Hm"})", "length",
                  R"({"stop":"length","reasoning":"Hm"})"},
        WholeCase{"ReasoningTwice", R"({"content":"a","reasoning":"Hm","reasoning_content":"Hm"})", "stop",
                  R"({"stop":"end","text":"a","reasoning":"Hm"})"},
        WholeCase{"DataImage",
                  R"({"content":"","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cGl4"}}]})",
                  "stop", R"({"stop":"end","images":["image/png pix"]})"},
        WholeCase{"WebImage", R"({"content":"","images":[{"image_url":{"url":"https://cdn.example/1.png"}}]})", "stop",
                  R"({"stop":"end","images":["https://cdn.example/1.png"]})"},
        WholeCase{"ImagePart", R"({"content":[{"type":"image_url","image_url":"data:image/webp;base64,cGl4"}]})",
                  "stop", R"({"stop":"end","images":["image/webp pix"]})"},
        WholeCase{"CallsThoughItSaysStop",
                  R"({"content":null,"tool_calls":[{"id":"a","function":{"name":"t","arguments":"{}"}}]})", "stop",
                  R"({"stop":"tool use","calls":["a t {}"]})"},
        WholeCase{"ArgumentsAsObject",
                  R"({"content":null,"tool_calls":[{"id":"a","function":{"name":"t","arguments":{"x":1}}}]})", "stop",
                  R"({"stop":"tool use","calls":["a t {\"x\":1}"]})"},
        WholeCase{"MalformedArgumentsAsTheyAre",
                  R"({"content":null,"tool_calls":[{"id":"a","function":{"name":"t","arguments":"{\"x\": oops"}}]})",
                  "tool_calls", R"({"stop":"tool use","calls":["a t {\"x\": oops"]})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OpenAiAnswerTest, GivesCallsWithoutUsableIdsNewOnes) {
  const auto answer = ReadWholeAs<OpenAiAnswer>(WholeMessage(
      R"({"tool_calls":[{"function":{"name":"a"}},{"id":"x","function":{"name":"b"}},{"id":"x","function":{"name":"c"}},
          {"id":")" +
      std::string(129, 'y') + R"(","function":{"name":"d"}}]})"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto& uses = answer->message.tool_uses;
  ASSERT_EQ(uses.size(), 4);
  EXPECT_EQ(uses[1].id, "x");
  for (const size_t i : {0, 2, 3}) EXPECT_THAT(uses[i].id, ::testing::MatchesRegex("toolgate-[A-Za-z0-9_-]{20}")) << i;
  EXPECT_NE(uses[0].id, uses[2].id);
}

TEST(OpenAiAnswerTest, ReadsAStreamInAnyPieces) {
  const std::string stream =
      ": OPENROUTER PROCESSING\n\n" +
      EventStream({Chunk(R"({"role":"assistant","content":""})"), Chunk(R"({"reasoning_content":"Two "})"),
                   Chunk(R"({"reasoning_content":"calls."})"), Chunk(R"({"content":"Größe "})"),
                   Chunk(R"({"content":"prüfen"})"),
                   Chunk(R"({"tool_calls":[{"index":0,"id":"call_a","type":"function",)"
                         R"("function":{"name":"list_tasks","arguments":""}}]})"),
                   Chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"lim"}}]})"),
                   Chunk(R"({"tool_calls":[{"index":1,"id":"call_b","type":"function",)"
                         R"("function":{"name":"get_block","arguments":"{\"id\":"}}]})"),
                   Chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"it\":2}"}},)"
                         R"({"index":1,"function":{"arguments":"\"b1\"}"}}]})"),
                   Chunk("{}", "tool_calls"),
                   R"({"model":"m-1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9}})", "[DONE]"});
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{17}, size_t{256}, stream.size()}) {
    SCOPED_TRACE(piece);
    CollectedDeltas deltas;
    EXPECT_EQ(Shown(ReadStreamAs<OpenAiAnswer>(stream, piece, &deltas)),
              R"({"stop":"tool use","text":"Größe prüfen","reasoning":"Two calls.",)"
              R"("calls":["call_a list_tasks {\"limit\":2}","call_b get_block {\"id\":\"b1\"}"],)"
              R"("model":"m-1","tokens":[7,9]}{"openai":{"reasoningMember":"reasoning_content"}})");
    EXPECT_EQ(deltas.text, "Größe prüfen");
    EXPECT_EQ(deltas.reasoning, "Two calls.");
  }
}

struct StreamedCalls {
  const char* name;
  std::vector<std::string> deltas;
  std::vector<std::string> arguments;
};

class OpenAiStreamedCallsTest : public ::testing::TestWithParam<StreamedCalls> {};

TEST_P(OpenAiStreamedCallsTest, AreToldApart) {
  std::vector<std::string> chunks;
  for (const std::string& delta : GetParam().deltas) chunks.push_back(Chunk("{\"tool_calls\":[" + delta + "]}"));
  chunks.push_back(Chunk("{}", "tool_calls"));
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(chunks));
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::vector<std::string> arguments;
  for (const ToolUse& use : answer->message.tool_uses) arguments.push_back(use.name + use.arguments_json);
  EXPECT_EQ(arguments, GetParam().arguments);
}

INSTANTIATE_TEST_SUITE_P(
    Servers, OpenAiStreamedCallsTest,
    ::testing::Values(
        StreamedCalls{"OneIndexForAll",
                      {R"({"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\":1}"}})",
                       R"({"index":0,"id":"b","function":{"name":"t","arguments":"{\"x\":2}"}})"},
                      {R"(t{"x":1})", R"(t{"x":2})"}},
        StreamedCalls{"NoIndex",
                      {R"({"id":"a","function":{"name":"t","arguments":"{\"x\""}})",
                       R"({"function":{"arguments":":1}"}})", R"({"id":"b","function":{"name":"u","arguments":"{}"}})"},
                      {R"(t{"x":1})", "u{}"}},
        StreamedCalls{"IdAndNameInEachPiece",
                      {R"({"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\""}})",
                       R"({"index":0,"id":"a","function":{"name":"t","arguments":":1}"}})"},
                      {R"(t{"x":1})"}},
        StreamedCalls{
            "NoIds",
            {R"({"index":0,"function":{"name":"t","arguments":"{"}})",
             R"({"index":1,"function":{"name":"u","arguments":"{}"}})", R"({"index":0,"function":{"arguments":"}"}})"},
            {"t{}", "u{}"}},
        StreamedCalls{
            "ArgumentsUnderAnotherIndex",
            {R"({"index":0,"id":"a","function":{"name":"t","arguments":""}})",
             R"({"index":1,"function":{"arguments":"{\"x\""}})", R"({"index":1,"function":{"arguments":":1}"}})"},
            {R"(t{"x":1})"}},
        StreamedCalls{"ANewIndexInEachPiece",
                      {R"({"index":0,"id":"a","function":{"name":"t","arguments":""}})",
                       R"({"index":1,"id":"a","function":{"name":"t","arguments":"{\"x\""}})",
                       R"({"index":2,"id":"a","function":{"name":null,"arguments":":1}"}})"},
                      {R"(t{"x":1})"}},
        StreamedCalls{
            "LaterPiecesUnderIndexZero",
            {R"({"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\":1}"}})",
             R"({"index":1,"id":"b","function":{"name":"u","arguments":""}})",
             R"({"index":0,"function":{"arguments":"{\"y\":"}})", R"({"index":0,"function":{"arguments":"2}"}})"},
            {R"(t{"x":1})", R"(u{"y":2})"}},
        StreamedCalls{"OneIdForTwoCalls",
                      {R"({"index":0,"id":"t:0","function":{"name":"t","arguments":"{\"x\":1}"}})",
                       R"({"index":1,"id":"t:0","function":{"name":"t","arguments":"{\"x\":"}})",
                       R"({"index":1,"function":{"arguments":"2}"}})"},
                      {R"(t{"x":1})", R"(t{"x":2})"}},
        StreamedCalls{"OneIdAndOneIndexForTwoCalls",
                      {R"({"index":0,"id":"t:0","function":{"name":"t","arguments":"{\"x\":1}"}})",
                       R"({"index":0,"id":"t:0","function":{"name":"t","arguments":"{\"x\":2}"}})"},
                      {R"(t{"x":1})", R"(t{"x":2})"}},
        StreamedCalls{"NeitherIdNorIndex",
                      {R"({"function":{"name":"t","arguments":"{\"x\":1}"}})",
                       R"({"function":{"name":"t","arguments":"{\"x\":"}})", R"({"function":{"arguments":"2}"}})"},
                      {R"(t{"x":1})", R"(t{"x":2})"}},
        StreamedCalls{"TheIdComesAlone",
                      {R"({"index":0,"id":"a"})", R"({"index":0,"function":{"name":"t"}})",
                       R"({"index":0,"function":{"arguments":"{}"}})"},
                      {"t{}"}},
        StreamedCalls{"IdInEachPieceAndNameInTheFirst",
                      {R"({"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\""}})",
                       R"({"index":0,"id":"a","function":{"name":"","arguments":":1}"}})",
                       R"({"index":0,"id":"a","function":{"arguments":""}})"},
                      {R"(t{"x":1})"}},
        StreamedCalls{"ObjectsAndNulls",
                      {R"({"index":0,"id":"a","function":{"name":"t","arguments":null}})",
                       R"({"index":0,"id":null,"function":{"name":null,"arguments":{"x":1}}})",
                       R"({"index":1,"id":"b","function":{"name":"u","arguments":{"y":[2]}}})"},
                      {R"(t{"x":1})", R"(u{"y":[2]})"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OpenAiAnswerTest, ReadsTheCallOfTheOldForm) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(
      EventStream({Chunk(R"({"content":null,"function_call":{"name":"t","arguments":"{\"x\""}})"),
                   Chunk(R"({"function_call":{"arguments":":1}"}})"), Chunk("{}", "function_call"), "[DONE]"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->message.tool_uses.size(), 1u);
  EXPECT_EQ(answer->message.tool_uses[0].arguments_json, R"({"x":1})");
  EXPECT_EQ(answer->stop, StopReason::kToolUse);
}

TEST(OpenAiAnswerTest, ThoughtsInTheContentAreReasoning) {
  const std::string stream =
      EventStream({Chunk(R"({"role":"assistant","content":"<thi"})"), Chunk(R"({"content":"nk>Two "})"),
                   Chunk(R"({"content":"words.</th"})"), Chunk(R"({"content":"ink>\n\nHel"})"),
                   Chunk(R"({"content":"lo."})", "stop")});
  for (const size_t piece : {size_t{1}, size_t{7}, stream.size()}) {
    CollectedDeltas deltas;
    EXPECT_EQ(Shown(ReadStreamAs<OpenAiAnswer>(stream, piece, &deltas)),
              R"({"stop":"end","text":"Hello.","reasoning":"Two words.","model":"m-1"})");
    EXPECT_EQ(deltas.text, "Hello.");
    EXPECT_EQ(deltas.reasoning, "Two words.");
  }
  EXPECT_EQ(Shown(ReadWholeAs<OpenAiAnswer>(WholeMessage(R"({"content":"<think>Hm</think>{\"a\":1}"})"))),
            R"({"stop":"end","text":"{\"a\":1}","reasoning":"Hm","model":"m-1"})");
}

TEST(OpenAiAnswerTest, ThoughtsWithoutAnOpeningTagAreReasoning) {
  const std::string stream =
      EventStream({Chunk(R"({"content":"I greet."})"), Chunk(R"({"content":"\n</think>\n\nHello."})", "stop")});
  CollectedDeltas deltas;
  EXPECT_EQ(Shown(ReadStreamAs<OpenAiAnswer>(stream, stream.size(), &deltas)),
            R"({"stop":"end","text":"Hello.","reasoning":"I greet.\n","model":"m-1"})");
  EXPECT_EQ(deltas.text, "I greet.\nHello.");
  AnswerBounds bounds;
  testing::ChangingIds ids;
  CollectedDeltas held;
  OpenAiAnswer reader(bounds, ids, &held, /*holds_text=*/true);
  EXPECT_EQ(Shown(testing::ReadStream(reader, stream, 5)),
            R"({"stop":"end","text":"Hello.","reasoning":"I greet.\n","model":"m-1"})");
  EXPECT_EQ(held.text, "Hello.");
  EXPECT_TRUE(reader.saw_unopened_thoughts());
}

TEST(OpenAiAnswerTest, ReasoningInPartsIsReasoning) {
  EXPECT_EQ(Shown(ReadWholeAs<OpenAiAnswer>(
                WholeMessage(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},)"
                             R"({"type":"text","text":"Hi"}]})"))),
            R"({"stop":"end","text":"Hi","reasoning":"Hm","model":"m-1"})");
}

TEST(OpenAiAnswerTest, ReasoningAloneIsNoAnswer) {
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>(WholeMessage(R"({"content":"<think>Hm</think>"})")),
              FailsWith(ErrorCode::kExecutionError, "empty but for its reasoning", ""));
}

TEST(OpenAiAnswerTest, ACallThatTheLengthCutHasNoArgumentsOfOurs) {
  for (const char* reason : {"length", "max_tokens", "model_length"}) {
    const auto answer = ReadStreamAs<OpenAiAnswer>(
        EventStream({Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":""}}]})"),
                     Chunk("{}", reason)}));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->stop, StopReason::kLength) << reason;
    ASSERT_EQ(answer->message.tool_uses.size(), 1u);
    EXPECT_EQ(answer->message.tool_uses[0].arguments_json, "");
  }
}

TEST(OpenAiAnswerTest, ACallThatTheLengthCutInItsNameIsLeftOut) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(
      EventStream({Chunk(R"({"content":"Well","tool_calls":[{"index":0,"id":"a"}]})"), Chunk("{}", "length")}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->message.tool_uses.empty());
}

TEST(OpenAiAnswerTest, ABrokenCallWithoutAFinishReasonIsCutOff) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(
      {Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{\"x\":"}}]})"), "[DONE]"}));
  EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, "no finish_reason", ""));
  EXPECT_TRUE(IsRetryable(answer.status()));
}

// The arguments of a call that came without any; "no answer" if there is none.
std::string ArgumentsOfACallWithout(std::string_view reason) {
  std::vector<std::string> events = {
      Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":""}}]})")};
  events.push_back(reason.empty() ? "[DONE]" : Chunk("{}", reason));
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(events));
  return answer.ok() ? answer->message.tool_uses.at(0).arguments_json : "no answer";
}

TEST(OpenAiAnswerTest, ACallWithoutArgumentsHasNoneWhereTheModelEndedItself) {
  for (const char* reason : {"tool_calls", "function_call", "stop", "end_turn", "tool_use", "STOP"}) {
    EXPECT_EQ(ArgumentsOfACallWithout(reason), "{}") << reason;
  }
  for (const char* reason : {"content_filter", "sensitive", "abort", "cancelled"}) {
    EXPECT_EQ(ArgumentsOfACallWithout(reason), "") << reason;
  }
  EXPECT_EQ(ArgumentsOfACallWithout(""), "no answer");
}

TEST(OpenAiAnswerTest, ACallThatWasFilteredInItsNameIsLeftOut) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(
      EventStream({Chunk(R"({"content":"Well","tool_calls":[{"index":0,"id":"a"}]})"), Chunk("{}", "content_filter")}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->stop, StopReason::kRefusal);
  EXPECT_TRUE(answer->message.tool_uses.empty());
}

TEST(OpenAiAnswerTest, WithoutAFinishReasonWholeArgumentsAreACall) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(
      {Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{}"}}]})"), "[DONE]"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->stop, StopReason::kToolUse);
  const auto empty_first = ReadStreamAs<OpenAiAnswer>(EventStream(
      {Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":""}}]})"),
       Chunk(R"({"tool_calls":[{"index":1,"id":"b","function":{"name":"t","arguments":"{\"x\":1}"}}]})"), "[DONE]"}));
  EXPECT_THAT(empty_first, FailsWith(ErrorCode::kExecutionError, "no finish_reason", ""));
}

// Pieces that repeat id and name: more than could be read again and again.
TEST(OpenAiAnswerTest, ReadsManyPiecesThatRepeatTheirIdAndName) {
  const AnswerBounds bounds;
  testing::ChangingIds ids;
  OpenAiAnswer reader(bounds, ids, nullptr);
  const auto feed = [&](std::string_view arguments) {
    return reader.Event({"", Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":)" +
                                   DumpJson(std::string(arguments)) + "}}]}")});
  };
  std::string whole = R"({"text":")";
  ASSERT_TRUE(feed(whole).ok());
  const std::string piece = R"(}\"{)" + std::string(14, 'x');
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_TRUE(feed(piece).ok());
    whole += piece;
  }
  whole += "\"}";
  ASSERT_TRUE(feed("\"}").ok());
  ASSERT_TRUE(feed("{}").ok());
  ASSERT_TRUE(reader.Event({"", Chunk("{}", "tool_calls")}).ok());
  const auto ended = reader.Finish();
  ASSERT_TRUE(ended.ok()) << ended.status();
  ASSERT_EQ(ended->message.tool_uses.size(), 2u);
  EXPECT_EQ(ended->message.tool_uses[0].arguments_json, whole);
  EXPECT_EQ(ended->message.tool_uses[1].arguments_json, "{}");
}

TEST(OpenAiAnswerTest, AClosingTagBesideReasoningOfItsOwnIsText) {
  const std::string stream = EventStream({Chunk(R"({"reasoning_content":"How do templates do it?"})"),
                                          Chunk(R"({"content":"Templates close thoughts with </think> and "})"),
                                          Chunk(R"({"content":"then answer."})", "stop")});
  for (const bool holds_text : {false, true}) {
    const AnswerBounds bounds;
    testing::ChangingIds ids;
    CollectedDeltas deltas;
    OpenAiAnswer reader(bounds, ids, &deltas, holds_text);
    const auto answer = testing::ReadStream(reader, stream, 7);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->message.text, "Templates close thoughts with </think> and then answer.");
    EXPECT_EQ(answer->message.reasoning, "How do templates do it?");
    EXPECT_EQ(deltas.text, answer->message.text);
    EXPECT_FALSE(reader.saw_unopened_thoughts());
  }
  EXPECT_EQ(ReadWholeAs<OpenAiAnswer>(WholeMessage(R"({"reasoning":"Hm","content":"\n</think>\n\nHi"})"))->message.text,
            "Hi");
  EXPECT_EQ(
      ReadWholeAs<OpenAiAnswer>(
          WholeMessage(R"({"content":[{"type":"thinking","thinking":"Hm"},{"type":"text","text":"a </think> b"}]})"))
          ->message.text,
      "a </think> b");
}

TEST(OpenAiAnswerTest, ReadsNullsAndEmptyChoices) {
  EXPECT_EQ(
      Shown(ReadStreamAs<OpenAiAnswer>(EventStream(
          {R"({"choices":[],"prompt_filter_results":[]})", R"({"choices":[{"index":0,"delta":null}],"usage":null})",
           Chunk(R"({"role":"assistant","content":null,"tool_calls":null,"reasoning_content":null})"),
           Chunk(R"({"content":"Hi"})"), Chunk("{}", "stop"),
           R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})", R"({"choices":null,"usage":{}})"}))),
      R"({"stop":"end","text":"Hi","model":"m-1","tokens":[3,4]})");
}

TEST(OpenAiAnswerTest, CountsItsEndByAFinishReasonOrDone) {
  EXPECT_TRUE(ReadStreamAs<OpenAiAnswer>(EventStream({Chunk(R"({"content":"a"})"), "[DONE]"})).ok());
  EXPECT_TRUE(ReadStreamAs<OpenAiAnswer>(EventStream({Chunk(R"({"content":"a"})", "stop")})).ok());
  const auto cut = ReadStreamAs<OpenAiAnswer>(EventStream({Chunk(R"({"content":"a"})")}));
  EXPECT_THAT(cut, FailsWith(ErrorCode::kExecutionError, "cut off", ""));
  EXPECT_TRUE(IsRetryable(cut.status()));
}

TEST(OpenAiAnswerTest, ReadsNothingAfterDone) {
  EXPECT_EQ(ReadStreamAs<OpenAiAnswer>(EventStream({Chunk(R"({"content":"a"})"), "[DONE]", "no JSON"}))->message.text,
            "a");
}

TEST(OpenAiAnswerTest, KeepsImagesOfAStream) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(
      {Chunk(R"({"content":"Here.","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cGl4"}}]})"),
       Chunk("{}", "stop")}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->message.images.size(), 1);
  EXPECT_EQ(answer->message.images[0].bytes, "pix");
}

TEST(OpenAiAnswerTest, JoinsReasoningDetailsForTheWayBack) {
  const auto answer = ReadStreamAs<OpenAiAnswer>(EventStream(
      {Chunk(R"({"reasoning":"Let ","reasoning_details":[{"type":"reasoning.text","text":"Let ","index":0}]})"),
       Chunk(R"({"reasoning":"me","reasoning_details":[{"type":"reasoning.text","text":"me","index":0}]})"),
       Chunk(R"({"reasoning_details":[{"type":"reasoning.text","signature":"sig","text":null,"index":0}]})"),
       Chunk(R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":1}]})"),
       Chunk(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{}"},)"
             R"("extra_content":{"google":{"thought_signature":"s"}}}]})"),
       "[DONE]"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->message.provider_state, R"({"openai":{"reasoningMember":"reasoning","reasoningDetails":[)"
                                            R"({"type":"reasoning.text","text":"Let me","index":0,"signature":"sig"},)"
                                            R"({"type":"reasoning.encrypted","data":"xyz","index":1}],)"
                                            R"("callExtras":{"a":{"google":{"thought_signature":"s"}}}}})");
}

TEST(OpenAiAnswerTest, BoundsReasoningDetails) {
  AnswerBounds bounds;
  bounds.max_bytes = 1000;
  std::vector<std::string> chunks;
  for (int i = 0; i < 10; ++i)
    chunks.push_back(Chunk(R"({"reasoning_details":[{"index":)" + std::to_string(i) + "}]}"));
  EXPECT_THAT(ReadStreamAs<OpenAiAnswer>(EventStream(chunks), std::string_view::npos, nullptr, bounds),
              FailsWith(ErrorCode::kExecutionError, "exceeds 1000 bytes", ""));
}

struct ErrorCase {
  const char* name;
  std::string event;
  const char* message;
  bool retryable;
};

class OpenAiErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(OpenAiErrorTest, IsToldInOurWords) {
  const auto answer =
      ReadStreamAs<OpenAiAnswer>(EventStream({Chunk(R"({"content":"a"})"), GetParam().event, "[DONE]"}));
  EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, GetParam().message, ""));
  EXPECT_EQ(IsRetryable(answer.status()), GetParam().retryable);
  EXPECT_EQ(answer.status().ToString().find("SECRET"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Events, OpenAiErrorTest,
    ::testing::Values(
        ErrorCase{"RateLimit", R"({"error":{"message":"SECRET","code":"rate_limit_exceeded"}})", "too many", true},
        ErrorCase{"HttpStatus", R"({"error":{"message":"SECRET","code":502},"choices":[]})", "it failed", true},
        ErrorCase{"TooLong",
                  R"({"error":{"message":"SECRET","type":"invalid_request_error","code":"context_length_exceeded"}})",
                  "too long", false},
        ErrorCase{"Refused", R"({"error":{"message":"SECRET","type":"invalid_request_error","code":null}})",
                  "refused the request", false},
        ErrorCase{"NoCredit", R"({"error":{"code":"1113","message":"SECRET"}})", "no credit", false},
        ErrorCase{"Text", R"({"error":"SECRET"})", "it failed", true},
        ErrorCase{"InTheChoice", R"({"choices":[{"index":0,"error":{"code":429,"message":"SECRET"}}]})", "too many",
                  true},
        ErrorCase{"FinishReason", Chunk("{}", "network_error"), "it failed", true},
        ErrorCase{"NoResources", Chunk("{}", "insufficient_system_resource"), "overloaded", true},
        ErrorCase{"Object", R"({"object":"error","message":"SECRET","type":"BadRequestError","code":400})", "refused",
                  false},
        ErrorCase{"CodeBesideTheText", R"({"error":"SECRET","code":429})", "too many", true},
        ErrorCase{"Words", R"({"error":{"message":"This model's maximum context length is 10 tokens. SECRET"}})",
                  "too long", false},
        ErrorCase{"WordsAlone", R"({"error":"Rate limit reached, SECRET"})", "too many", true},
        ErrorCase{"Errors", R"({"errors":[{"message":"SECRET","code":1302}]})", "too many", true},
        ErrorCase{"Detail", R"({"detail":"SECRET"})", "reports an error", true},
        ErrorCase{"ZaiWithoutAnError", R"({"code":500,"msg":"SECRET","success":false})", "reports an error", true},
        ErrorCase{"MiniMax", R"({"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}})",
                  "no credit", false},
        ErrorCase{"NoJson", "SECRET", "no JSON", true},
        ErrorCase{"BadImage", Chunk(R"({"images":[{"image_url":{"url":"SECRET"}}]})"), "image", true},
        ErrorCase{"BadContent", Chunk(R"({"content":5})"), "neither text nor parts", true},
        ErrorCase{"NamelessCall", Chunk(R"({"tool_calls":[{"index":0,"id":"a"}]})"), "names no tool", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(OpenAiAnswerTest, RefusesBodiesThatAreNoAnswer) {
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>("<html>"), FailsWith(ErrorCode::kExecutionError, "no JSON", ""));
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>("{}"), FailsWith(ErrorCode::kExecutionError, "no choices", ""));
  for (const char* body : {R"({"error":{"code":"rate_limit_exceeded"}})", R"([{"error":{"code":429}}])",
                           R"({"object":"error","message":"x","code":429})", R"({"error":"x","status":429})"}) {
    EXPECT_THAT(ReadWholeAs<OpenAiAnswer>(body), FailsWith(ErrorCode::kExecutionError, "too many requests", ""))
        << body;
  }
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>("[]"), FailsWith(ErrorCode::kExecutionError, "no choices", ""));
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>(WholeMessage(R"({"content":""})")),
              FailsWith(ErrorCode::kExecutionError, "it is empty", ""));
  EXPECT_THAT(ReadWholeAs<OpenAiAnswer>(std::string(100, '[') + std::string(100, ']')),
              FailsWith(ErrorCode::kExecutionError, "no JSON", ""));
}

TEST(OpenAiAnswerTest, StopsWhereTheSinkSaysSo) {
  CollectedDeltas deltas(2);
  const auto answer = ReadStreamAs<OpenAiAnswer>(
      EventStream({Chunk(R"({"content":"a"})"), Chunk(R"({"content":"b"})"), Chunk(R"({"content":"c"})"), "[DONE]"}),
      std::string_view::npos, &deltas);
  EXPECT_EQ(answer.status(), absl::CancelledError("enough"));
  EXPECT_EQ(deltas.text, "ab");
}

TEST(OpenAiAnswerTest, HasBounds) {
  const auto with = [](auto set, std::vector<std::string> chunks) {
    AnswerBounds bounds;
    set(bounds);
    return ReadStreamAs<OpenAiAnswer>(EventStream(chunks), std::string_view::npos, nullptr, bounds);
  };
  const std::string image = R"({"image_url":{"url":"data:image/png;base64,cGl4"}})";
  const std::string call = R"({"index":0,"id":"a","function":{"name":"t","arguments":"12345"}})";
  EXPECT_THAT(
      with([](auto& bounds) { bounds.max_bytes = 3; }, {Chunk(R"({"content":"ab"})"), Chunk(R"({"reasoning":"cd"})")}),
      FailsWith(ErrorCode::kExecutionError, "exceeds 3 bytes of text", ""));
  EXPECT_THAT(with([](auto& bounds) { bounds.max_tool_uses = 1; },
                   {Chunk(R"({"tool_calls":[)" + call + R"(,{"index":1,"id":"b"}]})")}),
              FailsWith(ErrorCode::kExecutionError, "more than 1 tool calls", ""));
  EXPECT_THAT(with([](auto& bounds) { bounds.max_arguments_bytes = 4; }, {Chunk(R"({"tool_calls":[)" + call + "]}")}),
              FailsWith(ErrorCode::kExecutionError, "arguments of a tool call in it exceed 4 bytes", ""));
  EXPECT_THAT(with([](auto& bounds) { bounds.max_images = 1; }, {Chunk(R"({"images":[)" + image + "," + image + "]}")}),
              FailsWith(ErrorCode::kExecutionError, "more than 1 images", ""));
  EXPECT_THAT(with([](auto& bounds) { bounds.max_image_bytes = 2; }, {Chunk(R"({"images":[)" + image + "]}")}),
              FailsWith(ErrorCode::kExecutionError, "images exceed 2 bytes", ""));
  EXPECT_THAT(with([](auto& bounds) { bounds.max_events = 1; }, {Chunk("{}"), Chunk("{}")}),
              FailsWith(ErrorCode::kExecutionError, "too many pieces", ""));
}

}  // namespace
}  // namespace toolgate::executors::models
