// One tenant's impatience must not stop a tool for another.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::TestServer;

// Statements that run until they are stopped, sent by user "ann" of workspace "w".
class ImpatientTenantTest : public ::testing::Test {
 protected:
  static constexpr int kMany = 40;  // More than enough to open a breaker.

  ImpatientTenantTest() : admin_(v1::AdminService::NewStub(server_.channel())) {}

  static v1::ExecuteRequest Endless() {
    return TestServer::Request("db_query",
                               DumpJson(Json{{"sql",
                                              "WITH RECURSIVE ai_n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ai_n) "
                                              "SELECT count(*) FROM ai_n"}}));
  }
  v1::BreakerState StateOfDbQuery() {
    grpc::ClientContext context;
    v1::ListBreakersRequest request;
    *request.mutable_caller() = Endless().caller();
    v1::ListBreakersResponse response;
    const grpc::Status status = admin_->ListBreakers(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    for (const v1::Breaker& breaker : response.breakers()) {
      if (breaker.name() == "tool:db_query") return breaker.state();
    }
    return v1::BREAKER_STATE_CLOSED;  // No call has counted.
  }
  void ExpectThatAnotherTenantIsServed() {
    EXPECT_EQ(StateOfDbQuery(), v1::BREAKER_STATE_CLOSED);
    v1::ExecuteRequest request = TestServer::Request("db_query", R"({"sql": "SELECT 1 AS one"})", "bob");
    request.mutable_caller()->set_workspace_id("other");
    server_.Run(request);
  }

  TestServer server_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
};

TEST_F(ImpatientTenantTest, ShortDeadlinesOfTheRpcCloseNoToolForOthers) {
  for (int i = 0; i < kMany; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
    v1::ExecuteResponse response;
    const grpc::Status status = server_.tools().Execute(&context, Endless(), &response);
    if (status.ok()) {
      ASSERT_EQ(response.result().error().code(), "TIMEOUT") << i << response.DebugString();
    } else {
      ASSERT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << i << status.error_message();
    }
  }
  ExpectThatAnotherTenantIsServed();
}

TEST_F(ImpatientTenantTest, ShortStatedBudgetsCloseNoToolForOthers) {
  for (int i = 0; i < kMany; ++i) {
    v1::ExecuteRequest request = Endless();
    request.mutable_budget()->mutable_max_execution_time()->set_nanos(20'000'000);
    v1::ExecuteResponse response;
    const grpc::Status status = server_.Execute(request, response);
    ASSERT_TRUE(status.ok()) << i << status.error_message();
    ASSERT_EQ(response.result().error().code(), "TIMEOUT") << i << response.DebugString();
  }
  ExpectThatAnotherTenantIsServed();
}

}  // namespace
}  // namespace toolgate
