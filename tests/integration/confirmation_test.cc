// Confirmation over gRPC: questions, single use, and no use for another call.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/leaping_clock.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestServer;

class ConfirmationFlowTest : public ::testing::Test {
 protected:
  ConfirmationFlowTest() {
    id_ = server_.RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})")["blockId"];
    request_ = TestServer::Request("delete_block", DumpJson(Json{{"blockId", id_}}));
  }

  v1::ConfirmationRequest Ask() {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_.Execute(request_, response).ok());
    EXPECT_TRUE(response.has_confirmation_request()) << response.DebugString();
    return response.confirmation_request();
  }
  bool Exists() {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_.Execute(TestServer::Request("get_block", DumpJson(Json{{"blockId", id_}})), response).ok());
    return response.result().success();
  }
  grpc::Status Decide(const std::string& id, bool approve) {
    v1::DecideConfirmationRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("boss");
    request.set_confirmation_id(id);
    request.set_approve(approve);
    v1::DecideConfirmationResponse response;
    grpc::ClientContext context;
    return server_.tools().DecideConfirmation(&context, request, &response);
  }

  TestServer server_;
  std::string id_;
  v1::ExecuteRequest request_;
};

TEST_F(ConfirmationFlowTest, AsksFirstAndRunsWithTheToken) {
  const auto asked = Ask();
  EXPECT_THAT(asked.summary(), HasSubstr("Plans"));
  EXPECT_TRUE(asked.reversible());
  EXPECT_TRUE(Exists());
  request_.set_confirmation_token(asked.token());
  server_.Run(request_);
  EXPECT_FALSE(Exists());
}

TEST_F(ConfirmationFlowTest, ATokenWorksOnce) {
  request_.set_confirmation_token(Ask().token());
  server_.Run(request_);
  EXPECT_TRUE(server_.Undo().success());
  EXPECT_EQ(server_.Refused(request_, "CANCELLED").error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_TRUE(Exists());
}

TEST_F(ConfirmationFlowTest, OfManyRacersWithOneTokenExactlyOneRuns) {
  request_.set_confirmation_token(Ask().token());
  std::vector<std::thread> threads;
  std::atomic<int> ran{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      v1::ExecuteResponse response;
      if (server_.Execute(request_, response).ok() && response.has_result()) ++ran;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 1);
}

TEST_F(ConfirmationFlowTest, AnAlteredTokenIsRefused) {
  std::string token = Ask().token();
  for (size_t i = 0; i < token.size(); i += 7) {
    std::string altered = token;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    request_.set_confirmation_token(altered);
    server_.Refused(request_, "FORBIDDEN");
  }
  request_.set_confirmation_token(std::string(4000, 'A'));
  server_.Refused(request_, "FORBIDDEN");
  EXPECT_TRUE(Exists());
}

TEST_F(ConfirmationFlowTest, ATokenFitsNoOtherCall) {
  request_.set_confirmation_token(Ask().token());
  auto other_arguments = request_;
  other_arguments.set_arguments_json(DumpJson(Json{{"blockId", id_}, {"deleteChildren", false}}));
  server_.Refused(other_arguments, "FORBIDDEN");
  auto other_user = request_;
  other_user.mutable_caller()->set_user_id("mallory");
  server_.Refused(other_user, "FORBIDDEN");
  auto other_workspace = request_;
  other_workspace.mutable_caller()->set_workspace_id("elsewhere");
  server_.Refused(other_workspace, "FORBIDDEN");
  EXPECT_TRUE(Exists());
}

TEST_F(ConfirmationFlowTest, AnArgumentThatAModelSetsIsNoConsent) {
  request_.set_arguments_json(DumpJson(Json{{"blockId", id_}, {"confirmed", true}}));
  server_.Refused(request_, "INVALID_PARAMS");
}

TEST_F(ConfirmationFlowTest, QuestionsAreBounded) {
  auto narrow = server_.config();
  narrow.mutable_confirmation()->set_max_pending_per_user(2);
  ASSERT_TRUE(server_.application().Reload(narrow).ok());
  for (int i = 0; i < 2; ++i) Ask();
  const grpc::Status refused = server_.Refused(request_, "QUOTA_EXCEEDED");
  EXPECT_THAT(refused.error_message(), HasSubstr("2 calls of this user wait for a person already"));
  auto other = request_;
  other.mutable_caller()->set_user_id("bob");
  v1::ExecuteResponse response;
  EXPECT_TRUE(server_.Execute(other, response).ok());
  EXPECT_TRUE(response.has_confirmation_request());
}

TEST_F(ConfirmationFlowTest, AnotherClientMayDecide) {
  const auto asked = Ask();
  v1::ListConfirmationsRequest list;
  list.mutable_caller()->set_workspace_id("w");
  v1::ListConfirmationsResponse pending;
  grpc::ClientContext context;
  ASSERT_TRUE(server_.tools().ListConfirmations(&context, list, &pending).ok());
  ASSERT_EQ(pending.confirmations_size(), 1);
  EXPECT_EQ(pending.confirmations(0).confirmation_id(), asked.confirmation_id());
  ASSERT_TRUE(Decide(asked.confirmation_id(), true).ok());
  EXPECT_EQ(testing::ErrorInfoOf(Decide(asked.confirmation_id(), false)).reason(), "CONFLICT");
  request_.set_confirmation_token(asked.token());
  server_.Run(request_);
}

TEST_F(ConfirmationFlowTest, ADeniedCallIsCancelled) {
  const auto asked = Ask();
  ASSERT_TRUE(Decide(asked.confirmation_id(), false).ok());
  request_.set_confirmation_token(asked.token());
  EXPECT_EQ(server_.Refused(request_, "CANCELLED").error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_TRUE(Exists());
}

TEST(ConfirmationExpiryTest, AnExpiredTokenIsCancelled) {
  testing::LeapingClock clock;
  TestServer server(nullptr, nullptr, clock);
  const std::string id = server.RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})")["blockId"];
  auto request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", id}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  clock.Leap(absl::Minutes(5));
  const grpc::Status status = server.Refused(request, "CANCELLED");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("expired"));
}

// Only a decision by another person counts. An agent calls as "guest", whose role may delete but not decide; "boss"
// may.
class DecisionTest : public ::testing::Test {
 protected:
  static void OnlyDecisionsCount(config::v1::Config& config) {
    config.mutable_confirmation()->set_approval(config::v1::CONFIRMATION_APPROVAL_DECISION);
    auto& agent = (*config.mutable_identity()->mutable_roles())["guest"];
    agent.clear_permissions();
    for (const char* permission : {"block:*", "automation:*"}) agent.add_permissions(permission);
  }
  void Start(std::function<void(config::v1::Config&)> adjust = nullptr) {
    const auto only_decisions = [&](config::v1::Config& config) {
      OnlyDecisionsCount(config);
      if (adjust != nullptr) adjust(config);
    };
    server_ = std::make_unique<TestServer>(only_decisions, nullptr, clock_);
    id_ = server_->RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})")["blockId"];
    request_ = TestServer::Request("delete_block", DumpJson(Json{{"blockId", id_}}), "agent");
    request_.mutable_caller()->set_is_guest(true);
  }
  v1::ConfirmationRequest Ask() {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_->Execute(request_, response).ok());
    EXPECT_TRUE(response.confirmation_request().needs_decision()) << response.DebugString();
    request_.set_confirmation_token(response.confirmation_request().token());
    return response.confirmation_request();
  }
  // The present request is asked what it was asked first.
  void ExpectTheSameQuestion(const v1::ConfirmationRequest& asked) {
    v1::ExecuteResponse response;
    const grpc::Status status = server_->Execute(request_, response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.confirmation_request().SerializeAsString(), asked.SerializeAsString()) << response.DebugString();
  }
  // The state after a wait of `timeout`, or the reason of a refusal.
  std::string Wait(const std::string& id, absl::Duration timeout, const std::string& user = "agent",
                   bool as_agent = true) {
    v1::WaitConfirmationRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(user);
    request.mutable_caller()->set_is_guest(as_agent);
    request.set_confirmation_id(id);
    request.mutable_timeout()->set_seconds(absl::ToInt64Seconds(timeout));
    v1::WaitConfirmationResponse response;
    grpc::ClientContext context;
    const grpc::Status status = server_->tools().WaitConfirmation(&context, request, &response);
    return status.ok() ? response.state() : testing::ErrorInfoOf(status).reason();
  }
  grpc::Status Decide(const std::string& id, bool approve, const std::string& user, bool as_agent = false) {
    v1::DecideConfirmationRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(user);
    request.mutable_caller()->set_is_guest(as_agent);
    request.set_confirmation_id(id);
    request.set_approve(approve);
    v1::DecideConfirmationResponse response;
    grpc::ClientContext context;
    return server_->tools().DecideConfirmation(&context, request, &response);
  }
  bool Exists() {
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_->Execute(TestServer::Request("get_block", DumpJson(Json{{"blockId", id_}})), response).ok());
    return response.result().success();
  }

  void AwaitWaitingCall() {
    while (testing::FetchMetrics(server_->application().metrics_address()).find("\ntoolgate_waiting_calls 1\n") ==
           std::string::npos) {
      std::this_thread::yield();
    }
  }

  testing::LeapingClock clock_;
  std::unique_ptr<TestServer> server_;
  std::string id_;
  v1::ExecuteRequest request_;
};

TEST_F(DecisionTest, TheTokenAloneIsWorthNothingAndTheAgentCannotDecide) {
  Start();
  const auto asked = Ask();
  ExpectTheSameQuestion(asked);
  EXPECT_EQ(testing::ErrorInfoOf(Decide(asked.confirmation_id(), true, "agent", true)).reason(), "FORBIDDEN");
  ExpectTheSameQuestion(asked);
  EXPECT_TRUE(Exists());
}

TEST_F(DecisionTest, ARetryBeforeTheDecisionIsAskedTheSameAndIsNoRefusal) {
  Start();
  const auto asked = Ask();
  EXPECT_THAT(asked.undo_summary(), Not(IsEmpty()));
  EXPECT_TRUE(asked.reversible());
  EXPECT_THAT(asked.affected_block_ids(), ElementsAre(id_));
  clock_.Leap(absl::Minutes(1));
  // Also for one who wants refusals as results, with a rendering and a key, and for a stream.
  request_.set_refusals(v1::REFUSAL_FORM_RESULT);
  request_.set_result_format(v1::RESULT_FORMAT_OPENAI);
  request_.set_idempotency_key("k");
  for (int i = 0; i < 3; ++i) ExpectTheSameQuestion(asked);
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = request_;
  grpc::ClientContext context;
  const auto reader = server_->tools().ExecuteStream(&context, stream);
  v1::ExecuteStreamResponse event;
  ASSERT_TRUE(reader->Read(&event));
  EXPECT_EQ(event.response().confirmation_request().token(), asked.token());
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_TRUE(reader->Finish().ok());

  const std::string metrics = testing::FetchMetrics(server_->application().metrics_address());
  EXPECT_THAT(metrics, HasSubstr("toolgate_confirmations_total{event=\"requested\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("toolgate_confirmations_total{event=\"repeated\"} 4\n"));
  EXPECT_THAT(metrics, HasSubstr("toolgate_confirmations_total{event=\"rejected_token\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("toolgate_rejections_total{layer=\"confirmation\",reason=\"FORBIDDEN\"} 0\n"));
  v1::SearchEntriesRequest search;
  search.set_tool_id("delete_block");
  const auto entries = server_->Audit(search);
  ASSERT_EQ(entries.size(), 5u);
  for (const v1::AuditEntry& entry : entries) {
    EXPECT_EQ(entry.outcome(), entries.back().outcome()) << "as when it was asked first";
    EXPECT_EQ(entry.refused_by(), "");
  }
  ASSERT_TRUE(Decide(asked.confirmation_id(), true, "boss").ok());
  EXPECT_FALSE(server_->Run(request_).replayed());
  EXPECT_FALSE(Exists());
}

TEST_F(DecisionTest, ARetryBeforeTheDecisionFitsNoOtherCall) {
  Start();
  const auto asked = Ask();
  auto other = request_;
  other.set_arguments_json(DumpJson(Json{{"blockId", id_}, {"deleteChildren", false}}));
  server_->Refused(other, "FORBIDDEN");
  auto altered = request_;
  altered.mutable_confirmation_token()->back() ^= 1;
  server_->Refused(altered, "FORBIDDEN");
  ExpectTheSameQuestion(asked);
  // The default, and a null that is read as left out, are the same call.
  request_.set_arguments_json(DumpJson(Json{{"blockId", id_}, {"deleteChildren", nullptr}}));
  ExpectTheSameQuestion(asked);
}

TEST_F(DecisionTest, OnceApprovedTheSameTokenWorksOnce) {
  Start();
  const auto asked = Ask();
  ExpectTheSameQuestion(asked);
  ASSERT_TRUE(Decide(asked.confirmation_id(), true, "boss").ok());
  auto other = request_;
  other.set_arguments_json(DumpJson(Json{{"blockId", id_}, {"deleteChildren", false}}));
  server_->Refused(other, "FORBIDDEN");
  EXPECT_TRUE(Exists()) << "approved for this very call only";
  server_->Run(request_);
  EXPECT_FALSE(Exists());
  EXPECT_EQ(server_->Refused(request_, "CANCELLED").error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(testing::ErrorInfoOf(Decide(asked.confirmation_id(), true, "boss")).reason(), "CONFLICT");
}

TEST_F(DecisionTest, OfManyRacersExactlyOneRuns) {
  Start();
  ASSERT_TRUE(Decide(Ask().confirmation_id(), true, "boss").ok());
  std::vector<std::thread> threads;
  std::atomic<int> ran{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      v1::ExecuteResponse response;
      if (server_->Execute(request_, response).ok() && response.has_result()) ++ran;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 1);
}

TEST_F(DecisionTest, ADenialIsFinal) {
  Start();
  const auto asked = Ask();
  ASSERT_TRUE(Decide(asked.confirmation_id(), false, "boss").ok());
  EXPECT_THAT(server_->Refused(request_, "CANCELLED").error_message(), HasSubstr("denied"));
  EXPECT_EQ(testing::ErrorInfoOf(Decide(asked.confirmation_id(), true, "boss")).reason(), "CONFLICT");
  server_->Refused(request_, "CANCELLED");
  EXPECT_TRUE(Exists());
}

TEST_F(DecisionTest, AnExpiredQuestionCannotBeApprovedAndItsTokenIsWorthNothing) {
  Start();
  const auto asked = Ask();
  clock_.Leap(absl::Minutes(5));
  EXPECT_EQ(testing::ErrorInfoOf(Decide(asked.confirmation_id(), true, "boss")).reason(), "CONFLICT");
  EXPECT_THAT(server_->Refused(request_, "CANCELLED").error_message(), HasSubstr("expired"));
  EXPECT_TRUE(Exists());
}

TEST_F(DecisionTest, ADecisionCanBeWaitedFor) {
  Start();
  const auto asked = Ask();
  EXPECT_EQ(Wait(asked.confirmation_id(), absl::ZeroDuration()), "pending");
  std::string state;
  std::thread waiter([&] { state = Wait(asked.confirmation_id(), absl::Seconds(60)); });
  AwaitWaitingCall();
  ASSERT_TRUE(Decide(asked.confirmation_id(), true, "boss").ok());
  waiter.join();
  EXPECT_EQ(state, "approved");
  server_->Run(request_);
  EXPECT_EQ(Wait(asked.confirmation_id(), absl::Seconds(60)), "used");
}

TEST_F(DecisionTest, AWaitEndsWithItsTimeoutAndWithTheQuestion) {
  Start();
  const auto asked = Ask();
  std::string state;
  std::thread waiter([&] { state = Wait(asked.confirmation_id(), absl::Seconds(60)); });
  AwaitWaitingCall();
  clock_.Leap(absl::Minutes(1));
  waiter.join();
  EXPECT_EQ(state, "pending");
  std::thread second([&] { state = Wait(asked.confirmation_id(), absl::Seconds(60)); });
  AwaitWaitingCall();
  clock_.Leap(absl::Minutes(4));
  second.join();
  EXPECT_EQ(state, "expired");
}

TEST_F(DecisionTest, OnlyThoseWhomAQuestionConcernsMayWaitForIt) {
  Start();
  const auto asked = Ask();
  EXPECT_EQ(Wait(asked.confirmation_id(), absl::ZeroDuration(), "boss", false), "pending");
  EXPECT_EQ(Wait(asked.confirmation_id(), absl::Seconds(60), "other-agent"), "NOT_FOUND");
  EXPECT_EQ(Wait("no-such-confirmation", absl::Seconds(60)), "NOT_FOUND");
  EXPECT_EQ(Wait(asked.confirmation_id(), absl::Seconds(-1)), "INVALID_PARAMS");
}

TEST_F(DecisionTest, AShutdownDoesNotWaitForPeople) {
  Start();
  const auto asked = Ask();
  std::string state;
  std::thread waiter([&] { state = Wait(asked.confirmation_id(), absl::Seconds(60)); });
  AwaitWaitingCall();
  server_->Stop();
  waiter.join();
  EXPECT_EQ(state, "pending");
}

TEST_F(DecisionTest, AnApprovalUnderAnotherPolicyDoesNotCount) {
  Start();
  // Requested while the token was enough, sent when it no longer is.
  auto lax = server_->config();
  lax.mutable_confirmation()->set_approval(config::v1::CONFIRMATION_APPROVAL_TOKEN);
  ASSERT_TRUE(server_->application().Reload(lax).ok());
  v1::ExecuteResponse response;
  ASSERT_TRUE(server_->Execute(request_, response).ok());
  EXPECT_FALSE(response.confirmation_request().needs_decision());
  request_.set_confirmation_token(response.confirmation_request().token());
  ASSERT_TRUE(server_->application().Reload(server_->config()).ok());
  server_->Refused(request_, "FORBIDDEN");
  EXPECT_TRUE(Exists());
}

TEST(AutoApprovalTest, ARoleMayApproveByItself) {
  TestServer server([](config::v1::Config& config) {
    (*config.mutable_identity()->mutable_roles())["developer"].add_auto_approve("delete_block");
  });
  const std::string id = server.RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})")["blockId"];
  server.Run(TestServer::Request("delete_block", DumpJson(Json{{"blockId", id}})));
}

}  // namespace
}  // namespace toolgate
