// Clients that leave before their mutation has run.
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "storage/sqlite/connection.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::FetchMetrics;
using testing::TestServer;
using ::testing::UnorderedElementsAre;

// A mutation on its way, seen through its stream of events.
class StreamedCreation {
 public:
  StreamedCreation(TestServer& server, std::string_view title) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = TestServer::Request(
        "create_block", DumpJson(Json{{"type", "page"}, {"data", {{"title", std::string(title)}}}}));
    stream_ = server.tools().ExecuteStream(&context_, request);
  }

  // Waits until the call has its place among the running ones, and is about to run its tool.
  void AwaitStart() {
    v1::ExecuteStreamResponse event;
    ASSERT_TRUE(stream_->Read(&event));
    ASSERT_TRUE(event.has_tool_call_start()) << event.DebugString();
    ASSERT_TRUE(stream_->Read(&event));
    ASSERT_EQ(event.started().tool_id(), "create_block");
  }
  void Leave() { context_.TryCancel(); }
  grpc::Status Finish() {
    v1::ExecuteStreamResponse event;
    while (stream_->Read(&event)) success_ = event.response().result().success();
    return stream_->Finish();
  }
  bool success() const { return success_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::ExecuteStreamResponse>> stream_;
  bool success_ = false;
};

class CancellationTest : public ::testing::Test {
 protected:
  explicit CancellationTest(int max_in_flight = 8)
      : server_([&](config::v1::Config& config) {
          config.mutable_execution_tracking()->set_max_in_flight(max_in_flight);
          // Calls leave the queue only with their clients, however slow the machine is.
          config.mutable_execution_tracking()->mutable_max_queue_time()->set_seconds(60);
        }) {}

  // Blocks all writes until LetWrite: the store waits, as it would for a slow disk.
  void HoldWriting() {
    auto opened = storage::sqlite::Connection::Open(server_.data_dir() + "/toolgate.db", {});
    ASSERT_TRUE(opened.ok()) << opened.status();
    holder_ = *std::move(opened);
    ASSERT_TRUE(holder_->Execute("BEGIN IMMEDIATE").ok());
  }
  void LetWrite() { ASSERT_TRUE(holder_->Execute("ROLLBACK").ok()); }

  // Waits until the metric has that value.
  void AwaitMetric(std::string_view name, int value) {
    const std::string line = absl::StrCat("\n", std::string(name), " ", value, "\n");
    while (FetchMetrics(server_.application().metrics_address()).find(line) == std::string::npos) {
      std::this_thread::yield();
    }
  }
  // Waits until the server has received everything that this client sent before: calls of one connection arrive in
  // order.
  void AwaitHeard() {
    auto health = grpc::health::v1::Health::NewStub(server_.channel());
    for (int i = 0; i < 100; ++i) {
      grpc::ClientContext context;
      grpc::health::v1::HealthCheckResponse response;
      ASSERT_TRUE(health->Check(&context, {}, &response).ok());
    }
  }

  int64_t PagesTitled(std::string_view title) {
    return server_.RunTool("search_workspace", DumpJson(Json{{"query", std::string(title)}}))["totalCount"];
  }
  // "<outcome> by <refused_by>" of each creation.
  std::vector<std::string> AuditedCreations() {
    v1::SearchEntriesRequest filter;
    filter.set_tool_id("create_block");
    std::vector<std::string> outcomes;
    for (const v1::AuditEntry& entry : server_.Audit(filter)) {
      outcomes.push_back(absl::StrCat(entry.outcome(), " by ", entry.refused_by()));
    }
    return outcomes;
  }

  TestServer server_;
  std::unique_ptr<storage::sqlite::Connection> holder_;
};

class OneAtATimeTest : public CancellationTest {
 protected:
  OneAtATimeTest() : CancellationTest(1) {}
};

TEST_F(OneAtATimeTest, ACallThatLeavesTheLineBeforeItsPlaceComesNeverRuns) {
  HoldWriting();
  StreamedCreation first(server_, "Stayed");
  first.AwaitStart();
  StreamedCreation second(server_, "Left");
  AwaitMetric("toolgate_calls_in_flight", 2);  // A worker has taken it up.
  AwaitMetric("toolgate_queue_length", 1);
  second.Leave();
  // It does not wait for the first to end.
  AwaitMetric("toolgate_calls_in_flight", 1);
  AwaitMetric("toolgate_queue_length", 0);
  LetWrite();
  EXPECT_TRUE(first.Finish().ok());
  EXPECT_TRUE(first.success());
  EXPECT_EQ(second.Finish().error_code(), grpc::StatusCode::CANCELLED);

  EXPECT_EQ(PagesTitled("Stayed"), 1);
  EXPECT_EQ(PagesTitled("Left"), 0);
  EXPECT_THAT(AuditedCreations(), UnorderedElementsAre("OK by ", "CANCELLED by execution_tracking"));
  EXPECT_TRUE(server_.VerifyChain().valid());
}

TEST_F(CancellationTest, MutationsThatWaitToBeWrittenAreDroppedWhenTheirClientsLeave) {
  HoldWriting();
  // The first is about to begin a transaction, the others are queued behind it.
  StreamedCreation first(server_, "Left");
  first.AwaitStart();
  StreamedCreation second(server_, "Left");
  second.AwaitStart();
  StreamedCreation third(server_, "Stayed");
  third.AwaitStart();
  first.Leave();
  second.Leave();
  AwaitHeard();
  LetWrite();
  EXPECT_EQ(first.Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(second.Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(third.Finish().ok());
  EXPECT_TRUE(third.success());
  AwaitMetric("toolgate_calls_in_flight", 0);

  EXPECT_EQ(PagesTitled("Left"), 0);
  EXPECT_EQ(PagesTitled("Stayed"), 1);
  EXPECT_THAT(AuditedCreations(), UnorderedElementsAre("CANCELLED by execute", "CANCELLED by execute", "OK by "));
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(server_.Undo().error().code(), "NOTHING_TO_UNDO");
  EXPECT_TRUE(server_.VerifyChain().valid());
}

}  // namespace
}  // namespace toolgate
