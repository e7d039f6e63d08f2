#include "services/grpc/health_service.h"

#include <string>
#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/unit/services/grpc/test_service.h"

namespace toolgate::services::grpc {
namespace {

using ::grpc::health::v1::Health;
using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;

constexpr char kServiceName[] = "toolgate.v1.ToolService";

struct CheckResult {
  ::grpc::StatusCode code;
  HealthCheckResponse::ServingStatus status;
};

CheckResult Check(const TestServer& server, const std::string& name) {
  ::grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service(name);
  HealthCheckResponse response;
  const ::grpc::Status status = Health::NewStub(server.Connect())->Check(&context, request, &response);
  return {status.error_code(), response.status()};
}

TEST(HealthServiceTest, LivenessIsServingBeforeReadinessIs) {
  TestServer server;
  EXPECT_EQ(Check(server, "").status, HealthCheckResponse::SERVING);
  EXPECT_EQ(Check(server, kServiceName).status, HealthCheckResponse::NOT_SERVING);
  server.server->SetReady(true);
  EXPECT_EQ(Check(server, kServiceName).status, HealthCheckResponse::SERVING);
  server.server->SetReady(false);
  EXPECT_EQ(Check(server, kServiceName).status, HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(Check(server, "").status, HealthCheckResponse::SERVING);
}

TEST(HealthServiceTest, AnUnknownNameIsNotFound) {
  TestServer server;
  EXPECT_EQ(Check(server, "no.such.Service").code, ::grpc::StatusCode::NOT_FOUND);
}

TEST(HealthServiceTest, AWatchSeesEveryChange) {
  TestServer server;
  ::grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service(kServiceName);
  const auto watch = Health::NewStub(server.Connect())->Watch(&context, request);
  HealthCheckResponse response;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(watch->Read(&response));
    EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
    server.server->SetReady(true);
    ASSERT_TRUE(watch->Read(&response));
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
    server.server->SetReady(true);  // No change: nothing is sent.
    server.server->SetReady(false);
  }
  context.TryCancel();
  while (watch->Read(&response)) {
  }
  EXPECT_EQ(watch->Finish().error_code(), ::grpc::StatusCode::CANCELLED);
  while (server.calls.count() > 0) std::this_thread::yield();
}

TEST(HealthServiceTest, AWatchOfAnUnknownNameStaysOpen) {
  TestServer server;
  ::grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service("no.such.Service");
  const auto watch = Health::NewStub(server.Connect())->Watch(&context, request);
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  EXPECT_EQ(server.calls.count(), 1);
  context.TryCancel();
}

}  // namespace
}  // namespace toolgate::services::grpc
