// More calls than can run: waiting calls hold no resources, and calls that waited too long do not run.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/sql/settings.pb.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/leaping_clock.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::FetchMetrics;
using testing::LeapingClock;
using testing::TestServer;

// A statement that runs until its client leaves.
class EndlessCall {
 public:
  explicit EndlessCall(TestServer& server) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = TestServer::Request(
        "db_query", DumpJson(Json{{"sql",
                                   "WITH RECURSIVE ai_n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ai_n) "
                                   "SELECT count(*) FROM ai_n"}}));
    stream_ = server.tools().ExecuteStream(&context_, request);
  }
  ~EndlessCall() { End(); }

  // Waits until its tool is about to run.
  void AwaitStart() {
    v1::ExecuteStreamResponse event;
    ASSERT_TRUE(stream_->Read(&event));
    ASSERT_TRUE(event.has_tool_call_start()) << event.DebugString();
    ASSERT_TRUE(stream_->Read(&event));
    ASSERT_TRUE(event.has_started()) << event.DebugString();
  }
  void End() {
    if (stream_ == nullptr) return;
    context_.TryCancel();
    v1::ExecuteStreamResponse event;
    while (stream_->Read(&event)) {
    }
    static_cast<void>(stream_->Finish());
    stream_ = nullptr;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::ExecuteStreamResponse>> stream_;
};

class OverloadTest : public ::testing::Test {
 protected:
  // `places` are those of db_query and its like. Calls do not end by themselves, however slow the machine is.
  OverloadTest(int workers, int places)
      : server_(
            [=](config::v1::Config& config) {
              config.mutable_server()->set_worker_threads(workers);
              auto& tracking = *config.mutable_execution_tracking();
              (*tracking.mutable_max_in_flight_by_module())["memory"] = places;
              for (auto* time : {tracking.mutable_tool_timeout(), tracking.mutable_max_execution_time_per_request(),
                                 tracking.mutable_max_queue_time(),
                                 config.mutable_families()
                                     ->MutableExtension(executors::sql::SqlSettings::sql)
                                     ->mutable_max_time()}) {
                time->set_seconds(600);
              }
            },
            nullptr, clock_) {}

  std::string Metrics() { return FetchMetrics(server_.application().metrics_address()); }
  // Waits until the series has that value.
  void AwaitSeries(std::string_view series, int value) {
    const std::string line = absl::StrCat("\n", std::string(series), " ", value, "\n");
    while (Metrics().find(line) == std::string::npos) std::this_thread::yield();
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
  v1::ExecuteRequest Creation(std::string_view title) {
    return TestServer::Request("create_block", DumpJson(Json{{"type", "page"}, {"data", {{"title", title}}}}));
  }

  LeapingClock clock_;
  TestServer server_;
};

class OneWorkerTest : public OverloadTest {
 protected:
  OneWorkerTest() : OverloadTest(1, 1) {}
};

TEST_F(OneWorkerTest, ACallWhoseDeadlinePassesInTheQueueDoesNotRun) {
  EndlessCall endless(server_);
  endless.AwaitStart();
  grpc::Status status;
  std::thread caller([&] {
    v1::ExecuteResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(10));
    status = server_.tools().Execute(&context, Creation("Late"), &response);
  });
  AwaitSeries("toolgate_queue_length", 1);
  clock_.Leap(absl::Hours(1));
  endless.End();  // Now a worker takes the other one.
  caller.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "TIMEOUT");
  AwaitSeries("toolgate_shed_total{reason=\"deadline\"}", 1);
  EXPECT_THAT(Metrics(), ::testing::Not(::testing::ContainsRegex(
                             "toolgate_calls_total\\{tool=\"create_block\",outcome=\"[A-Z_]*\"\\} [1-9]")));
  EXPECT_EQ(server_.RunTool("search_workspace", R"({"query":"Late"})")["totalCount"], 0);
  // The wait shows in the metrics.
  const std::string metrics = Metrics();
  const std::string sum = "\ntoolgate_queue_wait_seconds_sum ";
  const size_t at = metrics.find(sum);
  ASSERT_NE(at, std::string::npos);
  EXPECT_GE(std::stod(metrics.substr(at + sum.size())), 3600);
}

TEST_F(OneWorkerTest, ACallWhoseClientLeavesTheQueueDoesNotRun) {
  EndlessCall endless(server_);
  endless.AwaitStart();
  grpc::ClientContext context;
  v1::ExecuteStreamRequest request;
  *request.mutable_request() = Creation("Left");
  auto stream = server_.tools().ExecuteStream(&context, request);
  AwaitSeries("toolgate_queue_length", 1);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  AwaitHeard();
  endless.End();
  AwaitSeries("toolgate_shed_total{reason=\"cancelled\"}", 1);
  EXPECT_EQ(server_.RunTool("search_workspace", R"({"query":"Left"})")["totalCount"], 0);
}

class TwoWorkersTest : public OverloadTest {
 protected:
  TwoWorkersTest() : OverloadTest(2, 1) {}
};

TEST_F(TwoWorkersTest, CallsThatWaitForABulkheadKeepNoWorkerFromOthers) {
  EndlessCall running(server_);
  running.AwaitStart();
  std::vector<std::unique_ptr<EndlessCall>> waiting;
  for (int i = 1; i <= 5; ++i) {
    waiting.push_back(std::make_unique<EndlessCall>(server_));
    AwaitSeries("toolgate_queue_length", i);  // So that they queue in this order.
  }
  AwaitSeries("toolgate_calls_in_flight", 6);  // All of them wait in the bulkhead, none for a worker.
  for (int i = 0; i < 3; ++i) server_.Run(Creation("Not held up"));
  // The next in line takes a freed place.
  running.End();
  waiting[0]->AwaitStart();
  AwaitSeries("toolgate_queue_length", 4);
  // Calls that leave the line are released at once, although no other call ends.
  for (int i = 1; i < 5; ++i) waiting[i]->End();
  AwaitSeries("toolgate_queue_length", 0);
  AwaitSeries("toolgate_calls_in_flight", 1);
}

}  // namespace
}  // namespace toolgate
