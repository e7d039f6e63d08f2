#include <cstdlib>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/rpc/grpc_server.h"
#include "tests/unit/services/rpc_server/test_service.h"

namespace toolgate::services::rpc {
namespace {

using ::testing::HasSubstr;

TEST(GrpcServerLimitsTest, ServesACall) {
  TestServer server;
  EXPECT_EQ(server.server->address(), absl::StrCat("127.0.0.1:", server.server->port()));
  Call call;
  call.request.set_arguments_json("{}");
  const grpc::Status status = call.Run(server.Connect(), "echo");
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(call.response.result().data_json(), "{}");
}

TEST(GrpcServerLimitsTest, AHundredMegabytesAreRefusedAndTheConnectionLivesOn) {
  TestServer server;
  const auto channel = server.Connect();
  Call large;
  large.request.set_arguments_json(std::string(100 << 20, 'x'));
  EXPECT_EQ(large.Run(channel, "echo").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Call().Run(channel, "echo").ok());
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
}

TEST(GrpcServerLimitsTest, OversizedMetadataAreRefusedAndTheServerLivesOn) {
  TestServer server;
  Call call;
  call.context.AddMetadata("x-large", std::string(64 << 10, 'x'));
  EXPECT_EQ(call.Run(server.Connect(), "echo").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Call().Run(server.Connect(), "echo").ok());
}

TEST(GrpcServerLimitsTest, ConnectionsBeyondTheCapAreClosedUntilOneLeaves) {
  auto config = TestConfig();
  config.set_max_connections(3);
  TestServer server(config);
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < 3; ++i) {
    channels.push_back(server.Connect());
    ASSERT_TRUE(Call().Run(channels.back(), "echo").ok());
  }
  EXPECT_EQ(server.server->connections(), 3);
  EXPECT_EQ(Call().Run(server.Connect(), "echo").error_code(), grpc::StatusCode::UNAVAILABLE);
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
  EXPECT_EQ(third.Run(channel, "echo").error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
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

}  // namespace
}  // namespace toolgate::services::rpc
