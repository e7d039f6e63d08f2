#include "services/grpc/rpc_status.h"

#include "common/message_bounds.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace toolgate::services::grpc {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// All details of type T.
template <typename T>
std::vector<T> Details(const ::grpc::Status& status) {
  google::rpc::Status outer;
  EXPECT_TRUE(outer.ParseFromString(status.error_details()));
  std::vector<T> found;
  for (const auto& any : outer.details()) {
    if (any.Is<T>()) any.UnpackTo(&found.emplace_back());
  }
  return found;
}

TEST(RpcStatusTest, OkStaysOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(RpcStatusTest, EveryCodeBecomesItsStatusWithOneErrorInfo) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kCannotUndo); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    SCOPED_TRACE(std::string(ErrorCodeName(code)));
    const ::grpc::Status status = ToGrpcStatus(MakeError(code, "no"));
    EXPECT_EQ(static_cast<int>(status.error_code()), static_cast<int>(StatusCodeFor(code)));
    EXPECT_EQ(status.error_message(), "no");
    const auto infos = Details<google::rpc::ErrorInfo>(status);
    ASSERT_THAT(infos, SizeIs(1));
    EXPECT_EQ(infos[0].reason(), ErrorCodeName(code));
    EXPECT_EQ(infos[0].domain(), "toolgate.v1");
    google::rpc::Status outer;
    ASSERT_TRUE(outer.ParseFromString(status.error_details()));
    EXPECT_EQ(outer.code(), static_cast<int>(status.error_code()));
    EXPECT_EQ(outer.message(), "no");
  }
}

TEST(RpcStatusTest, AnOverriddenCodeWins) {
  ToolError error;
  error.code = ErrorCode::kCancelled;
  error.refused_as = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(ToGrpcStatus(ToStatus(error)).error_code(), ::grpc::StatusCode::FAILED_PRECONDITION);
}

TEST(RpcStatusTest, ViolationsBecomeABadRequest) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.violations.push_back({"/items/0/name", "type", "string", "number"});
  error.violations.push_back({"/x", "additionalProperties", "", ""});
  const auto requests = Details<google::rpc::BadRequest>(ToGrpcStatus(ToStatus(error)));
  ASSERT_THAT(requests, SizeIs(1));
  ASSERT_EQ(requests[0].field_violations_size(), 2);
  EXPECT_EQ(requests[0].field_violations(0).field(), "/items/0/name");
  EXPECT_EQ(requests[0].field_violations(0).description(), "type: expected string, found number");
  EXPECT_EQ(requests[0].field_violations(1).description(), "additionalProperties");
}

TEST(RpcStatusTest, ALimitTellsItsWaitAndWhom) {
  ToolError error;
  error.code = ErrorCode::kRateLimited;
  error.message = "5 calls a minute";
  error.retry_after = absl::Milliseconds(1500);
  error.facts.emplace_back("subject", "user:ann");
  const ::grpc::Status status = ToGrpcStatus(ToStatus(error));
  const auto retries = Details<google::rpc::RetryInfo>(status);
  ASSERT_THAT(retries, SizeIs(1));
  EXPECT_EQ(retries[0].retry_delay().seconds(), 1);
  EXPECT_EQ(retries[0].retry_delay().nanos(), 500'000'000);
  const auto quotas = Details<google::rpc::QuotaFailure>(status);
  ASSERT_THAT(quotas, SizeIs(1));
  EXPECT_EQ(quotas[0].violations(0).subject(), "user:ann");
  EXPECT_EQ(quotas[0].violations(0).description(), "5 calls a minute");
  EXPECT_EQ(Details<google::rpc::ErrorInfo>(status)[0].metadata().at("subject"), "user:ann");
}

TEST(RpcStatusTest, AnOverloadWithoutLimitsHasNoQuotaFailure) {
  EXPECT_THAT(Details<google::rpc::QuotaFailure>(ToGrpcStatus(MakeError(ErrorCode::kOverloaded, "busy"))), SizeIs(0));
}

TEST(RpcStatusTest, AnUnknownFailureShowsNothingOfItself) {
  const ::grpc::Status status = ToGrpcStatus(absl::NotFoundError("/var/lib/secret: no such table: users"));
  EXPECT_EQ(status.error_code(), ::grpc::StatusCode::INTERNAL);
  EXPECT_THAT(status.error_message(), Not(HasSubstr("secret")));
  EXPECT_THAT(status.error_details(), Not(HasSubstr("secret")));
  EXPECT_EQ(Details<google::rpc::ErrorInfo>(status)[0].reason(), "EXECUTION_ERROR");
}

TEST(RpcStatusTest, TheLargestErrorFitsIntoAClientsTrailers) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  for (int i = 0; i < 4000; ++i) error.message += "\xC3\xA9";  // Three bytes each when percent-encoded twice over.
  for (int i = 0; i < 500; ++i) {
    error.violations.push_back({"/" + std::string(400, 'p'), "type", std::string(400, 'e'), std::string(400, 'f')});
    error.facts.emplace_back("fact" + std::to_string(i), std::string(5000, 'v'));
  }
  const ::grpc::Status status = ToGrpcStatus(ToStatus(error));
  const size_t on_the_wire = status.error_message().size() * 3 + status.error_details().size() * 4 / 3;
  EXPECT_LT(on_the_wire, size_t{8192} - 512);
  EXPECT_THAT(status.error_message(), EndsWith("..."));
  const auto infos = Details<google::rpc::ErrorInfo>(status);
  ASSERT_THAT(infos, SizeIs(1));
  const auto requests = Details<google::rpc::BadRequest>(status);
  const int shown = requests.empty() ? 0 : requests[0].field_violations_size();
  EXPECT_EQ(infos[0].metadata().at("violationsOmitted"), std::to_string(500 - shown));
}

TEST(RpcStatusTest, CountsTheViolationsThatWereLeftOutBefore) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  for (int i = 0; i < 50; ++i) error.violations.push_back({"/p", "type", std::string(400, 'e'), "f"});
  error.facts.emplace_back(kViolationsOmitted, "1000");
  const ::grpc::Status status = ToGrpcStatus(ToStatus(error));
  const int shown = Details<google::rpc::BadRequest>(status)[0].field_violations_size();
  EXPECT_LT(shown, 50);
  EXPECT_EQ(Details<google::rpc::ErrorInfo>(status)[0].metadata().at("violationsOmitted"),
            std::to_string(1050 - shown));
}

TEST(RpcStatusTest, ACutNeverSplitsACharacter) {
  for (int shift = 0; shift < 4; ++shift) {
    std::string text(static_cast<size_t>(shift), 'a');
    while (text.size() < 3000) text += "\xF0\x9F\x98\x80";
    std::string cut = ToGrpcStatus(MakeError(ErrorCode::kNotFound, text)).error_message();
    ASSERT_THAT(cut, EndsWith("..."));
    EXPECT_EQ((cut.size() - 3 - static_cast<size_t>(shift)) % 4, 0u);
  }
}

}  // namespace
}  // namespace toolgate::services::grpc
