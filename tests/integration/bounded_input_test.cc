// Input of callers must not accumulate in any file name, cache or table.
#include <string>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"
#include "tests/support/zone_paths.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;
using testing::TestServer;
using testing::ZonePaths;

constexpr size_t kLong = 3'500'000;

TEST(BoundedInputTest, NoFileIsOpenedForACallersTimeZone) {
  TestServer server;
  ZonePaths paths;
  auto request = TestServer::Request("list_tasks", "{}");
  for (const std::string& name : paths.names()) {
    request.mutable_caller()->set_time_zone(name);
    const grpc::Status status = server.Refused(request, "INVALID_PARAMS");
    EXPECT_THAT(status.error_message(), HasSubstr("caller.time_zone must be the IANA name of a time zone")) << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
  request.mutable_caller()->set_time_zone(std::string(kLong, 'z'));
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("a text of 3500000 bytes"));
}

TEST(BoundedInputTest, NoFileIsOpenedForABlocksTimeZone) {
  TestServer server;
  ZonePaths paths;
  for (const std::string& name : paths.names()) {
    const Json arguments = {{"type", "calendar_event"},
                            {"data", {{"title", "x"}, {"date", "2026-03-02"}, {"timeZone", name}}}};
    v1::ExecuteResponse response;
    ASSERT_TRUE(server.Execute(TestServer::Request("create_block", DumpJson(arguments)), response).ok());
    EXPECT_EQ(response.result().error().code(), "INVALID_PARAMS") << name;
    EXPECT_FALSE(paths.Opened()) << name;
  }
}

TEST(BoundedInputTest, ATimeZoneIsFoundInAnyCase) {
  TestServer server;
  auto request = TestServer::Request(
      "create_block",
      R"({"type":"calendar_event","data":{"title":"x","date":"2026-03-02","time":"10:00","timeZone":"ASIA/tokyo"}})");
  request.mutable_caller()->set_time_zone("europe/BERLIN");
  const Json created = *ParseJson(server.Run(request).data_json());
  const Json read = server.RunTool("get_block", DumpJson(Json{{"blockId", created["blockId"]}}));
  EXPECT_EQ(read["block"]["data"]["timeZone"], "Asia/Tokyo");
}

TEST(BoundedInputTest, AWatchOfALongNameIsRefusedAndOneOfAnUnknownNameIsNot) {
  TestServer server;
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  const auto watch = [&](const std::string& name, grpc::health::v1::HealthCheckResponse& first) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    const auto reader = health->Watch(&context, request);
    if (reader->Read(&first)) context.TryCancel();
    return reader->Finish();
  };
  grpc::health::v1::HealthCheckResponse first;
  const grpc::Status refused = watch(std::string(257, 'n'), first);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), HasSubstr("at most 256 bytes"));
  EXPECT_EQ(watch(std::string(256, 'n'), first).error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(first.status(), grpc::health::v1::HealthCheckResponse::SERVICE_UNKNOWN);
}

TEST(BoundedInputTest, AReflectionStreamKeepsNoLongQuestion) {
  TestServer server;
  const auto reflection = grpc::reflection::v1::ServerReflection::NewStub(server.channel());
  grpc::ClientContext context;
  const auto stream = reflection->ServerReflectionInfo(&context);
  grpc::reflection::v1::ServerReflectionRequest question;
  grpc::reflection::v1::ServerReflectionResponse answer;
  question.set_file_containing_symbol(std::string(900, 's'));
  ASSERT_TRUE(stream->Write(question));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.error_response().error_code(), grpc::StatusCode::NOT_FOUND);
  question.set_file_containing_symbol(std::string(kLong, 's'));
  stream->Write(question);
  EXPECT_FALSE(stream->Read(&answer));
  const grpc::Status end = stream->Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(end.error_message(), HasSubstr("at most 1024 bytes"));
}

}  // namespace
}  // namespace toolgate
