// Two services over one PostgreSQL and one Redis: any of them takes any call.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/data_directory.h"
#include "tests/support/postgres_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;
using testing::PostgresServer;
using testing::RedisServer;
using testing::TestServer;

class ReplicasTest : public ::testing::Test {
 protected:
  static constexpr int kRenames = 3;  // In an hour.

  ReplicasTest() {
    static int databases = 0;
    const std::string database = absl::StrCat("replicas", ++databases);
    PostgresServer::Shared().Database(database);
    const auto adjust = [this, database](config::v1::Config& config) {
      config::v1::Postgres& postgres = *config.mutable_storage()->mutable_postgres();
      for (const auto& [keyword, value] : PostgresServer::Shared().Database(database)) {
        if (keyword == "host") postgres.set_host(value);
        if (keyword == "user") postgres.set_user(value);
      }
      postgres.set_database(database);
      postgres.set_pool_size(8);
      config.mutable_coordination()->mutable_redis()->set_address(absl::StrCat("unix:", redis_.socket()));
      config.mutable_coordination()->mutable_redis()->mutable_timeout()->set_seconds(5);
      config::v1::ToolLimits& limits = (*config.mutable_rate_limiting()->mutable_tools())["update_block"];
      limits.clear_windows();
      config::v1::Window& window = *limits.add_windows();
      window.set_audience("any");
      window.set_max_calls(kRenames);
      window.mutable_window()->set_seconds(3600);
    };
    here_ = std::make_unique<TestServer>(adjust);
    there_ = std::make_unique<TestServer>(adjust);
  }

  static std::string Create(TestServer& server, const std::string& title = "Plans") {
    return server.RunTool("create_block", DumpJson(Json{{"type", "page"}, {"data", {{"title", title}}}}))["blockId"];
  }
  static v1::ExecuteRequest Deletion(const std::string& id) {
    return TestServer::Request("delete_block", DumpJson(Json{{"blockId", id}}));
  }
  static bool Exists(TestServer& server, const std::string& id) {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server.Execute(TestServer::Request("get_block", DumpJson(Json{{"blockId", id}})), response).ok());
    return response.result().success();
  }
  static v1::ConfirmationRequest Ask(TestServer& server, const v1::ExecuteRequest& request) {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server.Execute(request, response).ok());
    EXPECT_TRUE(response.has_confirmation_request()) << response.DebugString();
    return response.confirmation_request();
  }
  static grpc::Status Approve(TestServer& server, const std::string& id) {
    v1::DecideConfirmationRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("boss");
    request.set_confirmation_id(id);
    request.set_approve(true);
    v1::DecideConfirmationResponse response;
    grpc::ClientContext context;
    return server.tools().DecideConfirmation(&context, request, &response);
  }
  static grpc::StatusCode Rename(TestServer& server, const std::string& id, const std::string& title) {
    v1::ExecuteResponse response;
    const Json arguments{{"blockId", id}, {"data", {{"title", title}}}};
    return server.Execute(TestServer::Request("update_block", DumpJson(arguments)), response).error_code();
  }

  RedisServer redis_;
  std::unique_ptr<TestServer> here_;
  std::unique_ptr<TestServer> there_;
};

TEST_F(ReplicasTest, OneReadsAndUndoesWhatTheOtherWrote) {
  const std::string id = Create(*here_);
  EXPECT_TRUE(Exists(*there_, id));
  EXPECT_TRUE(there_->Undo().success());
  EXPECT_FALSE(Exists(*here_, id));
  EXPECT_TRUE(here_->VerifyChain().valid());
}

TEST_F(ReplicasTest, AQuestionOfOneIsDecidedAtTheOtherAndItsTokenWorksOnce) {
  const std::string id = Create(*here_);
  v1::ExecuteRequest request = Deletion(id);
  const v1::ConfirmationRequest asked = Ask(*here_, request);
  ASSERT_TRUE(Approve(*there_, asked.confirmation_id()).ok());
  request.set_confirmation_token(asked.token());
  there_->Run(request);
  EXPECT_FALSE(Exists(*here_, id));
  here_->Refused(request, "CANCELLED");
}

TEST_F(ReplicasTest, ACallThatWaitsForADecisionSeesThatOfTheOther) {
  const std::string id = Create(*here_);
  const v1::ConfirmationRequest asked = Ask(*here_, Deletion(id));
  std::thread decides([&] {
    absl::SleepFor(absl::Milliseconds(300));
    EXPECT_TRUE(Approve(*there_, asked.confirmation_id()).ok());
  });
  v1::WaitConfirmationRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("ann");
  request.set_confirmation_id(asked.confirmation_id());
  v1::WaitConfirmationResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  const grpc::Status status = here_->tools().WaitConfirmation(&context, request, &response);
  decides.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.state(), "approved");
}

TEST_F(ReplicasTest, ARepeatAtTheOtherRunsNothingAgain) {
  v1::ExecuteRequest request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"Once"}})");
  request.set_idempotency_key("k1");
  const std::string first = here_->Run(request).data_json();
  const v1::ToolResult repeat = there_->Run(request);
  EXPECT_EQ(repeat.data_json(), first);
  EXPECT_TRUE(repeat.replayed());
}

TEST_F(ReplicasTest, TogetherTheyAdmitTheLimit) {
  const std::string id = Create(*here_);
  EXPECT_EQ(Rename(*here_, id, "a"), grpc::StatusCode::OK);
  EXPECT_EQ(Rename(*there_, id, "b"), grpc::StatusCode::OK);
  EXPECT_EQ(Rename(*here_, id, "c"), grpc::StatusCode::OK);
  EXPECT_EQ(Rename(*there_, id, "d"), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Rename(*here_, id, "e"), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(ReplicasTest, WithoutRedisLimitedCallsAreRefused) {
  const std::string id = Create(*here_);
  redis_.Stop();
  EXPECT_EQ(Rename(*here_, id, "a"), grpc::StatusCode::UNAVAILABLE);
  redis_.Start();
  EXPECT_EQ(Rename(*here_, id, "a"), grpc::StatusCode::OK);
}

TEST_F(ReplicasTest, BothWriteOneChainAndNothingIsLost) {
  constexpr int kEach = 40;
  std::vector<std::thread> threads;
  for (TestServer* server : {here_.get(), there_.get(), here_.get(), there_.get()}) {
    threads.emplace_back([server] {
      for (int i = 0; i < kEach; ++i) Create(*server, absl::StrCat("page ", i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const v1::VerifyChainResponse chain = there_->VerifyChain();
  EXPECT_TRUE(chain.valid()) << chain.problem();
  v1::SearchEntriesRequest created;
  created.set_tool_id("create_block");
  EXPECT_EQ(here_->Audit(created).size(), 4u * kEach);
}

TEST_F(ReplicasTest, EachHasADataDirectoryOfItsOwn) {
  EXPECT_EQ(storage::DataDirectory::Lock(here_->data_dir()).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(storage::DataDirectory::Lock(there_->data_dir()).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReplicasTest, ARestartedDatabaseIsUsedAgain) {
  const std::string id = Create(*here_);
  PostgresServer::Shared().Restart();
  const absl::Time give_up = absl::Now() + absl::Seconds(60);
  v1::ExecuteResponse response;
  const v1::ExecuteRequest get = TestServer::Request("get_block", DumpJson(Json{{"blockId", id}}));
  while (!there_->Execute(get, response).ok() && absl::Now() < give_up) absl::SleepFor(absl::Milliseconds(50));
  EXPECT_TRUE(response.result().success());
  EXPECT_TRUE(Exists(*there_, Create(*here_, "After")));
}

}  // namespace
}  // namespace toolgate
