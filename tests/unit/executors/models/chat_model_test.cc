// The three models over a provider without a network.
#include "executors/models/chat_model.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "common/fibers/event.h"
#include "common/ids.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/providers/provider.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/call_span.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_provider.h"
#include "tests/support/kept_traces.h"
#include "tests/support/model_answers.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::models {
namespace {

namespace tracing = observability::tracing;

using providers::ProviderRequest;
using testing::CollectedDeltas;
using testing::FailsWith;
using testing::FakeProvider;
using testing::FakeResponse;
using testing::Shown;

struct Api {
  const char* name;
  std::unique_ptr<ChatModel> (*make)(std::shared_ptr<providers::Provider> provider);
  v1::CatalogFormat catalog;
  v1::ResultFormat results;
  const char* whole_path;
  const char* stream_path;
  const char* api;     // As spans have it.
  const char* whole;   // Says "Hi there" as a body, as the model m-1-2026, for 7 and 2 tokens.
  const char* stream;  // The same as a stream.
};

constexpr char kHiThere[] = R"({"stop":"end","text":"Hi there","model":"m-1-2026","tokens":[7,2]})";

const Api kApis[] = {
    {"OpenAi",
     [](std::shared_ptr<providers::Provider> provider) {
       return OpenAiChatModel(std::move(provider), OpenAiDialect::kOpenAi);
     },
     v1::CATALOG_FORMAT_OPENAI, v1::RESULT_FORMAT_OPENAI, "/chat/completions", "/chat/completions", "openai",
     R"({"model":"m-1-2026","choices":[{"message":{"content":"Hi there"},"finish_reason":"stop"}],)"
     R"("usage":{"prompt_tokens":7,"completion_tokens":2}})",
     "data: {\"model\":\"m-1-2026\",\"choices\":[{\"delta\":{\"content\":\"Hi \"}}]}\n\n"
     "data: {\"choices\":[{\"delta\":{\"content\":\"there\"},\"finish_reason\":\"stop\"}]}\n\n"
     "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"},
    {"Glm",
     [](std::shared_ptr<providers::Provider> provider) {
       return OpenAiChatModel(std::move(provider), OpenAiDialect::kGlm);
     },
     v1::CATALOG_FORMAT_GLM, v1::RESULT_FORMAT_TOOL_RESULT_XML, "/chat/completions", "/chat/completions", "openai",
     R"({"model":"m-1-2026","choices":[{"message":{"content":"Hi there"},"finish_reason":"stop"}],)"
     R"("usage":{"prompt_tokens":7,"completion_tokens":2}})",
     "data: {\"model\":\"m-1-2026\",\"choices\":[{\"delta\":{\"content\":\"Hi there\"},\"finish_reason\":\"stop\"}],"
     "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"},
    {"Anthropic", AnthropicModel, v1::CATALOG_FORMAT_ANTHROPIC, v1::RESULT_FORMAT_ANTHROPIC, "/v1/messages",
     "/v1/messages", "anthropic",
     R"({"model":"m-1-2026","content":[{"type":"text","text":"Hi there"}],"stop_reason":"end_turn",)"
     R"("usage":{"input_tokens":7,"output_tokens":2}})",
     "event: message_start\ndata: "
     R"({"type":"message_start","message":{"model":"m-1-2026","usage":{"input_tokens":7,"output_tokens":2}}})"
     "\n\nevent: content_block_start\ndata: "
     R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi there"}})"
     "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
    {"Gemini", GeminiModel, v1::CATALOG_FORMAT_GEMINI, v1::RESULT_FORMAT_GEMINI, "/v1beta/models/m-1:generateContent",
     "/v1beta/models/m-1:streamGenerateContent?alt=sse", "gcp.gemini",
     R"({"modelVersion":"m-1-2026","candidates":[{"content":{"parts":[{"text":"Hi there"}]},"finishReason":"STOP"}],)"
     R"("usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2}})",
     "data: {\"modelVersion\":\"m-1-2026\",\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi there\"}]},"
     "\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":2}}\r\n\r\n"},
};

class ChatModelTest : public ::testing::TestWithParam<Api> {
 protected:
  // A model whose provider answers `response` and is configured to ask m-1.
  ChatModel& ModelThatAnswers(absl::StatusOr<FakeResponse> response, std::string_view configured = "m-1") {
    providers::ProviderSettings settings;
    settings.set_model(std::string(configured));
    provider_ =
        std::make_shared<FakeProvider>([response](const ProviderRequest&) { return response; }, "fake", settings);
    model_ = GetParam().make(provider_);
    return *model_;
  }

  static FakeResponse Stream(std::vector<std::string> pieces) {
    return {.headers = {{"content-type", "text/event-stream; charset=utf-8"}}, .pieces = std::move(pieces)};
  }

  absl::StatusOr<ModelAnswer> Complete(ChatModel& model, DeltaSink* sink, const ModelRequest& request = {}) {
    const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
    providers::Scope scope{.wait = wait, .span = span_};
    return model.Complete(request, sink, scope);
  }

  std::string Header(std::string_view name) const {
    const ProviderRequest request = provider_->requests().at(0);
    std::string value;
    for (const http::Header& header : request.headers) {
      if (header.name == name) value += header.value;
    }
    return value;
  }

  std::shared_ptr<FakeProvider> provider_;
  std::unique_ptr<ChatModel> model_;
  tracing::CallSpan span_;
};

INSTANTIATE_TEST_SUITE_P(Apis, ChatModelTest, ::testing::ValuesIn(kApis),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ChatModelTest, NamesItsFormats) {
  ChatModel& model = ModelThatAnswers(FakeResponse{});
  EXPECT_EQ(model.catalog_format(), GetParam().catalog);
  EXPECT_EQ(model.result_format(), GetParam().results);
}

TEST_P(ChatModelTest, AsksForAWholeAnswer) {
  const auto answer = Complete(ModelThatAnswers(FakeResponse{.pieces = {GetParam().whole}}), nullptr);
  EXPECT_EQ(Shown(answer), kHiThere);
  ASSERT_EQ(provider_->requests().size(), 1);
  const ProviderRequest request = provider_->requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, GetParam().whole_path);
  EXPECT_EQ(request.span_name, "chat m-1");
  EXPECT_TRUE(request.repeatable);
  EXPECT_EQ(Header("content-type"), "application/json");
  EXPECT_EQ(Header("accept"), "application/json");
  EXPECT_EQ(Header("anthropic-version"), std::string_view(GetParam().name) == "Anthropic" ? "2023-06-01" : "");
  EXPECT_TRUE(ParseJson(request.body).ok());
}

TEST_P(ChatModelTest, StreamsWhereThereIsASink) {
  std::vector<std::string> bytes;
  for (const char c : std::string_view(GetParam().stream)) bytes.emplace_back(1, c);
  CollectedDeltas deltas;
  EXPECT_EQ(Shown(Complete(ModelThatAnswers(Stream(bytes)), &deltas)), kHiThere);
  EXPECT_EQ(deltas.text, "Hi there");
  EXPECT_EQ(provider_->requests().at(0).path, GetParam().stream_path);
  EXPECT_EQ(Header("accept"), "text/event-stream");
}

TEST_P(ChatModelTest, AsksTheModelOfTheRequestFirst) {
  ModelRequest request;
  request.model = "m-2";
  ASSERT_TRUE(Complete(ModelThatAnswers(FakeResponse{.pieces = {GetParam().whole}}), nullptr, request).ok());
  const ProviderRequest sent = provider_->requests().at(0);
  EXPECT_EQ(sent.span_name, "chat m-2");
  EXPECT_NE((sent.path + sent.body).find("m-2"), std::string::npos);
}

TEST_P(ChatModelTest, DescribesTheChatOnItsSpan) {
  const testing::FakeClock clock;
  observability::TraceIds ids(IdSource::Real());
  const observability::TraceContext call{1, 2, 4, 1, ""};
  tracing::TraceRecording recording({1, 2, 3, 1, {}}, ids, clock);
  span_ = {&call, &recording};
  CollectedDeltas deltas;
  ASSERT_TRUE(Complete(ModelThatAnswers(FakeResponse{.pieces = {GetParam().whole}}), nullptr).ok());
  ASSERT_TRUE(Complete(ModelThatAnswers(Stream({GetParam().stream})), &deltas).ok());
  ASSERT_EQ(recording.spans().size(), 2u);
  for (const tracing::Span& span : recording.spans()) {
    EXPECT_EQ(span.name, "chat m-1");
    EXPECT_EQ(testing::FindText(recording, &span, tracing::kGenAiOperationName), "chat");
    EXPECT_EQ(testing::FindText(recording, &span, tracing::kGenAiProviderName), GetParam().api);
    EXPECT_EQ(testing::FindText(recording, &span, tracing::kGenAiRequestModel), "m-1");
    EXPECT_EQ(testing::FindText(recording, &span, tracing::kGenAiResponseModel), "m-1-2026");
    EXPECT_EQ(testing::FindAttribute(recording, &span, tracing::kGenAiUsageInputTokens),
              tracing::Attribute::Value(int64_t{7}));
    EXPECT_EQ(testing::FindAttribute(recording, &span, tracing::kGenAiUsageOutputTokens),
              tracing::Attribute::Value(int64_t{2}));
  }
}

TEST_P(ChatModelTest, SaysThatNoModelIsNamed) {
  EXPECT_THAT(Complete(ModelThatAnswers(FakeResponse{}, ""), nullptr),
              FailsWith(ErrorCode::kNotConfigured, "set its `model`", ""));
}

TEST_P(ChatModelTest, ReadsAWholeAnswerInsteadOfAStream) {
  for (const char* type : {"application/json", "application/json; charset=utf-8", "text/event-stream", "text/plain"}) {
    CollectedDeltas deltas;
    const FakeResponse whole = {.headers = {{"content-type", type}}, .pieces = {" \n", GetParam().whole}};
    EXPECT_EQ(Shown(Complete(ModelThatAnswers(whole), &deltas)), kHiThere) << type;
    EXPECT_EQ(deltas.text, "Hi there") << type;
  }
}

TEST_P(ChatModelTest, ReadsAStreamInsteadOfAWholeAnswer) {
  for (const char* type : {"text/event-stream", "application/json", "application/octet-stream"}) {
    const FakeResponse stream = {.headers = {{"content-type", type}}, .pieces = {GetParam().stream}};
    EXPECT_EQ(Shown(Complete(ModelThatAnswers(stream), nullptr)), kHiThere) << type;
  }
}

TEST_P(ChatModelTest, ReadsEventsThatAreEndedPoorly) {
  const std::string stream = GetParam().stream;
  CollectedDeltas deltas;
  EXPECT_EQ(Shown(Complete(ModelThatAnswers(Stream({absl::StrReplaceAll(stream, {{"data: ", "data:"}})})), &deltas)),
            kHiThere);
  std::string no_end = stream;
  while (no_end.back() == '\n' || no_end.back() == '\r') no_end.pop_back();
  EXPECT_EQ(Shown(Complete(ModelThatAnswers(Stream({no_end})), nullptr)), kHiThere);
  EXPECT_EQ(Shown(Complete(ModelThatAnswers(Stream({": ping\n\n", stream})), nullptr)), kHiThere);
  if (absl::StrContains(stream, "event:")) return;
  // One line break between events.
  EXPECT_EQ(Shown(Complete(ModelThatAnswers(Stream({absl::StrReplaceAll(stream, {{"\n\n", "\n"}})})), nullptr)),
            kHiThere);
}

TEST_P(ChatModelTest, TellsTheCauseOfAnErrorWithStatus200) {
  const char* const bodies[] = {
      R"({"error":{"message":"SECRET","code":429,"status":"RESOURCE_EXHAUSTED","type":"rate_limit_error"}})",
      R"({"type":"error","error":{"type":"rate_limit_error","message":"SECRET"}})",
      R"({"object":"error","message":"SECRET","code":429})", R"({"error":"rate limit: SECRET"})"};
  for (const std::string body : bodies) {
    for (const std::string& sent : {body, "data: " + body + "\n\n", "event: error\ndata: " + body + "\n\n"}) {
      for (const char* type : {"application/json", "text/event-stream"}) {
        CollectedDeltas deltas;
        for (DeltaSink* sink : {static_cast<DeltaSink*>(nullptr), static_cast<DeltaSink*>(&deltas)}) {
          const FakeResponse response = {.headers = {{"content-type", type}}, .pieces = {sent}};
          const auto answer = Complete(ModelThatAnswers(response), sink);
          EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, "it gets too many requests", "")) << sent;
          EXPECT_EQ(answer.status().ToString().find("SECRET"), std::string::npos);
        }
      }
    }
  }
}

TEST_P(ChatModelTest, SaysThatABodyIsEmpty) {
  EXPECT_THAT(Complete(ModelThatAnswers(FakeResponse{}), nullptr),
              FailsWith(ErrorCode::kExecutionError, "its body is empty", ""));
}

TEST(OpenAiChatModelTest, LearnsThatAModelLeavesOutTheOpeningTag) {
  const std::string stream =
      "data: {\"choices\":[{\"delta\":{\"content\":\"I greet.\"}}]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"</think>Hello.\"},\"finish_reason\":\"stop\"}]}\n\n";
  const auto shown_by = [&](ChatModel& model, bool reasoning, const char* name = "m-1") {
    const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return true; };
    const tracing::CallSpan span;
    providers::Scope scope{.wait = wait, .span = span};
    CollectedDeltas deltas;
    ModelRequest request;
    request.model = name;
    request.reasoning = reasoning;
    EXPECT_EQ(model.Complete(request, &deltas, scope)->message.text, "Hello.");
    return deltas.text;
  };
  const auto make = [&] {
    return OpenAiChatModel(
        std::make_shared<FakeProvider>([&](const ProviderRequest&) {
          return FakeResponse{.headers = {{"content-type", "text/event-stream"}}, .pieces = {stream}};
        }),
        OpenAiDialect::kOpenAi);
  };
  const auto unknown = make();
  EXPECT_EQ(shown_by(*unknown, false), "I greet.Hello.");
  EXPECT_EQ(shown_by(*unknown, false), "Hello.");
  EXPECT_EQ(shown_by(*unknown, false, "m-2"), "I greet.Hello.") << "models of one provider differ";
  EXPECT_EQ(shown_by(*unknown, false), "Hello.");
  EXPECT_EQ(shown_by(*make(), true), "Hello.");
}

TEST_P(ChatModelTest, RefusesAnotherContentType) {
  CollectedDeltas deltas;
  const FakeResponse page = {.headers = {{"content-type", "Text/HTML; charset=utf-8"}}, .pieces = {"<html>SECRET"}};
  for (DeltaSink* sink : {static_cast<DeltaSink*>(nullptr), static_cast<DeltaSink*>(&deltas)}) {
    const auto answer = Complete(ModelThatAnswers(page), sink);
    EXPECT_THAT(answer, FailsWith(ErrorCode::kExecutionError, "fake sent a response that is not of type ", ""));
    EXPECT_EQ(answer.status().ToString().find("SECRET"), std::string::npos);
  }
}

TEST_P(ChatModelTest, TellsThatAStreamWasCutOff) {
  CollectedDeltas deltas;
  const std::string_view stream = GetParam().stream;
  EXPECT_THAT(Complete(ModelThatAnswers(Stream({std::string(stream.substr(0, 20))})), &deltas),
              FailsWith(ErrorCode::kExecutionError, "cut off", ""));
}

TEST_P(ChatModelTest, PassesOnErrorsOfTheProvider) {
  CollectedDeltas deltas;
  const absl::Status failure = MakeError(ErrorCode::kTimeout, "fake did not answer in time");
  EXPECT_EQ(Complete(ModelThatAnswers(failure), nullptr).status(), failure);
  EXPECT_EQ(Complete(ModelThatAnswers(failure), &deltas).status(), failure);
  FakeResponse broken = Stream({});
  broken.broken = failure;
  EXPECT_EQ(Complete(ModelThatAnswers(broken), &deltas).status(), failure);
}

TEST_P(ChatModelTest, StopsWhereTheSinkSaysSo) {
  CollectedDeltas deltas(1);
  EXPECT_EQ(Complete(ModelThatAnswers(Stream({GetParam().stream})), &deltas).status(), absl::CancelledError("enough"));
}

}  // namespace
}  // namespace toolgate::executors::models
