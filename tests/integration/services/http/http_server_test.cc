// The API over HTTP, against a whole service in this process.
#include "services/http/http_server.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/http_client.h"
#include "tests/support/test_server.h"

namespace toolgate::services::http {
namespace {

using ::testing::AllOf;
using testing::FetchMetrics;
using ::testing::HasSubstr;
using testing::HttpConnection;
using testing::HttpReply;
using ::testing::Not;
using testing::TestServer;

constexpr char kCaller[] = R"("caller":{"workspace_id":"w","user_id":"ann"})";

class HttpServerTest : public ::testing::Test {
 protected:
  std::string address() { return server_.application().http_address(); }

  HttpReply Ask(std::string_view method, std::string_view target, std::string_view body = "",
                std::string_view more = "") {
    HttpConnection connection(address());
    connection.SendRequest(method, target, body, more);
    return connection.Read();
  }
  // Arguments as JSON.
  static std::string CallWith(std::string_view arguments) {
    return absl::StrCat("{\"arguments\":", std::string(arguments), ",", kCaller, "}");
  }
  HttpReply Execute(std::string_view tool, std::string_view arguments, std::string_view more = "") {
    return Ask("POST", absl::StrCat("/v1/tools/", std::string(tool), ":execute"), CallWith(arguments), more);
  }
  static Json BodyOf(const HttpReply& reply) {
    const auto json = ParseJson(reply.body);
    EXPECT_TRUE(json.ok()) << reply.status << ": " << reply.body;
    return json.ok() ? *json : Json();
  }
  static std::string ReasonOf(const HttpReply& reply) {
    return BodyOf(reply)["error"]["details"][0]["reason"].get<std::string>();
  }

  TestServer server_{[](toolgate::config::v1::Config& config) { config.mutable_http()->set_listen("127.0.0.1:0"); }};
};

TEST_F(HttpServerTest, RunsToolsAndTakesThemBack) {
  const HttpReply made = Execute("create_task", R"({"title":"Buy milk"})");
  EXPECT_EQ(made.status, 200);
  EXPECT_EQ(made.headers.at("content-type"), "application/json");
  EXPECT_EQ(made.headers.at("cache-control"), "no-store");
  const Json result = BodyOf(made)["result"];
  EXPECT_EQ(result["success"], true) << made.body;
  const std::string entry = result["undoEntryId"].get<std::string>();
  const Json entries = BodyOf(Ask("GET", "/v1/undoEntries?caller.workspace_id=w&caller.user_id=ann"));
  EXPECT_EQ(entries["entries"][0]["id"], entry);
  const HttpReply undone = Ask("POST", "/v1/undo", absl::StrCat("{\"entryId\":\"", entry, "\",", kCaller, "}"));
  EXPECT_EQ(BodyOf(undone)["result"]["success"], true) << undone.body;
  const Json audited = BodyOf(
      Ask("GET", "/v1/auditEntries?caller.workspace_id=w&caller.user_id=auditor&tool_id=create_task&success=true"));
  EXPECT_EQ(audited["entries"].size(), 1u);
  EXPECT_EQ(BodyOf(Ask("GET", "/v1/auditEntries:verify?caller.workspace_id=w"))["valid"], true);
}

TEST_F(HttpServerTest, AnswersEveryReadOfTheTable) {
  for (const std::string_view target :
       {"/v1/tools", "/v1/undoEntries", "/v1/confirmations", "/v1/auditEntries", "/v1/auditEntries:verify",
        "/v1/instruction", "/v1/instruction:prompt", "/v1/breakers", "/v1/quotaUsage"}) {
    const HttpReply reply = Ask("GET", target);
    EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
    EXPECT_TRUE(BodyOf(reply).is_object()) << target;
  }
  EXPECT_EQ(Ask("GET", "/v1/auditEntries/none").status, 404);
  EXPECT_EQ(Ask("GET", "/v1/confirmations/none:wait?timeout=0s").status, 404);
  EXPECT_EQ(Ask("POST", "/v1/confirmations/none:decide", R"({"approve":true})").status, 404);
  EXPECT_EQ(Ask("POST", "/v1/results:read", R"({"continuation":"none"})").status, 200);
  EXPECT_EQ(Ask("PATCH", "/v1/instruction", R"({"memory":"likes tea"})").status, 200);
  EXPECT_THAT(Ask("GET", "/v1/instruction:prompt").body, HasSubstr("likes tea"));
  EXPECT_EQ(Ask("POST", "/v1/catalog:reload", "{}").status, 501);
  EXPECT_EQ(Ask("POST", "/v1/breakers/tool:nothing:reset", "{}").status, 404);
}

TEST_F(HttpServerTest, RefusesWithTheFactsOfTheError) {
  const HttpReply unknown = Execute("no_such_tool", "{}");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(ReasonOf(unknown), "UNKNOWN_TOOL");
  const HttpReply wrong = Execute("create_task", R"({"title":7})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(BodyOf(wrong)["error"]["details"][1]["fieldViolations"][0]["field"], "/title");
  const HttpReply field = Ask("POST", "/v1/undo", R"({"entry":"x"})");
  EXPECT_EQ(field.status, 400);
  EXPECT_THAT(field.body, HasSubstr("/entry: unknown field"));
  const HttpReply text = Ask("POST", "/v1/undo", "{\"caller\":\n{,}}");
  EXPECT_THAT(text.body, HasSubstr("line 2, column 2"));
}

TEST_F(HttpServerTest, CountsRequests) {
  Ask("GET", "/v1/tools");
  Ask("GET", "/nowhere");
  Execute("no_such_tool", "{}");
  const std::string text = FetchMetrics(server_.application().metrics_address());
  EXPECT_THAT(text, AllOf(HasSubstr("toolgate_http_requests_total{route=\"GET /v1/tools\",code=\"200\"} 1\n"),
                          HasSubstr("toolgate_http_requests_total{route=\"other\",code=\"404\"} 1\n"),
                          HasSubstr("route=\"POST /v1/tools/{tool_id}:execute\",code=\"404\"} 1\n"),
                          Not(HasSubstr("nowhere"))));
}

TEST(HttpServerOffTest, ExportsNothing) {
  TestServer server;
  EXPECT_EQ(server.application().http_address(), "");
  EXPECT_THAT(FetchMetrics(server.application().metrics_address()), Not(HasSubstr("toolgate_http_")));
}

}  // namespace
}  // namespace toolgate::services::http
