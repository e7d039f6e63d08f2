#include <thread>

#include "absl/synchronization/notification.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "services/rpc/grpc_server.h"
#include "tests/unit/services/rpc_server/test_service.h"

namespace toolgate::services::rpc {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr char kName[] = "toolgate.v1.ToolService";

TEST(GrpcServerDrainTest, AnIdleServerEndsAtOnceAndAnswersTheSameAgain) {
  TestServer server;
  EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok());
  EXPECT_TRUE(server.server->Shutdown(absl::ZeroDuration()).ok());
  EXPECT_EQ(Call().Run(server.Connect(), "echo").error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(GrpcServerDrainTest, RunningCallsFinish) {
  TestServer server;
  const auto channel = server.Connect();
  grpc::Status status;
  std::thread caller([&] { status = Call().Run(channel, "hold"); });
  server.service.WaitForHeld(1);
  absl::Status drained;
  std::thread drain([&] { drained = server.server->Shutdown(absl::InfiniteDuration()); });
  // Once the listener is gone the drain is under way, and the call still runs.
  while (Call().Run(server.Connect(), "echo").ok()) std::this_thread::yield();
  EXPECT_EQ(server.calls.count(), 1);
  server.service.Release();
  caller.join();
  drain.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(drained.ok()) << drained;
}

TEST(GrpcServerDrainTest, ConcurrentShutdownsAgree) {
  TestServer server;
  std::thread caller([channel = server.Connect()] { Call().Run(channel, "hold"); });
  server.service.WaitForHeld(1);
  std::vector<std::thread> drains;
  for (int i = 0; i < 3; ++i) {
    drains.emplace_back([&] { EXPECT_TRUE(server.server->Shutdown(absl::Milliseconds(1)).ok()); });
  }
  for (std::thread& drain : drains) drain.join();
  caller.join();
}

TEST(GrpcServerDrainTest, CallsThatAreNotDoneInTimeAreCancelled) {
  TestServer server;
  const auto channel = server.Connect();
  std::vector<grpc::Status> statuses(5);
  std::vector<std::thread> callers;
  for (grpc::Status& status : statuses) {
    callers.emplace_back([&status, channel] { status = Call().Run(channel, "hold"); });
  }
  server.service.WaitForHeld(5);
  EXPECT_TRUE(server.server->Shutdown(absl::Milliseconds(1)).ok());
  for (std::thread& caller : callers) caller.join();
  // The client sees the server's cancellation or the end of the connection, whichever comes first.
  for (const grpc::Status& status : statuses) {
    EXPECT_TRUE(status.error_code() == grpc::StatusCode::CANCELLED ||
                status.error_code() == grpc::StatusCode::UNAVAILABLE)
        << status.error_code();
  }
  EXPECT_EQ(server.calls.count(), 0);
}

TEST(GrpcServerDrainTest, ACallThatIgnoresItsCancellationIsReportedAndHoldsNobodyUp) {
  auto server = std::make_unique<TestServer>();
  const auto channel = server->Connect();
  std::thread caller([&] { EXPECT_FALSE(Call().Run(channel, "stubborn").ok()); });
  server->service.WaitForHeld(1);
  const absl::Status drained = server->server->Shutdown(absl::Milliseconds(1));
  EXPECT_EQ(drained.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(drained.message(), "1 calls did not end within 2s of being cancelled");
  EXPECT_EQ(server->server->Shutdown(absl::ZeroDuration()), drained);
  caller.join();
  server->server.reset();
  server->service.Release();
  while (server->calls.count() > 0) std::this_thread::yield();
}

TEST(GrpcServerDrainTest, HealthWatchesHearOfItAndDoNotHoldItUp) {
  TestServer server;
  server.server->SetReady(true);
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service(kName);
  const auto watch = Health::NewStub(server.Connect())->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  std::thread drain([&] { EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok()); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  drain.join();
}

}  // namespace
}  // namespace toolgate::services::rpc
