// HTTP on the wire: connections, streams, bounds and ends, over a core with two tools.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/clock.h"
#include "common/fibers/wait_timer.h"
#include "common/fibers/worker_pool.h"
#include "common/ids.h"
#include "common/json.h"
#include "common/yaml/yaml_proto.h"
#include "coordination/signals/local_signals.h"
#include "executors/family.h"
#include "executors/undo/undo_tool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/trace_ids.h"
#include "observability/tracing/tracer.h"
#include "security/confirmation/decision_watch.h"
#include "services/api/api_runtime.h"
#include "services/audit/audit_queue.h"
#include "services/config/toolgate_services_config_defaults.h"
#include "services/http/front_door.h"
#include "services/http/http_server.h"
#include "storage/store.h"
#include "tests/support/http_client.h"
#include "tests/support/memory_sink.h"
#include "tests/support/outside_tool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::services::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::HttpConnection;
using testing::HttpReply;
using testing::OutsideWorld;

toolgate::config::v1::Config DefaultConfig() {
  toolgate::config::v1::Config config;
  yaml::YamlPlaces places;
  for (const EmbeddedFile& file : services::config::DefaultFiles()) {
    EXPECT_TRUE(yaml::MergeYaml(file.path, file.text, yaml::YamlOptions(), config, places).ok());
  }
  return config;
}

observability::MetricsOptions HttpMetrics() {
  observability::MetricsOptions options;
  for (const api::RpcRow& row : api::kRpcTable) {
    options.rpc_methods.push_back({std::string(row.type), std::string(row.service), std::string(row.method)});
  }
  options.http_routes = FrontDoor::Labels();
  return options;
}

class HttpTransportTest : public ::testing::Test {
 protected:
  ~HttpTransportTest() override {
    world_.Release();
    if (server_ != nullptr) {
      EXPECT_TRUE(Stop().ok());
    }
  }

  void Start(const std::function<void(toolgate::config::v1::Http&)>& adjust = nullptr) {
    config_.mutable_http()->set_listen("127.0.0.1:0");
    if (adjust != nullptr) adjust(*config_.mutable_http());
    auto started = HttpServer::Start(config_, {runtime_, workers_, waits_});
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    server_->SetReady(true);
  }
  absl::Status Stop() { return std::exchange(server_, nullptr)->Shutdown(grace_); }

  const std::string& address() const { return server_->address(); }

  HttpReply Ask(std::string_view method, std::string_view target, std::string_view body = "",
                std::string_view more = "") {
    HttpConnection connection(address());
    connection.SendRequest(method, target, body, more);
    return connection.Read();
  }
  // Arguments as JSON.
  static std::string CallWith(std::string_view arguments) {
    return absl::StrCat("{\"arguments\":", std::string(arguments),
                        R"(,"caller":{"workspace_id":"w","user_id":"ann"}})");
  }
  HttpReply Execute(std::string_view tool, std::string_view arguments, std::string_view more = "") {
    return Ask("POST", absl::StrCat("/v1/tools/", std::string(tool), ":execute"), CallWith(arguments), more);
  }
  static std::string ReasonOf(const HttpReply& reply) {
    const auto json = ParseJson(reply.body);
    EXPECT_TRUE(json.ok()) << reply.body;
    return json.ok() ? (*json)["error"]["details"][0]["reason"].get<std::string>() : "";
  }
  // Waits for `state`: a state, not a time.
  template <typename State>
  static void Await(State state) {
    while (!state()) std::this_thread::yield();
  }
  void AwaitMetric(const std::string& line) {
    Await([&] { return metrics_.Text().find("\n" + line + "\n") != std::string::npos; });
  }

  absl::Duration grace_ = absl::Minutes(5);
  testing::TempDir dir_;
  const Clock& clock_ = Clock::Real();
  testing::MemorySink log_;
  observability::Logger logger_{log_, clock_, observability::LogLevel::kInfo, observability::LogFormat::kJson};
  observability::Metrics metrics_{HttpMetrics()};
  observability::TraceIds trace_ids_{IdSource::Real()};
  observability::tracing::Tracer tracer_{trace_ids_, clock_, std::nullopt};
  toolgate::config::v1::Config config_ = DefaultConfig();
  coordination::signals::LocalSignals signals_;
  std::unique_ptr<storage::Store> store_ = MakeStore();
  audit::AuditQueue audit_queue_{*store_, config_.audit(), {}};
  OutsideWorld world_;
  testing::TestCore core_{
      *store_, clock_, config_,
      executors::MakeCatalog({testing::OutsideFamily(world_), executors::undo::UndoFamily()}, {}).value()};
  fibers::WaitTimer waits_{clock_};
  security::confirmation::DecisionWatch decisions_{*store_, signals_, clock_, waits_};
  fibers::WorkerPool workers_{{.max_running = 16, .max_queued = 100}};
  api::ApiRuntime runtime_{[this] { return core_.shared_core(); },
                           *store_,
                           audit_queue_,
                           metrics_,
                           tracer_,
                           logger_,
                           clock_,
                           IdSource::Real(),
                           decisions_,
                           dir_.path()};
  std::unique_ptr<HttpServer> server_;

 private:
  std::unique_ptr<storage::Store> MakeStore() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    options.on_signal = [this](std::string_view subject) { signals_.Send(subject); };
    return testing::MakeTestStore(options);
  }
};

TEST_F(HttpTransportTest, KeepsTheConnectionAlive) {
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

TEST_F(HttpTransportTest, StreamsEventsWhileTheToolRuns) {
  world_.output = {"first\n"};
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  const HttpReply head = connection.ReadHead();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(head.headers.at("x-accel-buffering"), "no");
  EXPECT_NE(connection.ReadUntil("event: started\ndata: {\"toolId\":\"outside_act\""), "");
  EXPECT_NE(connection.ReadUntil("event: output\ndata: {\"channel\":\"stdout\""), "");
  world_.AwaitWaiting(1);
  world_.Release();
  EXPECT_NE(connection.ReadUntil("event: response\ndata: {\"result\":{\"success\":true"), "");
  EXPECT_NE(connection.ReadUntil("0\r\n\r\n"), "") << "the stream ends";
  AwaitMetric("toolgate_http_requests_total{route=\"POST /v1/tools/{tool_id}:executeStream\",code=\"200\"} 1");
}

TEST_F(HttpTransportTest, StreamsForAClientThatAcceptsEvents) {
  world_.patience = absl::ZeroDuration();
  Start();
  const HttpReply reply = Execute("outside_look", "{}", "Accept: text/event-stream\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body, AllOf(HasSubstr("event: started\n"), HasSubstr("event: response\n")));
}

TEST_F(HttpTransportTest, RefusesAStreamThatDoesNotBeginWithAStatus) {
  Start();
  const HttpReply reply = Execute("outside_look", R"({"no":7})", "Accept: text/event-stream\r\n");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(ReasonOf(reply), "INVALID_PARAMS");
}

TEST_F(HttpTransportTest, ASlowClientMakesTheToolWaitAndLosesNothing) {
  constexpr int kPieces = 300;
  world_.output.assign(kPieces, std::string(32767, 'x') + "\n");
  world_.patience = absl::ZeroDuration();
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  Await([&] { return waits_.waiting() == 1; });
  EXPECT_LT(world_.sent(), kPieces);
  const std::string body = connection.Read().body;
  EXPECT_THAT(body.substr(body.size() - 3000), HasSubstr("event: response\n"));
  EXPECT_EQ(world_.sent(), kPieces);
}

TEST_F(HttpTransportTest, AClientThatLeavesAStreamStopsItsTool) {
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  world_.AwaitWaiting(1);
  connection.Close();
  world_.AwaitWaiting(0);
  AwaitMetric("toolgate_http_requests_total{route=\"POST /v1/tools/{tool_id}:executeStream\",code=\"499\"} 1");
}

TEST_F(HttpTransportTest, AClientThatLeavesACallStopsItsTool) {
  Start();
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:execute", CallWith("{}"));
  world_.AwaitWaiting(1);
  connection.Close();
  world_.AwaitWaiting(0);
}

TEST_F(HttpTransportTest, RefusesPagesThatAreNotListed) {
  Start([](toolgate::config::v1::Http& http) { http.add_allowed_origins("https://app.example.com"); });
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

TEST_F(HttpTransportTest, BoundsBodies) {
  Start([](toolgate::config::v1::Http& http) { http.set_max_body_bytes(2000); });
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

TEST_F(HttpTransportTest, BoundsHeaders) {
  Start();
  EXPECT_EQ(Ask("GET", "/v1/tools", "", absl::StrCat("X-Long: ", std::string(17000, 'x'), "\r\n")).status, 431);
  HttpConnection endless(address());
  endless.Send("GET /v1/tools HTTP/1.1\r\nHost: localhost\r\n");
  for (int i = 0; i < 1000; ++i) endless.Send(absl::StrCat("X-", i, ": ", std::string(100, 'x'), "\r\n"));
  EXPECT_TRUE(endless.AwaitEnd());
}

TEST_F(HttpTransportTest, EndsRequestsThatDoNotCome) {
  Start([](toolgate::config::v1::Http& http) {
    http.mutable_head_timeout()->set_nanos(100'000'000);
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

// A byte now and then keeps no connection.
TEST_F(HttpTransportTest, EndsRequestsThatComeByBytes) {
  Start([](toolgate::config::v1::Http& http) {
    http.mutable_head_timeout()->set_nanos(100'000'000);
    http.mutable_request_timeout()->set_nanos(100'000'000);
    http.mutable_idle_timeout()->set_seconds(600);
  });
  for (const std::string_view begin : {"POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
                                       "POST /v1/undo HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                       "application/json\r\nContent-Length: 4000000\r\n\r\n"}) {
    HttpConnection slow(address());
    slow.Send(begin);
    char byte = 0;
    Await([&] {
      slow.Send(" ");
      return recv(slow.fd(), &byte, 1, MSG_DONTWAIT) == 0 || errno != EAGAIN;
    });
  }
}

TEST_F(HttpTransportTest, SendsSignsOfLife) {
  Start([](toolgate::config::v1::Http& http) { http.mutable_heartbeat_interval()->set_seconds(1); });
  HttpConnection connection(address());
  connection.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  EXPECT_NE(connection.ReadUntil("event: started"), "");
  EXPECT_NE(connection.ReadUntil(": still here\n\n"), "");
  world_.Release();
  EXPECT_NE(connection.ReadUntil("event: response"), "");
}

TEST_F(HttpTransportTest, LetsCallsEndWhenItStops) {
  Start();
  HttpConnection idle(address());
  idle.SendRequest("GET", "/readyz");
  Await([&] { return Ask("GET", "/readyz").status == 200; });
  HttpConnection running(address());
  running.SendRequest("POST", "/v1/tools/outside_act:execute", CallWith("{}"));
  world_.AwaitWaiting(1);
  std::thread stopping([&] { EXPECT_TRUE(Stop().ok()); });
  EXPECT_TRUE(idle.AwaitEnd());
  world_.Release();
  const HttpReply reply = running.Read();
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("connection"), "close");
  stopping.join();
}

TEST_F(HttpTransportTest, DoesNotWaitForARequestThatDoesNotComeToItsEnd) {
  grace_ = absl::InfiniteDuration();
  Start();
  HttpConnection half(address());
  half.Send(
      "POST /v1/tools/outside_act:execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 1000\r\n\r\n{");
  Await([&] { return Ask("GET", "/readyz").status == 200; });
  EXPECT_TRUE(Stop().ok());
  EXPECT_TRUE(half.AwaitEnd());
}

// For longer than it waits for one that does not come.
TEST_F(HttpTransportTest, AnswersARequestThatIsComingWhenItStops) {
  grace_ = absl::InfiniteDuration();
  Start();
  HttpConnection coming(address());
  HttpConnection half(address());
  const std::string body = CallWith("{}") + std::string(20, ' ');
  const std::string head =
      "POST /v1/tools/no_such_tool:execute HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  coming.Send(absl::StrCat(head, "Content-Length: ", body.size(), "\r\n\r\n"));
  half.Send(absl::StrCat(head, "Content-Length: 1000\r\n\r\n{"));
  Await([&] { return Ask("GET", "/readyz").status == 200; });
  std::thread stopping([&] { EXPECT_TRUE(Stop().ok()); });
  const size_t begin = body.size() - 20;
  for (size_t at = 0; at < body.size(); at = std::max(at + 1, begin)) {
    absl::SleepFor(absl::Milliseconds(100));
    coming.Send(body.substr(at, at == 0 ? begin : 1));
  }
  EXPECT_EQ(coming.Read().status, 404);
  EXPECT_TRUE(half.AwaitEnd());
  stopping.join();
}

TEST_F(HttpTransportTest, CancelsCallsThatDoNotEndWhenItStops) {
  grace_ = absl::ZeroDuration();
  Start();
  HttpConnection running(address());
  running.SendRequest("POST", "/v1/tools/outside_act:executeStream", CallWith("{}"));
  EXPECT_NE(running.ReadUntil("event: started"), "");
  EXPECT_TRUE(Stop().ok());
  EXPECT_NE(running.ReadUntil("CANCELLED"), "") << "the call's end is told";
  EXPECT_TRUE(running.AwaitEnd());
}

TEST_F(HttpTransportTest, ServesOnAUnixSocket) {
  testing::TempDir folder;
  Start([&](toolgate::config::v1::Http& http) { http.set_listen(absl::StrCat("unix:", folder.path(), "/http")); });
  HttpConnection connection(address());
  connection.Send("GET /v1/tools?page_size=1 HTTP/1.1\r\nHost: whatever\r\n\r\n");
  EXPECT_EQ(connection.Read().status, 200);
}

}  // namespace
}  // namespace toolgate::services::http
