#include "services/api/confirmation_api.h"

#include <string>

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
