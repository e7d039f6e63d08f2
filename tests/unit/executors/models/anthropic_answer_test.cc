#include "executors/models/anthropic_answer.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/tool_error.h"
#include "executors/models/anthropic_request.h"
#include "gtest/gtest.h"
#include "tests/support/model_answers.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::models {
namespace {

using testing::CollectedDeltas;
using testing::FailsWith;
using testing::ReadStreamAs;
using testing::ReadWholeAs;
using testing::Shown;

// A stream whose events are lines of JSON.
std::string AnthropicStream(std::string_view lines) {
  std::string stream;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    const std::string line(lines.substr(begin, end - begin));
    const auto json = ParseJson(line);
    if (json.ok()) stream += "event: " + (*json)["type"].get<std::string>() + "\ndata: " + line + "\n\n";
    begin = end == std::string_view::npos ? lines.size() : end + 1;
  }
  return stream;
}

constexpr char kStart[] =
    R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-1","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}
)";
constexpr char kEnd[] = R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}
{"type":"message_stop"}
)";

constexpr char kTurn[] =
    R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"ping"}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Two "}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"calls."}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB=="}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"Em/x"}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Größe "}}
{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"prüfen"}}
{"type":"content_block_stop","index":2}
{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"list_tasks","input":{}}}
{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}
{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"lim"}}
{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"it\": 2}"}}
{"type":"content_block_stop","index":3}
{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_2","name":"daily_overview","input":{}}}
{"type":"content_block_stop","index":4}
{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":33}}
{"type":"message_stop"}
)";

constexpr char kTurnState[] =
    R"({"anthropic":[{"opaque":{"type":"thinking","thinking":"Two calls.","signature":"EqQB=="}},)"
    R"({"opaque":{"type":"redacted_thinking","data":"Em/x"}},{"text":15},{"toolUse":"toolu_1"},{"toolUse":"toolu_2"}]})";

TEST(AnthropicAnswerTest, ReadsAStreamInAnyPieces) {
  const std::string stream = AnthropicStream(std::string(kStart) + kTurn);
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{5}, size_t{64}, stream.size()}) {
    SCOPED_TRACE(piece);
    CollectedDeltas deltas;
    EXPECT_EQ(Shown(ReadStreamAs<AnthropicAnswer>(stream, piece, &deltas)),
              R"({"stop":"tool use","text":"Größe prüfen","reasoning":"Two calls.",)"
              R"("calls":["toolu_1 list_tasks {\"limit\": 2}","toolu_2 daily_overview {}"],)"
              R"("model":"claude-1","tokens":[17,33]})" +
                  std::string(kTurnState));
    EXPECT_EQ(deltas.text, "Größe prüfen");
    EXPECT_EQ(deltas.reasoning, "Two calls.");
  }
}

TEST(AnthropicAnswerTest, ReadsTheSameTurnAsAWhole) {
  const auto answer = ReadWholeAs<AnthropicAnswer>(
      R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-1","content":[
        {"type":"thinking","thinking":"Two calls.","signature":"EqQB=="},{"type":"redacted_thinking","data":"Em/x"},
        {"type":"text","text":"Größe prüfen"},
        {"type":"tool_use","id":"toolu_1","name":"list_tasks","input":{"limit":2}},
        {"type":"tool_use","id":"toolu_2","name":"daily_overview","input":{}}],
        "stop_reason":"tool_use","usage":{"input_tokens":17,"output_tokens":33}})");
  EXPECT_EQ(Shown(answer), R"({"stop":"tool use","text":"Größe prüfen","reasoning":"Two calls.",)"
                           R"("calls":["toolu_1 list_tasks {\"limit\":2}","toolu_2 daily_overview {}"],)"
                           R"("model":"claude-1","tokens":[17,33]})" +
                               std::string(kTurnState));
}

TEST(AnthropicAnswerTest, GoesBackAsItCame) {
  const auto answer = ReadStreamAs<AnthropicAnswer>(AnthropicStream(std::string(kStart) + kTurn));
  ASSERT_TRUE(answer.ok()) << answer.status();
  ModelRequest request;
  request.messages = {answer->message};
  const auto body = AnthropicRequestBody(request, "claude-1", true);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(DumpJson((*body)["messages"]),
            R"([{"role":"assistant","content":[{"type":"thinking","thinking":"Two calls.","signature":"EqQB=="},)"
            R"({"type":"redacted_thinking","data":"Em/x"},{"type":"text","text":"Größe prüfen"},)"
            R"({"type":"tool_use","id":"toolu_1","name":"list_tasks","input":{"limit":2}},)"
            R"({"type":"tool_use","id":"toolu_2","name":"daily_overview","input":{}}]}])");
}

TEST(AnthropicAnswerTest, KeepsUnknownBlocksForTheWayBack) {
  const auto answer = ReadStreamAs<AnthropicAnswer>(AnthropicStream(
      std::string(kStart) +
      R"({"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}
{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Found."}}
)" + kEnd));
  EXPECT_EQ(
      Shown(answer),
      R"({"stop":"end","text":"Found.","model":"claude-1","tokens":[17,4]})"
      R"({"anthropic":[{"opaque":{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"x"}}},)"
      R"({"text":6}]})");
}

struct AnthropicStop {
  const char* reason;
  const char* shown;
};

class AnthropicStopTest : public ::testing::TestWithParam<AnthropicStop> {};

TEST_P(AnthropicStopTest, IsMapped) {
  const auto answer = ReadWholeAs<AnthropicAnswer>(R"({"content":[{"type":"text","text":"a"}],"stop_reason":")" +
                                                   std::string(GetParam().reason) + "\"}");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(testing::StopName(answer->stop), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Reasons, AnthropicStopTest,
                         ::testing::Values(AnthropicStop{"end_turn", "end"}, AnthropicStop{"stop_sequence", "end"},
                                           AnthropicStop{"pause_turn", "end"}, AnthropicStop{"max_tokens", "length"},
                                           AnthropicStop{"model_context_window_exceeded", "length"},
                                           AnthropicStop{"refusal", "refusal"}),
                         [](const auto& info) { return std::string(info.param.reason); });

struct AnthropicFailure {
  const char* name;
  const char* events;
  const char* message;
  bool retryable;
};

class AnthropicFailureTest : public ::testing::TestWithParam<AnthropicFailure> {};

TEST_P(AnthropicFailureTest, IsToldInOurWords) {
  const auto answer = ReadStreamAs<AnthropicAnswer>(AnthropicStream(std::string(kStart) + GetParam().events));
  EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, GetParam().message, ""));
  EXPECT_EQ(GetToolError(answer.status())->retryable, GetParam().retryable);
  EXPECT_EQ(answer.status().ToString().find("SECRET"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Streams, AnthropicFailureTest,
    ::testing::Values(
        AnthropicFailure{"Overloaded", R"({"type":"error","error":{"type":"overloaded_error","message":"SECRET"}})",
                         "overloaded", true},
        AnthropicFailure{"Invalid", R"({"type":"error","error":{"type":"invalid_request_error","message":"SECRET"}})",
                         "refused the request", false},
        AnthropicFailure{"CutOff",
                         R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"SECRET"}})",
                         "cut off", true},
        AnthropicFailure{"DeltaOfNothing",
                         R"({"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"SECRET"}})",
                         "never began", true},
        AnthropicFailure{"Empty", kEnd, "it is empty", true},
        AnthropicFailure{"BlockThatIsNone", R"({"type":"content_block_start","index":0,"content_block":"SECRET"})",
                         "not an object", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(AnthropicAnswerTest, RefusesBodiesThatAreNoAnswer) {
  EXPECT_THAT(ReadWholeAs<AnthropicAnswer>("<html>"), FailsWith(ErrorCode::kExecutionError, "no JSON", ""));
  EXPECT_THAT(ReadWholeAs<AnthropicAnswer>(R"({"type":"message"})"),
              FailsWith(ErrorCode::kExecutionError, "no content", ""));
  EXPECT_THAT(ReadWholeAs<AnthropicAnswer>(R"({"type":"error","error":{"type":"api_error","message":"x"}})"),
              FailsWith(ErrorCode::kExecutionError, "it failed", ""));
}

TEST(AnthropicAnswerTest, BoundsReasoningThatIsKept) {
  AnswerBounds bounds;
  bounds.max_bytes = 300;
  std::string lines = kStart;
  lines += R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}
)";
  for (int i = 0; i < 50; ++i) {
    lines += R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"0123456789"}}
)";
  }
  EXPECT_THAT(ReadStreamAs<AnthropicAnswer>(AnthropicStream(lines), std::string_view::npos, nullptr, bounds),
              FailsWith(ErrorCode::kExecutionError, "exceeds 300 bytes of text", ""));
}

std::string EventsOfAnthropic(const std::vector<std::string>& events) { return testing::EventStream(events); }

TEST(AnthropicAnswerTest, ReadsArgumentsUnderAnotherIndex) {
  const auto answer = testing::ReadStreamAs<AnthropicAnswer>(EventsOfAnthropic(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"t","input":{}}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":1}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->message.text, "Hi");
  ASSERT_EQ(answer->message.tool_uses.size(), 1u);
  EXPECT_EQ(answer->message.tool_uses[0].arguments_json, R"({"x":1})");
}

TEST(AnthropicAnswerTest, ACallThatTheLengthCutHasNoArgumentsOfOurs) {
  const auto answer = testing::ReadStreamAs<AnthropicAnswer>(EventsOfAnthropic(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t","input":{}}})",
       R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"}})", R"({"type":"message_stop"})"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->stop, StopReason::kLength);
  EXPECT_EQ(answer->message.tool_uses.at(0).arguments_json, "");
}

TEST(AnthropicAnswerTest, ACallWithoutArgumentsHasNoneWhereTheModelEndedItself) {
  for (const auto& [reason, arguments] : std::vector<std::pair<std::string, std::string>>{
           {"tool_use", "{}"}, {"end_turn", "{}"}, {"refusal", ""}, {"pause_turn", ""}, {"abort", ""}}) {
    const auto answer = testing::ReadStreamAs<AnthropicAnswer>(EventsOfAnthropic(
        {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t","input":{}}})",
         R"({"type":"message_delta","delta":{"stop_reason":")" + reason + "\"}}", R"({"type":"message_stop"})"}));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->message.tool_uses[0].arguments_json, arguments) << reason;
  }
  EXPECT_THAT(
      testing::ReadStreamAs<AnthropicAnswer>(EventsOfAnthropic(
          {R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"t"}})",
           R"({"type":"message_stop"})"})),
      FailsWith(ErrorCode::kExecutionError, "no stop_reason", ""));
}

TEST(AnthropicAnswerTest, ReasoningThatTheLengthCutIsNotKeptForTheWayBack) {
  const auto answer = testing::ReadStreamAs<AnthropicAnswer>(EventsOfAnthropic(
      {R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"}})", R"({"type":"message_stop"})"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->message.reasoning, "Hm");
  EXPECT_EQ(answer->message.provider_state, "");
}

}  // namespace
}  // namespace toolgate::executors::models
