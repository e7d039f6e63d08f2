// Refusals as results, over real gRPC.
#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/leaping_clock.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;
using testing::ErrorInfoOf;
using testing::FetchMetrics;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestServer;

// A message up to the time that is left, which passes.
std::string WithoutTheWait(const std::string& message) { return message.substr(0, message.find("; try again in")); }

v1::ToolResult RefusedAsResult(TestServer& server, v1::ExecuteRequest request) {
  request.set_refusals(v1::REFUSAL_FORM_RESULT);
  v1::ExecuteResponse response;
  const grpc::Status status = server.Execute(request, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.has_result()) << response.DebugString();
  EXPECT_FALSE(response.result().success());
  return response.result();
}

// A reason to refuse a call, and the refusal.
struct Refusal {
  const char* name;
  std::string_view code;
  std::string_view layer;
  // Brings the service to the point where `request` is refused.
  std::function<void(TestServer&, v1::ExecuteRequest& request)> arrange;
  std::string_view says = "";
};
std::ostream& operator<<(std::ostream& out, const Refusal& refusal) { return out << refusal.name; }

void Configure(config::v1::Config& config) {
  auto& guest = (*config.mutable_identity()->mutable_roles())["guest"];
  guest.clear_permissions();
  guest.add_permissions("block:read");
  auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["list_tasks"].add_windows();
  window.set_audience("any");
  window.set_max_calls(1);
  window.mutable_window()->set_seconds(3600);
}

class RefusalFormTest : public ::testing::TestWithParam<Refusal> {
 protected:
  RefusalFormTest() { GetParam().arrange(server_, request_); }

  testing::LeapingClock clock_;
  TestServer server_{Configure, nullptr, clock_};
  v1::ExecuteRequest request_ = TestServer::Request("get_block", R"({"blockId":"b"})");
};

TEST_P(RefusalFormTest, SaysTheSameAsAStatusAndAsAResult) {
  for (const v1::RefusalForm form : {v1::REFUSAL_FORM_UNSPECIFIED, v1::REFUSAL_FORM_STATUS}) {
    request_.set_refusals(form);
    server_.Refused(request_, GetParam().code);
  }
  const grpc::Status status = server_.Refused(request_, GetParam().code);
  const google::rpc::ErrorInfo info = ErrorInfoOf(status);
  const v1::ToolResult result = RefusedAsResult(server_, request_);
  EXPECT_EQ(result.error().code(), info.reason());
  EXPECT_EQ(WithoutTheWait(result.error().message()), WithoutTheWait(status.error_message()));
  EXPECT_THAT(result.error().message(), HasSubstr(std::string(GetParam().says)));
  EXPECT_EQ(result.refused_by(), GetParam().layer);
  EXPECT_EQ(result.refused_by(), info.metadata().at("layer"));
  EXPECT_EQ(result.data_json(), "");
  EXPECT_EQ(result.undo_entry_id(), "");
  EXPECT_EQ(result.rendered_text(), "") << "no format was asked for";
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  bool waits = false;
  for (const auto& detail : details.details()) waits |= detail.Is<google::rpc::RetryInfo>();
  EXPECT_EQ(result.error().has_retry_after(), waits);
}

TEST_P(RefusalFormTest, IsAuditedAndCountedAlike) {
  request_.mutable_caller()->set_conversation_id("told apart");
  server_.Refused(request_, GetParam().code);
  const v1::ToolResult result = RefusedAsResult(server_, request_);
  v1::SearchEntriesRequest search;
  search.set_conversation_id("told apart");
  const std::vector<v1::AuditEntry> entries = server_.Audit(search);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].id(), result.audit_entry_id()) << "newest first";
  for (const v1::AuditEntry& entry : entries) {
    EXPECT_FALSE(entry.success());
    EXPECT_EQ(entry.outcome(), GetParam().code);
    EXPECT_EQ(entry.refused_by(), GetParam().layer);
  }
  EXPECT_THAT(FetchMetrics(server_.application().metrics_address()),
              HasSubstr(absl::StrCat("toolgate_rejections_total{layer=\"", ToAbsl(GetParam().layer), "\",reason=\"",
                                     ToAbsl(GetParam().code), "\"} 2\n")));
}

TEST_P(RefusalFormTest, IsRenderedForEveryProvider) {
  request_.set_tool_call_id("call_1");
  const auto render = [&](v1::ResultFormat format) {
    request_.set_result_format(format);
    return RefusedAsResult(server_, request_).rendered_text();
  };
  const auto error_of = [&](const Json& error) {
    EXPECT_EQ(error.at("code"), GetParam().code);
    EXPECT_EQ(error.at("details").at("layer"), GetParam().layer);
    EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr(std::string(GetParam().says)));
  };
  error_of(Json::parse(render(v1::RESULT_FORMAT_RAW_JSON)).at("error"));
  const Json openai = Json::parse(render(v1::RESULT_FORMAT_OPENAI));
  EXPECT_EQ(openai.at("role"), "tool");
  EXPECT_EQ(openai.at("tool_call_id"), "call_1");
  error_of(Json::parse(openai.at("content").get<std::string>()).at("error"));
  const Json anthropic = Json::parse(render(v1::RESULT_FORMAT_ANTHROPIC));
  EXPECT_EQ(anthropic.at("is_error"), true);
  error_of(Json::parse(anthropic.at("content").get<std::string>()).at("error"));
  error_of(Json::parse(render(v1::RESULT_FORMAT_GEMINI)).at("functionResponse").at("response").at("error"));
  const Json mcp = Json::parse(render(v1::RESULT_FORMAT_MCP));
  EXPECT_EQ(mcp.at("isError"), true);
  error_of(Json::parse(mcp.at("content")[0].at("text").get<std::string>()).at("error"));
  EXPECT_THAT(render(v1::RESULT_FORMAT_TOOL_RESULT_XML), HasSubstr("<status>error</status>"));
  EXPECT_EQ(Json::parse(render(v1::RESULT_FORMAT_OK_DATA_ERROR)).at("ok"), false);
}

TEST_P(RefusalFormTest, EndsAStreamWithAResponse) {
  const auto stream = [&](v1::RefusalForm form, std::vector<v1::ExecuteStreamResponse>& events) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = request_;
    request.mutable_request()->set_refusals(form);
    grpc::ClientContext context;
    const auto reader = server_.tools().ExecuteStream(&context, request);
    v1::ExecuteStreamResponse event;
    while (reader->Read(&event)) events.push_back(event);
    return reader->Finish();
  };
  std::vector<v1::ExecuteStreamResponse> events;
  EXPECT_EQ(ErrorInfoOf(stream(v1::REFUSAL_FORM_STATUS, events)).reason(), GetParam().code);
  EXPECT_TRUE(events.empty());
  const grpc::Status status = stream(v1::REFUSAL_FORM_RESULT, events);
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(events.size(), 1u) << "the tool did not start";
  EXPECT_EQ(events[0].response().result().error().code(), GetParam().code);
  EXPECT_EQ(events[0].response().result().refused_by(), GetParam().layer);
}

TEST_P(RefusalFormTest, StoresNothingUnderAnIdempotencyKey) {
  if (!request_.idempotency_key().empty()) GTEST_SKIP() << "the key itself is what is refused";
  request_.set_idempotency_key("key");
  for (int i = 0; i < 2; ++i) {
    const v1::ToolResult result = RefusedAsResult(server_, request_);
    EXPECT_FALSE(result.replayed());
    EXPECT_EQ(result.error().code(), GetParam().code);
  }
  auto other = TestServer::Request("create_block", R"({"type":"page","data":{"title":"T"}})");
  other.set_idempotency_key("key");
  EXPECT_FALSE(server_.Run(other).replayed()) << "the key is free";
}

// A pending deletion, decided as `approve` says, and its token.
void AskAndDecide(TestServer& server, v1::ExecuteRequest& request, bool approve) {
  const Json page = server.RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})");
  request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", page["blockId"]}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  v1::DecideConfirmationRequest decide;
  *decide.mutable_caller() = request.caller();
  decide.set_confirmation_id(response.confirmation_request().confirmation_id());
  decide.set_approve(approve);
  v1::DecideConfirmationResponse decided;
  grpc::ClientContext context;
  ASSERT_TRUE(server.tools().DecideConfirmation(&context, decide, &decided).ok());
}

INSTANTIATE_TEST_SUITE_P(
    EveryLayer, RefusalFormTest,
    ::testing::
        Values(
            Refusal{"UnknownTool", "UNKNOWN_TOOL", "resolve",
                    [](TestServer&, v1::ExecuteRequest& request) { request.set_tool_id("get_blok"); }, "get_block"},
            Refusal{"NoJson", "INVALID_PARAMS", "resolve",
                    [](TestServer&, v1::ExecuteRequest& request) { request.set_arguments_json("{"); }, "JSON"},
            Refusal{"NotConfigured", "NOT_CONFIGURED", "resolve",
                    [](TestServer&, v1::ExecuteRequest& request) {
                      request = TestServer::Request("GraphQuery", R"({"query":"RETURN 1"})");
                    },
                    "files.root"},
            Refusal{"TooLongId", "INVALID_PARAMS", "resolve",
                    [](TestServer&, v1::ExecuteRequest& request) { request.set_request_id(std::string(200, 'r')); },
                    "request_id"},
            Refusal{"WrongMode", "INVALID_PARAMS", "injection_defence",
                    [](TestServer&, v1::ExecuteRequest& request) { request.mutable_caller()->set_mode_hint("none"); }},
            Refusal{"AgainstTheSchema", "INVALID_PARAMS", "param_validation",
                    [](TestServer&, v1::ExecuteRequest& request) { request.set_arguments_json(R"({"blockID":"b"})"); },
                    "did you mean \"blockId\"?"},
            Refusal{"Missing", "MISSING_REQUIRED", "param_validation",
                    [](TestServer&, v1::ExecuteRequest& request) { request.clear_arguments_json(); }, "\"blockId\""},
            Refusal{"NotPermitted", "FORBIDDEN", "authorization",
                    [](TestServer&, v1::ExecuteRequest& request) {
                      request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"T"}})");
                      request.mutable_caller()->set_is_guest(true);
                    }},
            Refusal{"KeyOfAnotherCall", "INVALID_PARAMS", "idempotency",
                    [](TestServer& server, v1::ExecuteRequest& request) {
                      auto first = TestServer::Request("create_block", R"({"type":"page","data":{"title":"T"}})");
                      first.set_idempotency_key("k");
                      server.Run(first);
                      request.set_idempotency_key("k");
                    }},
            Refusal{"OverALimit", "RATE_LIMITED", "rate_limit",
                    [](TestServer& server, v1::ExecuteRequest& request) {
                      server.RunTool("list_tasks", "{}");
                      request = TestServer::Request("list_tasks", "{}");
                    },
                    "try again in"},
            Refusal{"Denied", "CANCELLED", "confirmation",
                    [](TestServer& server, v1::ExecuteRequest& request) { AskAndDecide(server, request, false); },
                    "denied"},
            Refusal{"TokenOfAnotherCall", "FORBIDDEN", "confirmation",
                    [](TestServer& server, v1::ExecuteRequest& request) {
                      AskAndDecide(server, request, true);
                      request.set_arguments_json(R"({"blockId":"other"})");
                    }},
            Refusal{"BudgetUsedUp", "QUOTA_EXCEEDED", "execution_tracking",
                    [](TestServer& server, v1::ExecuteRequest& request) {
                      auto first = TestServer::Request("create_block", R"({"type":"page","data":{"title":"T"}})");
                      first.set_request_id("turn");
                      server.Run(first);
                      request.set_request_id("turn");
                      request.mutable_budget()->set_max_calls(1);
                    }}),
    [](const auto& tested) { return std::string(tested.param.name); });

// The order in which layers refuse does not depend on the form.
TEST(RefusalOrderTest, IsThatOfTheLayers) {
  TestServer server(Configure);
  auto request = TestServer::Request("no_such_tool", R"({"evil":1})");
  request.mutable_caller()->set_is_guest(true);
  request.mutable_caller()->set_mode_hint("no such mode");
  std::vector<std::string> refused_by;
  const auto refuse = [&] { refused_by.push_back(RefusedAsResult(server, request).refused_by()); };
  refuse();
  request.set_tool_id("delete_block");
  refuse();
  request.mutable_caller()->clear_mode_hint();
  refuse();
  request.set_arguments_json(R"({"blockId":"b"})");
  refuse();
  EXPECT_THAT(refused_by, ElementsAre("resolve", "injection_defence", "param_validation", "authorization"));
}

TEST(RefusalStatusTest, AFormThatDoesNotExistIsAStatus) {
  TestServer server;
  auto request = TestServer::Request("get_block", R"({"blockId":"b"})");
  request.set_refusals(static_cast<v1::RefusalForm>(99));
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("refusals"));
  request.set_refusals(v1::REFUSAL_FORM_RESULT);
  request.set_result_format(static_cast<v1::ResultFormat>(99));
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("result_format"));
}

TEST(RefusalStatusTest, ACallerWhoIsNotKnownIsAnsweredAStatus) {
  TestServer server;
  auto request = TestServer::Request("get_block", R"({"blockId":"b"})");
  request.set_refusals(v1::REFUSAL_FORM_RESULT);
  request.mutable_caller()->set_time_zone("Mars/Olympus");
  server.Refused(request, "INVALID_PARAMS");
  request.mutable_caller()->clear_time_zone();
  request.mutable_caller()->set_workspace_id("no id\n");
  server.Refused(request, "INVALID_PARAMS");
}

TEST(RefusalStatusTest, AToolThatFailsAndAQuestionAreWhatTheyAreAnyway) {
  TestServer server;
  auto request = TestServer::Request("get_block", R"({"blockId":"nope"})");
  const v1::ToolResult failed = RefusedAsResult(server, request);
  EXPECT_EQ(failed.error().code(), "NOT_FOUND");
  EXPECT_EQ(failed.refused_by(), "") << "the tool ran";
  const Json page = server.RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})");
  request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", page["blockId"]}}));
  request.set_refusals(v1::REFUSAL_FORM_RESULT);
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(request, response).ok());
  EXPECT_TRUE(response.has_confirmation_request());
}

TEST(RefusalSecretsTest, NothingOfTheArgumentsIsEchoed) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"AKIAIOSFODNN7EXAMPLE","data":{"title":7},
      "jane.doe@example.com":"hunter2"})");
  for (int format = v1::RESULT_FORMAT_RAW_JSON; format < v1::ResultFormat_ARRAYSIZE; ++format) {
    request.set_result_format(static_cast<v1::ResultFormat>(format));
    const std::string text = RefusedAsResult(server, request).rendered_text();
    EXPECT_NE(text, "");
    EXPECT_LT(text.size(), 2000u);
    for (const char* const secret : {"AKIAIOSFODNN7EXAMPLE", "jane.doe@example.com", "hunter2"}) {
      EXPECT_THAT(text, Not(HasSubstr(secret)));
    }
  }
  request.set_tool_id("</name><script>");
  request.set_result_format(v1::RESULT_FORMAT_GEMINI);
  EXPECT_THAT(RefusedAsResult(server, request).rendered_text(), HasSubstr("\"name\":\"unknown_tool\""));
}

TEST(RefusalDryRunTest, SaysThatItWasADryRun) {
  TestServer server;
  auto request = TestServer::Request("create_block", "{}");
  request.set_dry_run(true);
  EXPECT_TRUE(RefusedAsResult(server, request).dry_run());
}

}  // namespace
}  // namespace toolgate
