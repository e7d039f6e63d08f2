#include "executors/providers/provider.h"

#include <stdlib.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/fibers/event.h"
#include "common/ids.h"
#include "common/proto_time.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/client_pool_of.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_provider.h"
#include "tests/support/kept_traces.h"
#include "tests/support/real_wait.h"
#include "tests/support/scripted_http_server.h"

namespace toolgate::executors::providers {
namespace {

using observability::ProviderOutcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

// One exchange with a service.
struct Scripted {
  int status = 200;
  std::vector<http::Header> headers = {};
  std::vector<std::string> pieces = {};
  absl::Status no_head = absl::OkStatus();  // Instead of a head.
  absl::Status broken = absl::OkStatus();   // Instead of the end.
  bool sent = true;
};

class FakeExchange final : public http::Exchange {
 public:
  explicit FakeExchange(Scripted script) : script_(std::move(script)) {}

  absl::StatusOr<http::ResponseHead> Head(fibers::Wait wait) override {
    if (const absl::Status stop = Ask(wait); !stop.ok()) return stop;
    if (!script_.no_head.ok()) return script_.no_head;
    return http::ResponseHead{.status = script_.status, .headers = script_.headers};
  }
  absl::StatusOr<std::string> Next(fibers::Wait wait) override {
    if (const absl::Status stop = Ask(wait); !stop.ok()) return stop;
    if (next_ < script_.pieces.size()) return script_.pieces[next_++];
    if (!script_.broken.ok()) return script_.broken;
    return std::string();
  }
  bool may_have_been_sent() const override { return script_.sent; }

 private:
  // Whether the call may go on.
  static absl::Status Ask(fibers::Wait wait) {
    fibers::Event ready;
    ready.Set();
    return wait(ready, absl::InfiniteDuration()).status();
  }

  const Scripted script_;
  size_t next_ = 0;
};

// Answers with one script after another; the last is repeated.
class FakeClient final : public http::Client {
 public:
  std::unique_ptr<http::Exchange> Start(http::Request request) override {
    requests.push_back(std::move(request));
    Scripted script = scripts.front();
    if (scripts.size() > 1) scripts.pop_front();
    return std::make_unique<FakeExchange>(std::move(script));
  }

  std::deque<Scripted> scripts;
  std::vector<http::Request> requests;
};

ProviderSettings Settings() {
  ProviderSettings settings;
  settings.set_base_url("https://api.example.com/v1");
  settings.set_api_key_env("TOOLGATE_PROVIDER_KEY");
  settings.set_api_key_file("");
  settings.set_keyless(false);
  SetProtoDuration(absl::Seconds(30), *settings.mutable_timeout());
  SetProtoDuration(absl::Seconds(5), *settings.mutable_connect_timeout());
  settings.set_max_attempts(3);
  settings.set_max_response_bytes(1 << 20);
  return settings;
}

class ProviderTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(setenv("TOOLGATE_PROVIDER_KEY", "key-123", 1), 0); }
  void TearDown() override { unsetenv("TOOLGATE_PROVIDER_KEY"); }

  std::shared_ptr<Provider> Make(ProviderSettings settings = Settings(), KeyForm form = KeyForm::kBearer) {
    auto provider = Provider::Create(
        {.name = "zai",
         .key = form,
         .settings = std::move(settings),
         .section = "chat.glm",
         .clients = testing::ClientPoolOf(client_),
         .on_failure = [this](std::string_view, std::string_view detail) { log_.emplace_back(detail); }},
        clock_, [this](std::string_view provider, ProviderOutcome outcome, absl::Duration) {
          EXPECT_EQ(provider, "zai");
          reports_.push_back(outcome);
        });
    EXPECT_TRUE(provider.ok()) << provider.status();
    return *provider;
  }

  // Time passes at once; the call stops at `stop_at_`.
  absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout) {
    if (event.IsSet()) {
      if (!stop_.ok()) return stop_;
      return true;
    }
    pauses_.push_back(timeout);
    if (!stop_in_pause_.ok()) return stop_in_pause_;
    clock_.Advance(timeout);
    return false;
  }

  absl::StatusOr<http::Response> Send(Provider& provider, const ProviderRequest& request) {
    const auto wait = [this](fibers::Event& event, absl::Duration timeout) { return Wait(event, timeout); };
    Scope scope{.wait = wait, .span = span_, .retries = &retries_};
    return provider.Send(request, scope);
  }
  absl::StatusOr<http::Response> Send(const ProviderRequest& request = {.path = "/chat", .body = "{}"}) {
    return Send(*Make(), request);
  }

  testing::FakeClock clock_;
  std::shared_ptr<FakeClient> client_ = std::make_shared<FakeClient>();
  observability::tracing::CallSpan span_;
  absl::Status stop_;           // The call's, once it is asked.
  absl::Status stop_in_pause_;  // The same, but only between attempts.
  int retries_ = 0;
  std::vector<absl::Duration> pauses_;
  std::vector<ProviderOutcome> reports_;
  std::vector<std::string> log_;
};

TEST_F(ProviderTest, SendsARequestBelowTheBaseWithItsKey) {
  client_->scripts = {{.headers = {{"content-type", "application/json"}}, .pieces = {"{\"a\"", ":1}"}}};
  const auto response = Send({.path = "/chat?x=1", .headers = {{"Content-Type", "application/json"}}, .body = "{}"});
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "{\"a\":1}");
  EXPECT_EQ(response->head.Find("content-type"), "application/json");
  ASSERT_THAT(client_->requests, SizeIs(1));
  const http::Request& sent = client_->requests.front();
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.url, "https://api.example.com/v1/chat?x=1");
  EXPECT_EQ(sent.body, "{}");
  ASSERT_THAT(sent.headers, SizeIs(2));
  EXPECT_EQ(sent.headers[1].name, "Authorization");
  EXPECT_EQ(sent.headers[1].value, "Bearer key-123");
  EXPECT_EQ(sent.timeout, absl::Seconds(30));
  EXPECT_EQ(sent.connect_timeout, absl::Seconds(5));
  EXPECT_EQ(sent.max_body_bytes, 1 << 20);
  EXPECT_TRUE(sent.private_addresses);
  EXPECT_EQ(sent.max_redirects, 0);
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kOk));
  EXPECT_EQ(retries_, 0);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(ProviderTest, PutsTheKeyWhereTheServiceExpectsIt) {
  client_->scripts = {{}};
  ASSERT_TRUE(Send(*Make(Settings(), KeyForm::kXApiKey), {}).ok());
  EXPECT_EQ(client_->requests.back().headers.at(0).name, "x-api-key");
  EXPECT_EQ(client_->requests.back().headers.at(0).value, "key-123");
  ASSERT_TRUE(Send(*Make(Settings(), KeyForm::kXGoogApiKey), {}).ok());
  EXPECT_EQ(client_->requests.back().headers.at(0).name, "x-goog-api-key");
  ASSERT_TRUE(Send(*Make(Settings(), KeyForm::kNone), {}).ok());
  EXPECT_THAT(client_->requests.back().headers, IsEmpty());
  ProviderSettings keyless = Settings();
  keyless.set_keyless(true);
  ASSERT_TRUE(Send(*Make(keyless), {}).ok());
  EXPECT_THAT(client_->requests.back().headers, IsEmpty());
}

// --- Configuration ---

TEST_F(ProviderTest, SaysWhatToConfigure) {
  ProviderSettings settings = Settings();
  settings.clear_base_url();
  unsetenv("TOOLGATE_PROVIDER_KEY");
  const absl::Status both = Make(settings)->Configured();
  EXPECT_EQ(GetToolError(both)->code, ErrorCode::kNotConfigured);
  EXPECT_EQ(GetToolError(both)->message,
            "provider zai is not configured: set chat.glm.base_url and the environment variable TOOLGATE_PROVIDER_KEY");
  EXPECT_THAT(GetToolError(Make()->Configured())->message,
              HasSubstr("set the environment variable TOOLGATE_PROVIDER_KEY"));
  settings = Settings();
  settings.clear_api_key_env();
  EXPECT_THAT(GetToolError(Make(settings)->Configured())->message,
              HasSubstr("set chat.glm.api_key_env or chat.glm.api_key_file"));
  settings.set_api_key_file("/nonexistent/key");
  EXPECT_THAT(GetToolError(Make(settings)->Configured())->message,
              AllOf(HasSubstr("a key in the file that chat.glm.api_key_file names"), Not(HasSubstr("/nonexistent"))));
  settings.set_keyless(true);
  EXPECT_TRUE(Make(settings)->Configured().ok());
}

TEST_F(ProviderTest, SendsNothingUntilItIsConfigured) {
  unsetenv("TOOLGATE_PROVIDER_KEY");
  EXPECT_EQ(GetToolError(Send().status())->code, ErrorCode::kNotConfigured);
  EXPECT_THAT(client_->requests, IsEmpty());
  EXPECT_THAT(reports_, IsEmpty());
}

TEST_F(ProviderTest, RefusesSettingsThatCannotWork) {
  ProviderSettings settings = Settings();
  settings.set_base_url("api.example.com");
  const auto provider = Provider::Create(
      {.name = "zai", .settings = settings, .section = "chat.glm", .clients = std::make_shared<http::ClientPool>()},
      clock_, nullptr);
  EXPECT_EQ(provider.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(provider.status().message()), HasSubstr("chat.glm.base_url"));
}

// --- Failures ---

struct FailureCase {
  const char* name;
  Scripted script;
  bool repeatable;
  int attempts;  // Of at most three.
  ErrorCode code;
  bool retryable;
  ProviderOutcome outcome;
};

class ProviderFailureTest : public ProviderTest, public ::testing::WithParamInterface<FailureCase> {};

TEST_P(ProviderFailureTest, IsRepeatedReportedAndExplained) {
  const FailureCase& test = GetParam();
  client_->scripts = {test.script};
  const auto response = Send({.path = "/chat", .body = "prompt", .repeatable = test.repeatable});
  const auto error = GetToolError(response.status());
  ASSERT_TRUE(error.has_value()) << response.status();
  EXPECT_EQ(error->code, test.code) << error->message;
  EXPECT_EQ(error->retryable, test.retryable);
  EXPECT_THAT(error->message, AllOf(HasSubstr("zai"), Not(HasSubstr("key-123")), Not(HasSubstr("prompt")),
                                    Not(HasSubstr("example.com")), Not(HasSubstr("detail"))));
  EXPECT_THAT(client_->requests, SizeIs(test.attempts));
  EXPECT_EQ(retries_, test.attempts - 1);
  EXPECT_EQ(reports_, std::vector<ProviderOutcome>(test.attempts, test.outcome));
  ASSERT_THAT(log_, SizeIs(test.attempts));
  EXPECT_THAT(log_.front(), AllOf(HasSubstr("detail"), Not(HasSubstr("key-123")), Not(HasSubstr("prompt"))));
}

constexpr ErrorCode kFailed = ErrorCode::kExecutionError;

Scripted Answer(int status) { return {.status = status, .pieces = {"detail of it"}}; }
Scripted NoConnection(absl::StatusCode code) { return {.no_head = absl::Status(code, "detail"), .sent = false}; }
Scripted NoHead(absl::StatusCode code) { return {.no_head = absl::Status(code, "detail")}; }
Scripted Broken(absl::StatusCode code) { return {.pieces = {"half"}, .broken = absl::Status(code, "detail")}; }

INSTANTIATE_TEST_SUITE_P(
    Failures, ProviderFailureTest,
    ::testing::Values(
        FailureCase{"BadRequest", Answer(400), true, 1, ErrorCode::kInvalidParams, false, ProviderOutcome::kRefused},
        FailureCase{"BadKey", Answer(401), true, 1, kFailed, false, ProviderOutcome::kRefused},
        FailureCase{"ForbiddenKey", Answer(403), true, 1, kFailed, false, ProviderOutcome::kRefused},
        FailureCase{"UnknownModel", Answer(404), true, 1, kFailed, false, ProviderOutcome::kRefused},
        FailureCase{"Throttled", Answer(429), false, 3, kFailed, true, ProviderOutcome::kThrottled},
        FailureCase{"ServerError", Answer(500), true, 1, kFailed, true, ProviderOutcome::kFailed},
        FailureCase{"BadGateway", Answer(502), false, 1, kFailed, true, ProviderOutcome::kFailed},
        FailureCase{"BadGatewayRepeatable", Answer(502), true, 3, kFailed, true, ProviderOutcome::kFailed},
        FailureCase{"Unavailable", Answer(503), false, 3, kFailed, true, ProviderOutcome::kFailed},
        FailureCase{"GatewayTimeout", Answer(504), false, 1, kFailed, true, ProviderOutcome::kTimeout},
        FailureCase{"GatewayTimeoutRepeatable", Answer(504), true, 3, kFailed, true, ProviderOutcome::kTimeout},
        FailureCase{"Redirect", Answer(302), true, 1, kFailed, false, ProviderOutcome::kRefused},
        FailureCase{"NoConnection", NoConnection(absl::StatusCode::kUnavailable), false, 3, kFailed, true,
                    ProviderOutcome::kFailed},
        FailureCase{"SlowConnection", NoConnection(absl::StatusCode::kDeadlineExceeded), false, 3, ErrorCode::kTimeout,
                    true, ProviderOutcome::kTimeout},
        FailureCase{"BrokenBeforeHead", NoHead(absl::StatusCode::kUnavailable), false, 1, kFailed, true,
                    ProviderOutcome::kFailed},
        FailureCase{"BrokenBeforeHeadRepeatable", NoHead(absl::StatusCode::kUnavailable), true, 3, kFailed, true,
                    ProviderOutcome::kFailed},
        FailureCase{"BrokenBody", Broken(absl::StatusCode::kUnavailable), false, 1, kFailed, true,
                    ProviderOutcome::kFailed},
        FailureCase{"BrokenBodyRepeatable", Broken(absl::StatusCode::kUnavailable), true, 3, kFailed, true,
                    ProviderOutcome::kFailed},
        FailureCase{"SlowAnswer", NoHead(absl::StatusCode::kDeadlineExceeded), true, 1, ErrorCode::kTimeout, true,
                    ProviderOutcome::kTimeout},
        FailureCase{"TooLarge", Broken(absl::StatusCode::kOutOfRange), true, 1, kFailed, false,
                    ProviderOutcome::kFailed},
        FailureCase{"NoHttp", NoHead(absl::StatusCode::kDataLoss), true, 1, kFailed, false, ProviderOutcome::kFailed},
        FailureCase{"Address", NoConnection(absl::StatusCode::kPermissionDenied), true, 1, kFailed, false,
                    ProviderOutcome::kFailed}),
    [](const auto& row) { return row.param.name; });

TEST_F(ProviderTest, SaysWhatAStatusMeansToTheService) {
  client_->scripts = {Answer(432)};
  const auto error = GetToolError(Send({.path = "/search", .meanings = {{432, "has used up the plan"}}}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->message, "zai has used up the plan (HTTP status 432)");
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->blame, Blame::kByCode) << "the account's fault, not the request's";
}

TEST_F(ProviderTest, SpeaksOfNoKeyWhereNoneIsSent) {
  for (const int status : {401, 403}) {
    client_->scripts = {Answer(status)};
    const auto error = GetToolError(Send(*Make(Settings(), KeyForm::kNone), {.path = "/search"}).status());
    ASSERT_TRUE(error.has_value());
    EXPECT_THAT(error->message, Not(HasSubstr("the service's key")));
  }
}

TEST_F(ProviderTest, GoesOnAfterAFailureThatPasses) {
  client_->scripts = {Answer(503), Answer(429), {.pieces = {"ok"}}};
  const auto response = Send();
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "ok");
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kFailed, ProviderOutcome::kThrottled, ProviderOutcome::kOk));
  EXPECT_EQ(retries_, 2);
  EXPECT_THAT(pauses_, ElementsAre(Le(absl::Milliseconds(500)), Le(absl::Seconds(1))));
}

TEST_F(ProviderTest, AFreshAnswerReplacesTheHalfOfABrokenOne) {
  client_->scripts = {Broken(absl::StatusCode::kUnavailable), {.pieces = {"whole"}}};
  EXPECT_EQ(Send({.path = "/chat", .repeatable = true})->body, "whole");
}

TEST_F(ProviderTest, WaitsAsLongAsItIsTold) {
  client_->scripts = {{.status = 429, .headers = {{"retry-after", "20"}}}, {.pieces = {"ok"}}};
  ASSERT_TRUE(Send().ok());
  EXPECT_THAT(pauses_, ElementsAre(AllOf(Ge(absl::Seconds(20)), Le(absl::Seconds(21)))));
}

TEST_F(ProviderTest, PassesOnATimeThatIsTooLong) {
  client_->scripts = {{.status = 429, .headers = {{"retry-after", "3600"}}}};
  const auto error = GetToolError(Send().status());
  EXPECT_EQ(error->retry_after, absl::Hours(1));
  EXPECT_TRUE(error->retryable);
  EXPECT_THAT(client_->requests, SizeIs(1));
}

TEST_F(ProviderTest, StopsRepeatingWhenTheBudgetIsUsedUp) {
  client_->scripts = {Answer(503)};
  const auto provider = Make();
  // Two retries each, until ten are used up; the pauses are far shorter than a minute.
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(Send(*provider, {}).ok());
  EXPECT_THAT(client_->requests, SizeIs(7 + 10));
  clock_.Advance(absl::Minutes(2));
  EXPECT_FALSE(Send(*provider, {}).ok());
  EXPECT_THAT(client_->requests, SizeIs(7 + 10 + 3));
}

TEST_F(ProviderTest, ACallThatMustStopIsNoFailureOfTheProvider) {
  client_->scripts = {{.pieces = {"ok"}}};
  stop_ = MakeError(ErrorCode::kCancelled, "the client left");
  EXPECT_EQ(GetToolError(Send().status())->code, ErrorCode::kCancelled);
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kCancelled));
  EXPECT_THAT(log_, IsEmpty());
  EXPECT_THAT(client_->requests, SizeIs(1));
}

TEST_F(ProviderTest, ACallStopsBetweenAttemptsToo) {
  client_->scripts = {Answer(503)};
  stop_in_pause_ = MakeError(ErrorCode::kTimeout, "too late");
  EXPECT_EQ(GetToolError(Send().status())->code, ErrorCode::kTimeout);
  EXPECT_THAT(client_->requests, SizeIs(1));
  EXPECT_EQ(retries_, 0);
}

TEST_F(ProviderTest, LogsOnlyTheBeginningOfAnAnswer) {
  client_->scripts = {{.status = 400, .pieces = {std::string(1 << 20, 'x')}}};
  EXPECT_FALSE(Send().ok());
  ASSERT_THAT(log_, SizeIs(1));
  EXPECT_LE(log_.front().size(), 2200u);
}

// --- Streams ---

class ProviderStreamTest : public ProviderTest {
 protected:
  absl::StatusOr<std::unique_ptr<ProviderStream>> Open(Provider& provider) {
    Scope scope{.wait = wait_, .span = span_};
    return provider.Open({.path = "/chat", .repeatable = true}, scope);
  }

  const std::function<absl::StatusOr<bool>(fibers::Event&, absl::Duration)> wait_ =
      [this](fibers::Event& event, absl::Duration timeout) { return Wait(event, timeout); };
  std::shared_ptr<Provider> provider_;
};

TEST_F(ProviderStreamTest, HandsOutPiecesAsTheyCome) {
  client_->scripts = {Answer(503), {.status = 201, .pieces = {"a", "b"}}};
  const auto provider = Make();
  auto stream = Open(*provider);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ((*stream)->head().status, 201);
  EXPECT_EQ((*stream)->Next(wait_).value(), "a");
  EXPECT_EQ((*stream)->Next(wait_).value(), "b");
  EXPECT_EQ((*stream)->Next(wait_).value(), "");
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kFailed));
  stream->reset();
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kFailed, ProviderOutcome::kOk));
}

TEST_F(ProviderStreamTest, DoesNotRepeatWhatHasBegun) {
  client_->scripts = {Broken(absl::StatusCode::kUnavailable)};
  const auto provider = Make();
  auto stream = Open(*provider);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ((*stream)->Next(wait_).value(), "half");
  const auto error = GetToolError((*stream)->Next(wait_).status());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->message, "zai broke the connection");
  stream->reset();
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kFailed));
  EXPECT_THAT(client_->requests, SizeIs(1));
}

TEST_F(ProviderStreamTest, ACallThatStopsMidwayIsNoFailureOfTheProvider) {
  client_->scripts = {{.pieces = {"a", "b"}}};
  const auto provider = Make();
  auto stream = Open(*provider);
  EXPECT_EQ((*stream)->Next(wait_).value(), "a");
  stop_ = MakeError(ErrorCode::kCancelled, "the client left");
  EXPECT_EQ(GetToolError((*stream)->Next(wait_).status())->code, ErrorCode::kCancelled);
  stream->reset();
  EXPECT_THAT(reports_, ElementsAre(ProviderOutcome::kCancelled));
}

// --- Traces ---

TEST_F(ProviderTest, EveryAttemptIsASpanThatTheServiceIsToldOf) {
  namespace tracing = observability::tracing;
  observability::TraceIds ids{IdSource::Real()};
  const observability::TraceContext call{1, 2, 4, 1, ""};
  tracing::TraceRecording recording{{1, 2, 3, 1, {}}, ids, clock_};
  span_ = {&call, &recording};
  client_->scripts = {Answer(503), {.pieces = {"ok"}}};
  ASSERT_TRUE(Send({.path = "/chat", .span_name = "chat glm-4.6"}).ok());
  ASSERT_THAT(recording.spans(), SizeIs(2));
  const tracing::Span& first = recording.spans()[0];
  const tracing::Span& second = recording.spans()[1];
  EXPECT_EQ(first.name, "chat glm-4.6");
  EXPECT_TRUE(first.failed);
  EXPECT_EQ(testing::FindText(recording, &first, tracing::kErrorType), "503");
  EXPECT_EQ(testing::FindText(recording, &first, tracing::kHttpRequestMethod), "POST");
  EXPECT_EQ(testing::FindText(recording, &first, tracing::kServerAddress), "api.example.com");
  EXPECT_EQ(testing::FindAttribute(recording, &first, tracing::kServerPort), tracing::Attribute::Value(int64_t{443}));
  EXPECT_EQ(testing::FindAttribute(recording, &first, tracing::kHttpResponseStatusCode),
            tracing::Attribute::Value(int64_t{503}));
  EXPECT_EQ(testing::FindAttribute(recording, &first, tracing::kHttpRequestResendCount), std::nullopt);
  EXPECT_FALSE(second.failed);
  EXPECT_EQ(testing::FindAttribute(recording, &second, tracing::kHttpRequestResendCount),
            tracing::Attribute::Value(int64_t{1}));
  observability::TraceContext sent = call;
  sent.span_id = second.id;
  EXPECT_EQ(client_->requests.back().headers.back().name, "traceparent");
  EXPECT_EQ(client_->requests.back().headers.back().value, sent.ToTraceParent());
}

// --- With real connections ---

TEST_F(ProviderTest, AsksAServer) {
  testing::ScriptedHttpServer server([](const testing::SeenRequest& request) {
    if (request.path == "/v1/busy") return testing::ScriptedReply{.status = 503, .body = "busy"};
    return testing::ScriptedReply{.body = "hello"};
  });
  ProviderSettings settings = Settings();
  settings.set_base_url(absl::StrCat(server.url(), "/v1"));
  auto provider = Provider::Create(
      {.name = "zai", .settings = settings, .section = "chat.glm", .clients = std::make_shared<http::ClientPool>()},
      clock_, nullptr);
  ASSERT_TRUE(provider.ok()) << provider.status();
  const testing::RealWait wait;
  Scope scope{.wait = wait, .span = span_};
  const auto response = (*provider)->Send({.path = "/chat", .body = "{}"}, scope);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(server.requests().back().path, "/v1/chat");
  EXPECT_EQ(server.requests().back().Find("authorization"), "Bearer key-123");
}

TEST(FakeProviderTest, AnswersAsARealOneDoes) {
  const auto fake = testing::FakeProvider::Answering("{}");
  const testing::RealWait wait;
  const observability::tracing::CallSpan span;
  Scope scope{.wait = wait, .span = span};
  EXPECT_EQ(fake->Send({.path = "/a"}, scope)->body, "{}");
  auto stream = fake->Open({.path = "/b"}, scope);
  EXPECT_EQ((*stream)->Next(wait).value(), "{}");
  EXPECT_EQ((*stream)->Next(wait).value(), "");
  EXPECT_EQ(fake->requests().back().path, "/b");
}

}  // namespace
}  // namespace toolgate::executors::providers
