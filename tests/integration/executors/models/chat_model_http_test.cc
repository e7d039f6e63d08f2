// The chat models, a provider and the HTTP client together, against a server with faults.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"
#include "gtest/gtest.h"
#include "observability/tracing/call_span.h"
#include "tests/support/model_answers.h"
#include "tests/support/scripted_http_server.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::executors::models {
namespace {

using testing::CollectedDeltas;
using testing::EventStream;
using testing::FailsWith;
using testing::ScriptedHttpServer;
using testing::ScriptedReply;
using testing::SeenRequest;
using testing::Shown;

std::vector<std::string> InPieces(const std::string& text, size_t size) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; begin < text.size(); begin += size) pieces.push_back(text.substr(begin, size));
  return pieces;
}

ScriptedReply StreamReply(std::vector<std::string> chunks) {
  return {.headers = {{"Content-Type", "text/event-stream"}}, .chunks = std::move(chunks)};
}

class ChatModelHttpTest : public ::testing::Test {
 protected:
  // A provider below that URL, without a key.
  std::shared_ptr<providers::Provider> ProviderAt(const std::string& base_url) {
    providers::Provider::Options options;
    options.name = "scripted";
    options.section = "model";
    options.clients = std::make_shared<http::ClientPool>();
    options.settings.set_base_url(base_url);
    options.settings.set_keyless(true);
    options.settings.set_model("m-1");
    options.settings.mutable_timeout()->set_seconds(30);
    options.settings.mutable_connect_timeout()->set_seconds(10);
    options.settings.set_max_attempts(1);
    options.settings.set_max_response_bytes(1 << 20);
    auto provider = providers::Provider::Create(options, Clock::Real(), nullptr);
    EXPECT_TRUE(provider.ok()) << provider.status();
    return provider.ok() ? *provider : nullptr;
  }

  absl::StatusOr<ModelAnswer> Complete(ChatModel& model, DeltaSink* sink) {
    ModelRequest request;
    request.messages = {{.role = Role::kUser, .text = "Hi"}};
    const observability::tracing::CallSpan span;
    const fibers::Cancellation never;
    const auto wait = [&](fibers::Event& event, absl::Duration timeout) {
      return waits_.Wait(event, never, Clock::Real().Monotonic() + timeout);
    };
    providers::Scope scope{.wait = wait, .span = span};
    return model.Complete(request, sink, scope);
  }

 private:
  fibers::WaitTimer waits_{Clock::Real()};
};

TEST_F(ChatModelHttpTest, StreamsWhateverTheChunksAre) {
  const std::string stream = EventStream(
      {R"({"choices":[{"delta":{"reasoning_content":"Hm"}}]})", R"({"choices":[{"delta":{"content":"Größe"}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{}"}}]}}]})",
       R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})", "[DONE]"});
  for (const size_t size : {size_t{1}, size_t{50}, stream.size()}) {
    SCOPED_TRACE(size);
    const ScriptedHttpServer server([&](const SeenRequest&) { return StreamReply(InPieces(stream, size)); });
    CollectedDeltas deltas;
    const auto model = OpenAiChatModel(ProviderAt(server.url() + "/v1"), OpenAiDialect::kOpenAi);
    EXPECT_EQ(Shown(Complete(*model, &deltas)),
              R"({"stop":"tool use","text":"Größe","reasoning":"Hm","calls":["a t {}"]})"
              R"({"openai":{"reasoningMember":"reasoning_content"}})");
    ASSERT_EQ(server.requests().size(), 1);
    const SeenRequest seen = server.requests()[0];
    EXPECT_EQ(seen.path, "/v1/chat/completions");
    EXPECT_EQ(seen.Find("content-type"), "application/json");
    const auto body = ParseJson(seen.body);
    ASSERT_TRUE(body.ok()) << body.status();
    EXPECT_EQ((*body)["model"], "m-1");
    EXPECT_EQ((*body)["stream"], true);
  }
}

TEST_F(ChatModelHttpTest, AsksGeminiForAStreamOfEvents) {
  const ScriptedHttpServer server([](const SeenRequest&) {
    return StreamReply(
        {EventStream({R"({"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]})"})});
  });
  CollectedDeltas deltas;
  EXPECT_EQ(Shown(Complete(*GeminiModel(ProviderAt(server.url())), &deltas)), R"({"stop":"end","text":"Hi"})");
  EXPECT_EQ(server.requests().at(0).path, "/v1beta/models/m-1:streamGenerateContent?alt=sse");
}

TEST_F(ChatModelHttpTest, TellsBrokenAnswersFromWholeOnes) {
  const std::string piece = EventStream({R"({"type":"content_block_start","index":0,)"
                                         R"("content_block":{"type":"text","text":"Once upon"}})"});
  const std::vector<ScriptedReply> replies = {
      StreamReply({piece}),
      {.headers = {{"Content-Type", "text/event-stream"}}, .chunks = {piece}, .cut_off = true},
      {.headers = {{"Content-Type", "text/html"}}, .body = "<html>"},
      StreamReply({"data: " + std::string(2 << 20, 'x')}),
  };
  for (size_t i = 0; i < replies.size(); ++i) {
    SCOPED_TRACE(i);
    const ScriptedHttpServer server([&](const SeenRequest&) { return replies[i]; });
    CollectedDeltas deltas;
    EXPECT_THAT(Complete(*AnthropicModel(ProviderAt(server.url())), &deltas),
                FailsWith(ErrorCode::kExecutionError, "", ""));
  }
}

TEST_F(ChatModelHttpTest, ClosesTheConnectionWhenTheSinkStops) {
  absl::Notification stopped;
  const ScriptedHttpServer server([&](const SeenRequest&) {
    ScriptedReply reply =
        StreamReply(std::vector<std::string>(1000, EventStream({R"({"choices":[{"delta":{"content":"word "}}]})"})));
    reply.before_chunk = [&](size_t chunk) {
      if (chunk == 0) return;
      stopped.WaitForNotification();
      // The client closes aside from the call that returns. A stream that ends before that leaves the connection open.
      absl::SleepFor(absl::Milliseconds(10));
    };
    return reply;
  });
  CollectedDeltas deltas(1);
  const auto model = OpenAiChatModel(ProviderAt(server.url()), OpenAiDialect::kGlm);
  const absl::Status status = Complete(*model, &deltas).status();
  stopped.Notify();
  EXPECT_EQ(status, absl::CancelledError("enough"));
  EXPECT_EQ(deltas.text, "word ");
  EXPECT_TRUE(server.AwaitNoConnections());
}

}  // namespace
}  // namespace toolgate::executors::models
