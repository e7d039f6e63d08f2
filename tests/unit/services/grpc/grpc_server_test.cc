#include "services/grpc/grpc_server.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/support/raw_http2.h"
#include "tests/unit/services/grpc/test_service.h"

namespace toolgate::services::grpc {
namespace {

using ::grpc::health::v1::Health;
using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;
using ::testing::HasSubstr;

constexpr char kName[] = "toolgate.v1.ToolService";

TEST(GrpcServerLimitsTest, ServesACall) {
  TestServer server;
  EXPECT_EQ(server.server->address(), absl::StrCat("127.0.0.1:", server.server->port()));
  Call call;
  call.request.set_arguments_json("{}");
  const ::grpc::Status status = call.Run(server.Connect(), "echo");
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(call.response.result().data_json(), "{}");
}

TEST(GrpcServerLimitsTest, AHundredMegabytesAreRefusedAndTheConnectionLivesOn) {
  TestServer server;
  const auto channel = server.Connect();
  Call large;
  large.request.set_arguments_json(std::string(100 << 20, 'x'));
  EXPECT_EQ(large.Run(channel, "echo").error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Call().Run(channel, "echo").ok());
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
}

TEST(GrpcServerLimitsTest, OversizedMetadataAreRefusedAndTheServerLivesOn) {
  TestServer server;
  Call call;
  call.context.AddMetadata("x-large", std::string(64 << 10, 'x'));
  EXPECT_EQ(call.Run(server.Connect(), "echo").error_code(), ::grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
}

TEST(GrpcServerLimitsTest, ConnectionsBeyondTheCapAreClosedUntilOneLeaves) {
  auto config = TestConfig();
  config.set_max_connections(3);
  TestServer server(config);
  std::vector<std::shared_ptr<::grpc::Channel>> channels;
  for (int i = 0; i < 3; ++i) {
    channels.push_back(server.Connect());
    ASSERT_TRUE(Call().Run(channels.back(), "echo").ok());
  }
  EXPECT_EQ(server.server->connections(), 3);
  EXPECT_EQ(Call().Run(server.Connect(), "echo").error_code(), ::grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(Call().Run(channels[0], "echo").ok()) << "who is in stays in";
  channels.pop_back();
  while (server.server->connections() > 2) std::this_thread::yield();
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
}

TEST(GrpcServerLimitsTest, ConnectionCountsDoNotLeak) {
  auto config = TestConfig();
  config.set_max_connections(2);
  TestServer server(config);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Call().Run(server.Connect(), "echo").ok()) << i;
    while (server.server->connections() > 0) std::this_thread::yield();
  }
}

TEST(GrpcServerLimitsTest, CallsBeyondTheStreamsOfAConnectionWait) {
  auto config = TestConfig();
  config.set_max_streams_per_connection(2);
  TestServer server(config);
  const auto channel = server.Connect();
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) callers.emplace_back([&] { EXPECT_TRUE(Call().Run(channel, "hold").ok()); });
  server.service.WaitForHeld(2);
  Call third;
  third.context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
  EXPECT_EQ(third.Run(channel, "echo").error_code(), ::grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
  server.service.Release();
  for (std::thread& caller : callers) caller.join();
}

TEST(GrpcServerLimitsTest, APortInUseIsAnErrorThatNamesIt) {
  TestServer first;
  auto config = TestConfig();
  config.set_listen(first.server->address());
  CallTracker calls;
  const auto second =
      GrpcServer::Start(config, {.services = {}, .readiness_names = {}, .calls = &calls, .credentials = nullptr});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(first.server->address()));
}

TEST(GrpcServerLimitsTest, ServesOnAUnixSocketAndRemovesItsFile) {
  std::string folder = (std::filesystem::temp_directory_path() / "toolgate_server_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  auto config = TestConfig();
  config.set_listen("unix:" + folder + "/s");
  {
    TestServer server(config);
    EXPECT_EQ(server.server->address(), config.listen());
    EXPECT_EQ(server.server->port(), 0);
    const auto channel = server.Connect();
    EXPECT_TRUE(Call().Run(channel, "echo").ok());
    EXPECT_EQ(server.server->connections(), 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(GrpcServerDrainTest, AnIdleServerEndsAtOnceAndAnswersTheSameAgain) {
  TestServer server;
  EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok());
  EXPECT_TRUE(server.server->Shutdown(absl::ZeroDuration()).ok());
  EXPECT_EQ(Call().Run(server.Connect(), "echo").error_code(), ::grpc::StatusCode::UNAVAILABLE);
}

TEST(GrpcServerDrainTest, RunningCallsFinish) {
  TestServer server;
  const auto channel = server.Connect();
  ::grpc::Status status;
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

TEST(GrpcServerDrainTest, AClientThatHasNotBegunIsLetGoAtOnce) {
  TestServer server;
  std::thread caller([channel = server.Connect()] { EXPECT_TRUE(Call().Run(channel, "hold").ok()); });
  server.service.WaitForHeld(1);
  testing::RawHttp2 client(server.server->port());
  EXPECT_TRUE(client.Next().has_value()) << "the server's SETTINGS";
  std::thread drain([&] { EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok()); });
  EXPECT_TRUE(client.AwaitEnd());
  server.service.Release();
  caller.join();
  drain.join();
}

TEST(GrpcServerDrainTest, AClientThatDoesNotHearOfItIsNotWaitedFor) {
  TestServer server;
  testing::RawHttp2 client(server.server->port());
  ASSERT_TRUE(client.Open());
  ASSERT_TRUE(client.Await(testing::Frame::kSettings));
  ASSERT_TRUE(client.Send(testing::Acknowledgement()));
  ASSERT_TRUE(client.Send(testing::FrameOf(testing::Frame::kPing, 0, 0, "12345678")));
  ASSERT_TRUE(client.Await(testing::Frame::kPing)) << "gRPC has the connection";
  // Neither does it acknowledge the PING of the drain, nor does it close the connection.
  EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok());
  EXPECT_TRUE(client.AwaitEnd());
}

TEST(GrpcServerDrainTest, AClientThatDoesNotHearOfItHoldsUpNoOtherCall) {
  TestServer server;
  testing::RawHttp2 silent(server.server->port());
  ASSERT_TRUE(silent.Open() && silent.Await(testing::Frame::kSettings) && silent.Send(testing::Acknowledgement()));
  ::grpc::Status status;
  std::thread caller([&, channel = server.Connect()] { status = Call().Run(channel, "hold"); });
  server.service.WaitForHeld(1);
  std::thread drain([&] { EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok()); });
  while (Call().Run(server.Connect(), "echo").ok()) std::this_thread::yield();
  server.service.Release();
  caller.join();
  drain.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// For longer than a drain waits for clients that are silent.
TEST(GrpcServerDrainTest, ARequestThatIsComingIsAnswered) {
  TestServer server;
  testing::RawHttp2 client(server.server->port());
  ASSERT_TRUE(client.Open() && client.Await(testing::Frame::kSettings) && client.Send(testing::Acknowledgement()));
  v1::ExecuteRequest request;
  request.set_tool_id("echo");
  request.set_arguments_json(std::string(1000, 'x'));
  const std::string message = testing::GrpcMessage(request.SerializeAsString());
  ASSERT_TRUE(client.Send(testing::GrpcRequest(1, "/toolgate.v1.ToolService/Execute")));
  ASSERT_TRUE(client.Send(testing::FrameOf(testing::Frame::kPing, 0, 0, "12345678")));
  ASSERT_TRUE(client.Await(testing::Frame::kPing)) << "gRPC has the request";
  std::thread drain([&] { EXPECT_TRUE(server.server->Shutdown(absl::InfiniteDuration()).ok()); });
  for (size_t at = 0; at < message.size(); at += 50) {
    absl::SleepFor(absl::Milliseconds(100));
    const std::string part = message.substr(at, 50);
    const uint8_t end = at + 50 >= message.size() ? testing::kEndStream : 0;
    EXPECT_TRUE(client.Send(testing::FrameOf(testing::Frame::kData, end, 1, part))) << at;
  }
  bool ended = false;
  while (const auto frame = client.Next()) {
    ended = ended || (frame->type == testing::Frame::kHeaders && (frame->flags & testing::kEndStream) != 0);
  }
  EXPECT_TRUE(ended) << "the trailers";
  drain.join();
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
  std::vector<::grpc::Status> statuses(5);
  std::vector<std::thread> callers;
  for (::grpc::Status& status : statuses) {
    callers.emplace_back([&status, channel] { status = Call().Run(channel, "hold"); });
  }
  server.service.WaitForHeld(5);
  EXPECT_TRUE(server.server->Shutdown(absl::Milliseconds(1)).ok());
  for (std::thread& caller : callers) caller.join();
  // The client sees the server's cancellation or the end of the connection, whichever comes first.
  for (const ::grpc::Status& status : statuses) {
    EXPECT_TRUE(status.error_code() == ::grpc::StatusCode::CANCELLED ||
                status.error_code() == ::grpc::StatusCode::UNAVAILABLE)
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
  ::grpc::ClientContext context;
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
  EXPECT_EQ(watch->Finish().error_code(), ::grpc::StatusCode::UNAVAILABLE);
  drain.join();
}

}  // namespace
}  // namespace toolgate::services::grpc
