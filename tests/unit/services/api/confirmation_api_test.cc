#include "services/api/confirmation_api.h"

#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "tests/support/test_tools.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using testing::CodeOf;
using ::testing::HasSubstr;

// A person is asked about every new block.
class ConfirmationApiTest : public ApiFixture {
 protected:
  ConfirmationApiTest() : ApiFixture(AskAboutBlocks()) {}

  static toolgate::config::v1::Config AskAboutBlocks() {
    toolgate::config::v1::Config config;
    config.mutable_confirmation()->add_require_for_tools("create_block");
    return config;
  }

  // Makes a pending confirmation and answers its id.
  std::string Ask() {
    const auto asked = RunTool("create_block", R"({"type":"page","data":{"title":"Plans"}})");
    EXPECT_TRUE(asked.ok() && asked->has_confirmation_request()) << asked.status();
    return asked.ok() ? asked->confirmation_request().confirmation_id() : "";
  }
  // The state that the answer names.
  absl::StatusOr<std::string> Decide(const std::string& id, bool approve) {
    auto request = As<v1::DecideConfirmationRequest>();
    request.set_confirmation_id(id);
    request.set_approve(approve);
    v1::DecideConfirmationResponse response;
    RETURN_IF_ERROR(DecideConfirmation(Known(Rpc::kDecideConfirmation), request, response, cancellation_));
    return response.state();
  }
  // The state, without a wait.
  absl::StatusOr<std::string> Wait(const std::string& id, const std::string& user = "ann") {
    auto request = As<v1::WaitConfirmationRequest>(user);
    request.set_confirmation_id(id);
    request.mutable_timeout();
    v1::WaitConfirmationResponse response;
    RETURN_IF_ERROR(WaitConfirmation(Known(Rpc::kWaitConfirmation), request, response, cancellation_));
    return response.state();
  }
  v1::ListConfirmationsResponse Pending(const v1::ListConfirmationsRequest& request) {
    v1::ListConfirmationsResponse response;
    const absl::Status listed = ListConfirmations(Known(Rpc::kListConfirmations), request, response, cancellation_);
    EXPECT_TRUE(listed.ok()) << listed;
    return response;
  }
};

TEST_F(ConfirmationApiTest, ADecisionStandsAndCanBeRepeated) {
  const std::string id = Ask();
  EXPECT_EQ(Decide(id, true).value(), "approved");
  EXPECT_EQ(Decide(id, true).value(), "approved");
  EXPECT_EQ(CodeOf(Decide(id, false).status()), ErrorCode::kConflict);
  EXPECT_THAT(metrics_.Text(), HasSubstr("\"approved\"} 1"));
}

TEST_F(ConfirmationApiTest, ADenialIsCountedOnce) {
  const std::string id = Ask();
  EXPECT_EQ(Decide(id, false).value(), "denied");
  EXPECT_EQ(Decide(id, false).value(), "denied");
  EXPECT_THAT(metrics_.Text(), HasSubstr("\"denied\"} 1"));
}

TEST_F(ConfirmationApiTest, ADecisionComesTooLateForAnExpiredQuestion) {
  const std::string id = Ask();
  clock_.Advance(absl::Hours(48));
  EXPECT_EQ(CodeOf(Decide(id, true).status()), ErrorCode::kConflict);
  EXPECT_THAT(metrics_.Text(), HasSubstr("\"expired\"} 1"));
}

TEST_F(ConfirmationApiTest, AnUnknownConfirmationIsNotFound) {
  EXPECT_EQ(CodeOf(Decide("0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c", true).status()), ErrorCode::kNotFound);
}

TEST_F(ConfirmationApiTest, AWaitAnswersTheStateThatTheConfirmationHas) {
  const std::string id = Ask();
  EXPECT_EQ(Wait(id).value(), "pending");
  ASSERT_TRUE(Decide(id, true).ok());
  EXPECT_EQ(Wait(id).value(), "approved");
  const std::string denied = Ask();
  ASSERT_TRUE(Decide(denied, false).ok());
  EXPECT_EQ(Wait(denied).value(), "denied");
  const std::string late = Ask();
  clock_.Advance(absl::Minutes(5));
  EXPECT_EQ(Wait(late).value(), "expired");
  EXPECT_EQ(Wait(id).value(), "expired") << "an approval expires too";
  EXPECT_EQ(Wait(denied).value(), "denied");
}

TEST_F(ConfirmationApiTest, OnlyAnotherWhoMayDecideSeesAQuestion) {
  const std::string id = Ask();
  EXPECT_EQ(Wait(id, "bob").value(), "pending") << "a developer may decide";
  EXPECT_EQ(CodeOf(Wait("0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c").status()), ErrorCode::kNotFound);
}

TEST_F(ConfirmationApiTest, AWaitIsBounded) {
  auto request = As<v1::WaitConfirmationRequest>();
  request.set_confirmation_id(Ask());
  request.mutable_timeout()->set_seconds(-1);
  v1::WaitConfirmationResponse response;
  EXPECT_EQ(CodeOf(WaitConfirmation(Known(Rpc::kWaitConfirmation), request, response, cancellation_)),
            ErrorCode::kInvalidParams);
  request.mutable_timeout()->set_seconds(1'000'000);
  std::thread other([&] {
    while (decisions_.waiting() == 0) std::this_thread::yield();
    clock_.Advance(absl::Seconds(60));
  });
  const absl::Status waited = WaitConfirmation(Known(Rpc::kWaitConfirmation), request, response, cancellation_);
  other.join();
  EXPECT_TRUE(waited.ok()) << waited;
  EXPECT_EQ(response.state(), "pending");
}

TEST_F(ConfirmationApiTest, OnlyPendingConfirmationsAreListed) {
  const std::string first = Ask();
  clock_.Advance(absl::Seconds(1));
  const std::string second = Ask();
  auto request = As<v1::ListConfirmationsRequest>();
  request.set_page_size(1);
  const auto page = Pending(request);
  ASSERT_EQ(page.confirmations_size(), 1);
  request.set_page_token(page.next_page_token());
  const auto rest = Pending(request);
  ASSERT_EQ(rest.confirmations_size(), 1);
  EXPECT_EQ(rest.next_page_token(), "");
  EXPECT_NE(page.confirmations(0).confirmation_id(), rest.confirmations(0).confirmation_id());
  ASSERT_TRUE(Decide(first, true).ok());
  const auto left = Pending(As<v1::ListConfirmationsRequest>());
  ASSERT_EQ(left.confirmations_size(), 1);
  EXPECT_EQ(left.confirmations(0).confirmation_id(), second);
}

}  // namespace
}  // namespace toolgate::services::api
