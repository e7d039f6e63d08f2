// Events of running tools, over real gRPC.
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/sql/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/outside_tool.h"
#include "tests/support/shown_tools.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;
using testing::FetchMetrics;
using ::testing::HasSubstr;
using testing::OutsideWorld;
using ::testing::SizeIs;
using testing::TestServer;
using v1::ExecuteStreamResponse;

// A statement that never comes to its end.
constexpr char kEndless[] =
    R"({"sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"})";

class Stream {
 public:
  Stream(TestServer& server, const v1::ExecuteRequest& call) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = call;
    reader_ = server.tools().ExecuteStream(&context_, request);
  }
  bool Next(ExecuteStreamResponse& event) { return reader_->Read(&event); }
  void Leave() { context_.TryCancel(); }
  grpc::Status End() {
    ExecuteStreamResponse event;
    while (reader_->Read(&event)) {
    }
    return reader_->Finish();
  }
  // All events, in order; the call must not be refused.
  std::vector<ExecuteStreamResponse> All() {
    std::vector<ExecuteStreamResponse> events;
    ExecuteStreamResponse event;
    while (reader_->Read(&event)) events.push_back(event);
    const grpc::Status status = reader_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return events;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<ExecuteStreamResponse>> reader_;
};

class StreamingTest : public ::testing::Test {
 protected:
  void Start(absl::Duration max_statement_time = absl::Seconds(5)) {
    server_ = std::make_unique<TestServer>(
        [&](config::v1::Config& config) {
          config.mutable_families()
              ->MutableExtension(executors::sql::SqlSettings::sql)
              ->mutable_max_time()
              ->set_seconds(absl::ToInt64Seconds(max_statement_time));
        },
        nullptr, Clock::Real(), std::vector<executors::Family>{testing::OutsideFamily(world_), testing::ShownFamily()});
  }
  void AwaitMetric(std::string_view line) {
    const std::string whole = absl::StrCat("\n", ToAbsl(line), "\n");
    Await([&] { return FetchMetrics(server_->application().metrics_address()).find(whole) != std::string::npos; });
  }
  // Waits for `state`: a state, not a time.
  template <typename State>
  static void Await(State state) {
    while (!state()) std::this_thread::yield();
  }

  OutsideWorld world_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(StreamingTest, AnAutomationNamesTheStepThatBegins) {
  Start();
  const Json made = server_->RunTool(
      "create_block",
      R"({"type":"automation","data":{"title":"Review","steps":[{"tool":"list_tasks"},{"tool":"get_block","arguments":{"blockId":"{{context.id}}"}}]}})");
  const std::string id = made["block"]["id"].get<std::string>();
  const auto events =
      Stream(*server_, TestServer::Request("trigger_automation", absl::StrCat(R"({"automationId":")", id,
                                                                              R"(","context":{"id":")", id, R"("}})")))
          .All();
  ASSERT_GE(events.size(), 5U);
  EXPECT_EQ(events[0].tool_call_start().tool_name(), "trigger_automation") << "and nothing of its steps";
  EXPECT_EQ(events[1].started().tool_id(), "trigger_automation");
  // A report that the client has not read yet is replaced by the next.
  if (events.size() == 6) {
    EXPECT_EQ(events[2].progress().message(), "step 1 (list_tasks)");
  }
  const v1::ToolProgress& last = events[events.size() - 3].progress();
  EXPECT_EQ(last.message(), "step 2 (get_block)");
  EXPECT_EQ(last.done(), 1);
  EXPECT_EQ(last.total(), 2);
  EXPECT_TRUE(events.back().response().result().success()) << events.back().DebugString();
}

TEST_F(StreamingTest, ALongStatementSaysHowMuchOfItsTimeItHasUsed) {
  Start(absl::Seconds(1));
  const auto events = Stream(*server_, TestServer::Request("db_query", kEndless)).All();
  ASSERT_GE(events.size(), 5U);
  EXPECT_THAT(events[2].progress().message(), HasSubstr("of at most 1000 ms"));
  EXPECT_EQ(events[2].progress().total(), 1000);
  EXPECT_EQ(events[events.size() - 2].tool_result().error().code(), "TIMEOUT");
  EXPECT_EQ(events.back().response().result().error().code(), "TIMEOUT");
}

TEST_F(StreamingTest, AClientThatLeavesStopsTheStatement) {
  Start(absl::Hours(1));
  Stream stream(*server_, TestServer::Request("db_query", kEndless));
  ExecuteStreamResponse event;
  while (stream.Next(event) && !event.has_progress()) {
  }
  ASSERT_TRUE(event.has_progress());
  stream.Leave();
  EXPECT_EQ(stream.End().error_code(), grpc::StatusCode::CANCELLED);
  // The call has ended once it is in the audit log.
  v1::SearchEntriesRequest filters;
  filters.set_tool_id("db_query");
  Await([&] { return server_->Audit(filters).size() == 1; });
  EXPECT_EQ(server_->Audit(filters)[0].outcome(), "CANCELLED");
}

TEST_F(StreamingTest, OutputComesWhileTheToolRuns) {
  world_.output = {"first\nmail ann@exam", "ple.com\n"};
  Start();
  Stream stream(*server_, TestServer::Request("outside_act", "{}"));
  ExecuteStreamResponse event;
  std::string output;
  while (output.size() < std::string_view("first\nmail [masked:email]\n").size() && stream.Next(event)) {
    output += event.output().chunk();
    EXPECT_TRUE(!event.has_output() || event.output().channel() == "stdout") << event.DebugString();
  }
  EXPECT_EQ(output, "first\nmail [masked:email]\n");
  world_.AwaitWaiting(1);
  world_.Release();
  ASSERT_TRUE(stream.Next(event));
  EXPECT_TRUE(event.tool_result().success());
  ASSERT_TRUE(stream.Next(event));
  EXPECT_TRUE(event.response().result().success());
  EXPECT_TRUE(event.response().result().untrusted());
  EXPECT_EQ(event.response().result().output_size(), 0) << "it came as events";
  EXPECT_TRUE(stream.End().ok());
}

TEST_F(StreamingTest, AResultThatIsToBeShownIsAnEventOfItsOwn) {
  Start();
  const auto shown = [&](std::string_view tool, std::string_view data) {
    auto request = TestServer::Request(tool, absl::StrCat(R"({"data":)", ToAbsl(data), "}"));
    request.set_tool_call_id("call_1");
    const auto events = Stream(*server_, request).All();
    EXPECT_THAT(events, SizeIs(5));
    if (events.size() != 5) return ExecuteStreamResponse();
    EXPECT_EQ(events[0].tool_call_start().tool_call_id(), "call_1");
    EXPECT_TRUE(events[1].has_started());
    EXPECT_TRUE(events[2].tool_result().success());
    EXPECT_EQ(events[2].tool_result().tool_call_id(), "call_1");
    EXPECT_EQ(events[4].response().result().data_json(), data) << "with the same data as without the event";
    return events[3];
  };
  const auto artifact = shown("show_artifact", R"({"artifactCode":"<p>Hi</p>","type":"html","title":"Greeting"})");
  EXPECT_EQ(artifact.artifact_complete().artifact_code(), "<p>Hi</p>");
  EXPECT_EQ(artifact.artifact_complete().type(), "html");
  EXPECT_EQ(artifact.artifact_complete().title(), "Greeting");
  const auto image = shown("show_image", R"({"imageUrl":"https://store.example/i.png"})");
  EXPECT_EQ(image.image_complete().image_url(), "https://store.example/i.png");
  const auto search = shown("show_search", R"({"query":"tea","sources":[{"url":"https://a.example","title":"A"}]})");
  EXPECT_EQ(search.web_search().query(), "tea");
  EXPECT_THAT(search.web_search().sources(), SizeIs(1));
  EXPECT_THAT(Stream(*server_, TestServer::Request("show_artifact", R"({"data":{}})")).All(), SizeIs(4))
      << "nothing to show";
}

TEST_F(StreamingTest, AUnaryCallGetsTheSameOutputUpToItsBound) {
  world_.output.assign(100, std::string(1023, 'x') + "\n");
  world_.patience = absl::ZeroDuration();
  Start();
  const v1::ToolResult result = server_->Run(TestServer::Request("outside_act", "{}"));
  ASSERT_THAT(result.output(), SizeIs(1));
  EXPECT_EQ(result.output(0).channel(), "stdout");
  EXPECT_THAT(result.output(0).chunk(), SizeIs(64 << 10));
  EXPECT_EQ(result.output_omitted_bytes(), 36 << 10);
  EXPECT_TRUE(result.untrusted());
}

TEST_F(StreamingTest, ASlowClientMakesTheToolWaitAndLosesNothing) {
  constexpr int kPieces = 300;
  world_.output.assign(kPieces, std::string(32767, 'x') + "\n");  // 9.4 MiB.
  world_.patience = absl::ZeroDuration();
  Start();
  Stream stream(*server_, TestServer::Request("outside_act", "{}"));
  // Only a call that waits for its client is in the timer.
  AwaitMetric("toolgate_waiting_calls 1");
  EXPECT_LT(world_.sent(), kPieces);
  int64_t bytes = 0;
  ExecuteStreamResponse event;
  while (stream.Next(event) && !event.has_response()) bytes += static_cast<int64_t>(event.output().chunk().size());
  EXPECT_EQ(bytes, int64_t{kPieces} * 32768);
  EXPECT_TRUE(event.response().result().success());
}

TEST_F(StreamingTest, AClientThatLeavesStopsAToolThatWaits) {
  Start();
  Stream stream(*server_, TestServer::Request("outside_act", "{}"));
  world_.AwaitWaiting(1);
  stream.Leave();
  world_.AwaitWaiting(0);
  EXPECT_EQ(stream.End().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(StreamingTest, AUnaryClientThatLeavesStopsAToolThatWaits) {
  Start();
  grpc::ClientContext context;
  std::thread caller([&] {
    v1::ExecuteResponse response;
    EXPECT_EQ(server_->tools().Execute(&context, TestServer::Request("outside_act", "{}"), &response).error_code(),
              grpc::StatusCode::CANCELLED);
  });
  world_.AwaitWaiting(1);
  context.TryCancel();
  world_.AwaitWaiting(0);
  caller.join();
}

}  // namespace
}  // namespace toolgate
