#include "cli/load/driver/classify.h"

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "common/proto_bytes.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::cli::load::driver {
namespace {

using stats::Outcome;
using stats::OutcomeKind;

grpc::Status Refusal(grpc::StatusCode code, const std::string& reason) {
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  EXPECT_TRUE(PackProto(retry, *details.add_details()).ok());
  EXPECT_TRUE(PackProto(info, *details.add_details()).ok());
  return {code, "no", *SerializeProto(details)};
}

TEST(ClassifyTest, TellsEachKind) {
  v1::ExecuteResponse good, failed, question;
  good.mutable_result()->set_success(true);
  failed.mutable_result()->mutable_error()->set_code("NOT_FOUND");
  failed.mutable_result()->mutable_error()->set_message("gone");
  question.mutable_confirmation_request()->set_summary("Delete?");
  EXPECT_EQ(Classify(grpc::Status::OK, good), Outcome());
  EXPECT_EQ(Classify(grpc::Status::OK, {}), Outcome());  // A decision.
  EXPECT_EQ(Classify(grpc::Status::OK, failed), (Outcome{OutcomeKind::kToolFailed, "NOT_FOUND", "OK"}));
  EXPECT_EQ(Classify(grpc::Status::OK, question), (Outcome{OutcomeKind::kConfirmation, "CONFIRMATION_REQUIRED", "OK"}));
  EXPECT_EQ(Classify(Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, "RATE_LIMITED"), {}),
            (Outcome{OutcomeKind::kRefused, "RATE_LIMITED", "RESOURCE_EXHAUSTED"}));
  EXPECT_EQ(Classify({grpc::StatusCode::UNAVAILABLE, "gone"}, {}),
            (Outcome{OutcomeKind::kTransport, "UNAVAILABLE", "UNAVAILABLE"}));
  EXPECT_EQ(Classify({grpc::StatusCode::INTERNAL, "x", "no details"}, {}),
            (Outcome{OutcomeKind::kTransport, "INTERNAL", "INTERNAL"}));
  EXPECT_EQ(MessageOf(grpc::Status::OK, failed), "gone");
  EXPECT_EQ(MessageOf(grpc::Status::OK, question), "Delete?");
  EXPECT_EQ(MessageOf({grpc::StatusCode::UNAVAILABLE, "lost"}, {}), "lost");
}

TEST(RequireFindingTest, OnlyAnOkWithoutAFindingIsNotDetected) {
  v1::ExecuteResponse found, clean;
  found.mutable_result()->set_success(true);
  found.mutable_result()->add_injection_findings();
  clean.mutable_result()->set_success(true);
  EXPECT_EQ(RequireFinding({}, found), Outcome());
  EXPECT_EQ(RequireFinding({}, clean), (Outcome{OutcomeKind::kOk, "NOT_DETECTED", "OK"}));
  const Outcome refused{OutcomeKind::kRefused, "INJECTION_DETECTED", "INVALID_ARGUMENT"};
  EXPECT_EQ(RequireFinding(refused, {}), refused);
}

}  // namespace
}  // namespace toolgate::cli::load::driver
