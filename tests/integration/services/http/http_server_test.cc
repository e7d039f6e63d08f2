// The API over HTTP, against a whole service in this process.
#include "services/http/http_server.h"

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/http_client.h"
#include "tests/support/outside_tool.h"
#include "tests/support/test_server.h"

namespace toolgate::services::http {
namespace {

using ::testing::AllOf;
using testing::FetchMetrics;
using ::testing::HasSubstr;
using testing::HttpConnection;
using testing::HttpReply;
using ::testing::Not;
using testing::OutsideWorld;
using testing::TestServer;

constexpr char kCaller[] = R"("caller":{"workspace_id":"w","user_id":"ann"})";

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(const std::function<void(config::v1::Http&)>& adjust = nullptr) {
    server_ = std::make_unique<TestServer>(
        [&](config::v1::Config& config) {
          config.mutable_http()->set_listen("127.0.0.1:0");
          config.mutable_server()->mutable_drain_timeout()->set_seconds(drain_seconds_);
          if (adjust != nullptr) adjust(*config.mutable_http());
        },
        nullptr, Clock::Real(), std::vector<executors::Family>{testing::OutsideFamily(world_)});
  }

  std::string address() const { return server_->application().http_address(); }

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
  template <typename State>
  static void Await(State state) {
    while (!state()) std::this_thread::yield();
  }
  void AwaitMetric(const std::string& line) {
    Await([&] {
      return FetchMetrics(server_->application().metrics_address()).find("\n" + line + "\n") != std::string::npos;
    });
  }

  int drain_seconds_ = 60;
  OutsideWorld world_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(HttpServerTest, RunsToolsAndTakesThemBack) {
  Start();
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
  Start();
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
  Start();
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

TEST_F(HttpServerTest, KeepsTheConnectionAlive) {
  Start();
  HttpConnection connection(address());
  for (int i = 0; i < 3; ++i) {
    connection.SendRequest("GET", "/v1/tools?page_size=1");
    EXPECT_EQ(connection.Read().status, 200);
  }
  connection.SendRequest("POST", "/nowhere", "{}");
  EXPECT_EQ(connection.Read().status, 404);
  connection.SendRequest("GET", "/healthz");
  EXPECT_EQ(connection.Read().body, R"({"status":"SERVING"})");
}

TEST_F(HttpServerTest, StreamsEventsWhileTheToolRuns) {
  world_.output = {"first\n"};
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  const HttpReply head = connection.ReadHead();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("x-accel-buffering"), "no");
  EXPECT_THAT(connection.ReadUntil("\n\n"),
              AllOf(HasSubstr("event: started\n"), HasSubstr("\"toolId\":\"outside_act\"")));
  EXPECT_THAT(connection.ReadUntil("\n\n"), AllOf(HasSubstr("event: output\n"), HasSubstr("\"channel\":\"stdout\"")));
  world_.AwaitWaiting(1);
  world_.Release();
  EXPECT_THAT(connection.ReadUntil("\n\n"), AllOf(HasSubstr("event: response\n"), HasSubstr("\"success\":true")));
  EXPECT_NE(connection.ReadUntil("0\r\n\r\n"), "") << "the stream ends";
  AwaitMetric("toolgate_http_requests_total{route=\"POST /v1/tools/{tool_id}:executeStream\",code=\"200\"} 1");
}

TEST_F(HttpServerTest, StreamsForAClientThatAcceptsEvents) {
  Start();
  const HttpReply reply = Execute("list_tasks", "{}", "Accept: text/event-stream\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, AllOf(HasSubstr("event: started\n"), HasSubstr("event: response\n")));
}

TEST_F(HttpServerTest, RefusesAStreamThatDoesNotBeginWithAStatus) {
  Start();
  const HttpReply reply = Execute("create_task", R"({"title":7})", "Accept: text/event-stream\r\n");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(ReasonOf(reply), "INVALID_PARAMS");
}

TEST_F(HttpServerTest, ASlowClientMakesTheToolWaitAndLosesNothing) {
  constexpr int kPieces = 300;
  world_.output.assign(kPieces, std::string(32767, 'x') + "\n");
  world_.patience = absl::ZeroDuration();
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  AwaitMetric("toolgate_waiting_calls 1");
  EXPECT_LT(world_.sent(), kPieces);
  const std::string body = connection.Read().body;
  EXPECT_THAT(body.substr(body.size() - 3000), HasSubstr("event: response\n"));
  EXPECT_EQ(world_.sent(), kPieces);
}

TEST_F(HttpServerTest, AClientThatLeavesAStreamStopsItsTool) {
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  world_.AwaitWaiting(1);
  connection.Close();
  world_.AwaitWaiting(0);
  AwaitMetric("toolgate_http_requests_total{route=\"POST /v1/tools/{tool_id}:executeStream\",code=\"499\"} 1");
}

TEST_F(HttpServerTest, AClientThatLeavesACallStopsItsTool) {
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:execute", CallWith("{}"));
  world_.AwaitWaiting(1);
  connection.Close();
  world_.AwaitWaiting(0);
}

TEST_F(HttpServerTest, RefusesPagesThatAreNotListed) {
  Start([](config::v1::Http& http) { http.add_allowed_origins("https://app.example.com"); });
  const HttpReply foreign = Ask("GET", "/v1/tools", "", "Origin: https://evil.net\r\n");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_FALSE(foreign.headers.contains("access-control-allow-origin"));
  const HttpReply listed = Ask("GET", "/v1/tools", "", "Origin: https://app.example.com\r\n");
  EXPECT_EQ(listed.status, 200);
  EXPECT_EQ(listed.headers.at("access-control-allow-origin"), "https://app.example.com");
  const HttpReply preflight =
      Ask("OPTIONS", "/v1/undo", "", "Origin: https://app.example.com\r\nAccess-Control-Request-Method: POST\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.headers.at("access-control-allow-methods"), "POST");
  HttpConnection rebound(address());
  rebound.Send("GET /v1/tools HTTP/1.1\r\nHost: evil.net\r\n\r\n");
  EXPECT_EQ(rebound.Read().status, 403);
}

TEST_F(HttpServerTest, BoundsBodies) {
  Start([](config::v1::Http& http) { http.set_max_body_bytes(2000); });
  EXPECT_EQ(Ask("POST", "/v1/undo", std::string(2001, ' ')).status, 413) << "by its length";
  HttpConnection chunked(address());
  chunked.Send(
      "POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) chunked.Send(absl::StrCat("3e8\r\n", std::string(1000, ' '), "\r\n"));
  chunked.Send("0\r\n\r\n");
  EXPECT_EQ(chunked.Read().status, 413) << "as it comes";
  HttpConnection asking(address());
  asking.Send(
      "POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 999999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(asking.Read().status, 413) << "before it comes";
}

TEST_F(HttpServerTest, BoundsHeaders) {
  Start();
  EXPECT_EQ(Ask("GET", "/v1/tools", "", absl::StrCat("X-Long: ", std::string(17000, 'x'), "\r\n")).status, 431);
  HttpConnection endless(address());
  endless.Send("GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n");
  for (int i = 0; i < 1000; ++i) endless.Send(absl::StrCat("X-", i, ": ", std::string(100, 'x'), "\r\n"));
  EXPECT_TRUE(endless.AwaitEnd());
}

TEST_F(HttpServerTest, EndsRequestsThatDoNotCome) {
  Start([](config::v1::Http& http) {
    http.mutable_request_timeout()->set_nanos(100'000'000);
    http.mutable_idle_timeout()->set_seconds(1);
  });
  HttpConnection silent(address());
  HttpConnection headless(address());
  headless.Send("POST /v1/undo HTTP/1.1\r\nHost:");
  HttpConnection slow(address());
  slow.Send(
      "POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
  EXPECT_TRUE(slow.AwaitEnd());
  EXPECT_TRUE(headless.AwaitEnd());
  EXPECT_TRUE(silent.AwaitEnd());
}

TEST_F(HttpServerTest, SendsSignsOfLife) {
  Start([](config::v1::Http& http) { http.mutable_heartbeat_interval()->set_seconds(1); });
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  EXPECT_NE(connection.ReadUntil("event: started"), "");
  EXPECT_NE(connection.ReadUntil(": still here\n\n"), "");
  world_.Release();
  EXPECT_NE(connection.ReadUntil("event: response"), "");
}

TEST_F(HttpServerTest, LetsCallsEndWhenItStops) {
  Start();
  HttpConnection idle(address());
  idle.SendRequest("GET", "/readyz");
  Await([&] { return Ask("GET", "/readyz").status == 200; });
  HttpConnection running(address());
  running.SendRequest("POST", "/v1/tools/outside_act:execute", CallWith("{}"));
  world_.AwaitWaiting(1);
  std::thread stopping([&] { server_->Stop(); });
  EXPECT_TRUE(idle.AwaitEnd());
  world_.Release();
  const HttpReply reply = running.Read();
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("connection"), "close");
  stopping.join();
}

TEST_F(HttpServerTest, CancelsCallsThatDoNotEndWhenItStops) {
  drain_seconds_ = 0;
  Start();
  HttpConnection running(address());
  running.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  EXPECT_NE(running.ReadUntil("event: started"), "");
  server_->Stop();
  EXPECT_NE(running.ReadUntil("event: error"), "");
  EXPECT_TRUE(running.AwaitEnd());
}

TEST_F(HttpServerTest, ServesOnAUnixSocket) {
  testing::TempDir folder;
  Start([&](config::v1::Http& http) { http.set_listen(absl::StrCat("unix:", folder.path(), "/http")); });
  HttpConnection connection(address());
  connection.Send("GET /v1/tools?page_size=1 HTTP/1.1\r\nHost: whatever\r\n\r\n");
  EXPECT_EQ(connection.Read().status, 200);
}

TEST_F(HttpServerTest, CountsRequests) {
  Start();
  Ask("GET", "/v1/tools");
  Ask("GET", "/nowhere");
  Execute("no_such_tool", "{}");
  const std::string text = FetchMetrics(server_->application().metrics_address());
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
