// Starting, reloading, stopping, and problems of the machine.
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/support/memory_growth.h"
#include "tests/support/raw_http2.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::Frame;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawHttp2;
using testing::TestServer;

grpc::health::v1::HealthCheckResponse::ServingStatus HealthOf(TestServer& server, const std::string& service) {
  auto stub = grpc::health::v1::Health::NewStub(server.channel());
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(stub->Check(&context, request, &response).ok());
  return response.status();
}

TEST(LifecycleTest, IsLiveAndReady) {
  TestServer server;
  EXPECT_EQ(HealthOf(server, ""), grpc::health::v1::HealthCheckResponse::SERVING);
  EXPECT_EQ(HealthOf(server, "toolgate.v1.ToolService"), grpc::health::v1::HealthCheckResponse::SERVING);
}

TEST(LifecycleTest, EverythingIsThereAfterARestart) {
  TestServer server;
  const std::string id = server.RunTool("create_block", R"({"type":"page","data":{"title":"Kept"}})")["blockId"];
  server.Stop();
  server.Start();
  EXPECT_EQ(server.RunTool("get_block", DumpJson(Json{{"blockId", id}}))["block"]["data"]["title"], "Kept");
  EXPECT_TRUE(server.Undo().success());
  const auto report = server.VerifyChain();
  EXPECT_TRUE(report.valid());
  EXPECT_EQ(report.last_sequence(), 3);
}

// Its client takes what the protocol lets the server send unasked, and then nothing for longer than a drain waits for
// clients that are silent.
TEST(LifecycleTest, AStopWaitsForAnAnswerThatIsOnItsWay) {
  TestServer server(
      [](config::v1::Config& config) { config.mutable_server()->mutable_drain_timeout()->set_seconds(60); });
  const std::string address = server.application().address();
  RawHttp2 client(std::stoi(address.substr(address.rfind(':') + 1)));
  ASSERT_TRUE(client.Open() && client.Await(Frame::kSettings) && client.Send(testing::Acknowledgement()));
  v1::ListToolsRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("ann");
  ASSERT_TRUE(
      client.Send(testing::GrpcRequest(1, "/toolgate.v1.ToolService/ListTools") +
                  FrameOf(Frame::kData, testing::kEndStream, 1, testing::GrpcMessage(request.SerializeAsString()))));
  std::string answer;
  const auto take = [&] {
    const auto frame = client.Next();
    if (frame.has_value() && frame->type == Frame::kData) answer += frame->payload;
    return frame.has_value();
  };
  while (answer.size() < 65'535 && take()) {
  }
  std::thread stop([&] { server.Stop(); });
  EXPECT_TRUE(client.Await(Frame::kGoAway));
  absl::SleepFor(absl::Seconds(2));
  EXPECT_TRUE(client.Send(testing::WindowUpdate(0, 1 << 30) + testing::WindowUpdate(1, 1 << 30)));
  while (take()) {
  }
  stop.join();
  v1::ListToolsResponse response;
  EXPECT_TRUE(response.ParseFromString(answer.substr(5))) << answer.size();
  EXPECT_GT(answer.size(), 65'535u);
  EXPECT_TRUE(testing::GrpcMessage(answer.substr(5)) == answer) << "the whole message";
}

TEST(LifecycleTest, APortInUseIsNamed) {
  TestServer server;
  auto config = server.config();
  testing::TempDir dir;
  config.mutable_storage()->set_data_dir(dir.path() + "/data");
  config.mutable_server()->set_listen(server.application().address());
  testing::MemorySink sink;
  observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson);
  const auto second = services::app::Application::Start(config, {logger, Clock::Real(), IdSource::Real()});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server.application().address()));
}

TEST(LifecycleTest, ADataDirectoryHasOneOwner) {
  TestServer server;
  auto config = server.config();
  testing::MemorySink sink;
  observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson);
  const auto second = services::app::Application::Start(config, {logger, Clock::Real(), IdSource::Real()});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server.data_dir()));
}

TEST(LifecycleTest, ADataDirectoryThatIsAFileIsNamed) {
  testing::TempDir dir;
  const std::string path = dir.path() + "/file";
  std::ofstream(path) << "not a folder";
  auto config = *services::config::Load({.listen = "127.0.0.1:0", .metrics_listen = "", .data_dir = path});
  testing::MemorySink sink;
  observability::Logger logger(sink, Clock::Real(), observability::LogLevel::kInfo, observability::LogFormat::kJson);
  const auto started = services::app::Application::Start(config, {logger, Clock::Real(), IdSource::Real()});
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(std::string(started.status().message()), HasSubstr(path));
}

TEST(LifecycleTest, AReloadChangesWhatHoldsForTheNextCall) {
  TestServer server;
  server.RunTool("list_tasks", "{}");
  auto config = server.config();
  auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["list_tasks"].add_windows();
  window.set_audience("any");
  window.set_max_calls(1);
  window.mutable_window()->set_seconds(3600);
  ASSERT_TRUE(server.application().Reload(config).ok());
  server.RunTool("list_tasks", "{}");
  server.Refused(TestServer::Request("list_tasks", "{}"), "RATE_LIMITED");
}

TEST(LifecycleTest, ABadReloadLeavesTheOldConfigurationInForce) {
  TestServer server;
  auto config = server.config();
  config.mutable_confirmation()->add_require_for_tools("no_such_tool");
  const absl::Status status = server.application().Reload(config);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no_such_tool"));
  server.RunTool("list_tasks", "{}");
}

TEST(LifecycleTest, AReloadGivesARequestNoSecondBudget) {
  TestServer server;
  auto call = TestServer::Request("list_tasks", "{}");
  call.set_request_id("r");
  for (int i = 0; i < server.config().execution_tracking().max_calls_per_request(); ++i) server.Run(call);
  ASSERT_TRUE(server.application().Reload(server.config()).ok());
  server.Refused(call, "QUOTA_EXCEEDED");
}

// Each reload makes a core with the schemas and tables of every tool.
TEST(LifecycleTest, AReloadFreesTheCoreBeforeIt) {
  TestServer server;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(server.application().Reload(server.config()).ok());
  const int64_t before = testing::StatusMib("VmRSS:");
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(server.application().Reload(server.config()).ok());
  const int64_t growth = testing::StatusMib("VmRSS:") - before;
  server.RunTool("list_tasks", "{}");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // These hold back what is freed.
  EXPECT_LT(growth, 24);
#endif
  RecordProperty("growth_mib", static_cast<int>(growth));
}

TEST(LifecycleTest, AReloadNamesTheSettingsThatNeedARestart) {
  TestServer server;
  ASSERT_TRUE(server.application().Reload(server.config()).ok());
  EXPECT_THAT(server.log(), Not(HasSubstr("restart")));
  auto config = server.config();
  config.mutable_server()->set_worker_threads(3);
  ASSERT_TRUE(server.application().Reload(config).ok());
  EXPECT_THAT(server.log(), HasSubstr("server.worker_threads"));
}

TEST(LifecycleTest, SafeErrorsHideTheStoresTroubles) {
  TestServer server;
  server.RunTool("create_block", R"({"type":"page","data":{"title":"A"}})");
  // The audit log's own error for a missing entry is a caller's fault and says so.
  v1::GetEntryRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.set_entry_id("01jd5kx8y2v3n4m5p6q7r8s9t0");
  v1::GetEntryResponse response;
  grpc::ClientContext context;
  const grpc::Status status = server.audit().GetEntry(&context, request, &response);
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "NOT_FOUND");
}

TEST(DataTest, WhatIsExportedCanBeImported) {
  TestServer server;
  const std::string root = server.RunTool("create_block", R"({"type":"page","data":{"title":"Root"}})")["blockId"];
  for (int i = 0; i < 5; ++i) {
    server.RunTool(
        "create_block",
        DumpJson(Json{{"type", "todo"}, {"parentId", root}, {"data", {{"content", "Item " + std::to_string(i)}}}}));
  }
  auto stub = v1::DataService::NewStub(server.channel());
  v1::ExportBlocksRequest request;
  request.mutable_caller()->set_workspace_id("w");
  grpc::ClientContext context;
  auto stream = stub->ExportBlocks(&context, request);
  v1::ImportBlocksRequest batch;
  batch.mutable_caller()->set_workspace_id("copy");
  v1::ExportBlocksResponse page;
  while (stream->Read(&page)) batch.mutable_blocks()->MergeFrom(page.blocks());
  ASSERT_TRUE(stream->Finish().ok());
  ASSERT_EQ(batch.blocks_size(), 6);

  grpc::ClientContext import_context;
  auto import = stub->ImportBlocks(&import_context);
  ASSERT_TRUE(import->Write(batch));
  import->WritesDone();
  v1::ImportBlocksResponse progress;
  ASSERT_TRUE(import->Read(&progress));
  EXPECT_EQ(progress.imported(), 6);
  ASSERT_TRUE(import->Finish().ok());
  auto read = TestServer::Request("get_block", DumpJson(Json{{"blockId", root}}));
  read.mutable_caller()->set_workspace_id("copy");
  const Json copy = *ParseJson(server.Run(read).data_json());
  ASSERT_EQ(copy["children"].size(), 5u);
  EXPECT_EQ(copy["children"][3]["data"]["content"], "Item 3");
}

}  // namespace
}  // namespace toolgate
