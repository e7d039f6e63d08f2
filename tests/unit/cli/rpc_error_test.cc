#include "cli/rpc_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "tests/support/fake_service.h"

namespace toolgate::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RpcErrorTest, TellsEveryViolationByPath) {
  google::rpc::BadRequest bad;
  auto* row = bad.add_field_violations();
  row->set_field("/title");
  row->set_description("required");
  const RpcError error = DecodeRpcError(
      RichStatus(grpc::StatusCode::INVALID_ARGUMENT, "wrong arguments", "MISSING_REQUIRED", {&bad}), "a:1");
  EXPECT_EQ(error.exit_code, ExitCode::kRefused);
  EXPECT_THAT(error.hint, HasSubstr("shows the arguments"));
  EXPECT_THAT(RenderForPeople(error), HasSubstr("  /title  required\n"));
  EXPECT_EQ(ToJson(error)["violations"], Json::array({{{"path", "/title"}, {"description", "required"}}}));
}

TEST(RpcErrorTest, TellsAViolationOnce) {
  google::rpc::BadRequest bad;
  auto* row = bad.add_field_violations();
  row->set_field("/titel");
  row->set_description("additionalProperties");
  const RpcError error = DecodeRpcError(
      RichStatus(grpc::StatusCode::INVALID_ARGUMENT, "at \"/titel\": unknown property", "INVALID_PARAMS", {&bad}),
      "a:1");
  EXPECT_THAT(RenderForPeople(error), Not(HasSubstr("additionalProperties")));
  EXPECT_EQ(ToJson(error)["violations"].size(), 1u);
}

TEST(RpcErrorTest, TellsTheWaitAndTheQuota) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  google::rpc::QuotaFailure quota;
  auto* row = quota.add_violations();
  row->set_subject("user u1");
  row->set_description("60 calls in 1m");
  const RpcError error = DecodeRpcError(
      RichStatus(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many", "RATE_LIMITED", {&retry, &quota}), "a:1");
  EXPECT_EQ(error.retry_after, absl::Milliseconds(2500));
  const std::string text = RenderForPeople(error);
  EXPECT_THAT(text, HasSubstr("try again in: 3s\n"));
  EXPECT_THAT(text, HasSubstr("  user u1  60 calls in 1m\n"));
  EXPECT_EQ(ToJson(error)["retryAfterSeconds"], 2.5);
}

TEST(RpcErrorTest, BelievesTheServiceAboutTheLayer) {
  const RpcError error = DecodeRpcError(
      RichStatus(grpc::StatusCode::PERMISSION_DENIED, "no", "FORBIDDEN", {}, {{"layer", "tenancy"}}), "a:1");
  EXPECT_EQ(error.layer, "tenancy");
}

TEST(RpcErrorTest, InventsNoLayerWhereTheServiceNamedNone) {
  for (const char* reason : {"INVALID_PARAMS", "OVERLOADED", "FORBIDDEN", "RATE_LIMITED", "TIMEOUT"}) {
    const RpcError error = DecodeRpcError(RichStatus(grpc::StatusCode::UNAVAILABLE, "no", reason), "a:1");
    EXPECT_EQ(error.layer, "") << reason;
    EXPECT_THAT(RenderForPeople(error), Not(HasSubstr("refused by"))) << reason;
    EXPECT_FALSE(ToJson(error).contains("layer")) << reason;
  }
}

TEST(RpcErrorTest, SpeaksOfAToolsArgumentsOnlyWhereOneIsWrong) {
  google::rpc::BadRequest bad;
  bad.add_field_violations()->set_field("page_token");
  const RpcError error =
      DecodeRpcError(RichStatus(grpc::StatusCode::INVALID_ARGUMENT, "no", "INVALID_PARAMS", {&bad}), "a:1");
  EXPECT_EQ(error.hint, "");
}

struct ExitRow {
  const char* name;
  grpc::Status status;
  ExitCode exit_code;
  const char* hint;
};

class RpcErrorExitTest : public ::testing::TestWithParam<ExitRow> {};

TEST_P(RpcErrorExitTest, HasAnExitCodeAndSaysWhatToDo) {
  const RpcError error = DecodeRpcError(GetParam().status, "127.0.0.1:50051");
  EXPECT_EQ(error.exit_code, GetParam().exit_code);
  EXPECT_THAT(error.hint, HasSubstr(GetParam().hint));
  EXPECT_EQ(ToJson(error)["exitCode"], static_cast<int>(GetParam().exit_code));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RpcErrorExitTest,
    ::testing::Values(
        ExitRow{"NothingListens",
                {grpc::StatusCode::UNAVAILABLE, "failed to connect to all addresses"},
                ExitCode::kUnreachable,
                "toolgate serve"},
        ExitRow{"ConnectionLost",
                {grpc::StatusCode::UNAVAILABLE, "Socket closed"},
                ExitCode::kTimedOut,
                "whether the call ran"},
        ExitRow{"NoAnswerInTime",
                {grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"},
                ExitCode::kTimedOut,
                "--timeout"},
        ExitRow{"NotOffered", {grpc::StatusCode::UNIMPLEMENTED, ""}, ExitCode::kServiceFault, "does not implement"},
        ExitRow{"Unexplained", {grpc::StatusCode::INTERNAL, "?"}, ExitCode::kServiceFault, ""},
        ExitRow{"BreakerOpen", RichStatus(grpc::StatusCode::UNAVAILABLE, "open", "CIRCUIT_OPEN"), ExitCode::kRefused,
                "try again"},
        ExitRow{"NeverStarted", RichStatus(grpc::StatusCode::DEADLINE_EXCEEDED, "late", "TIMEOUT"), ExitCode::kRefused,
                ""},
        ExitRow{"Denied", RichStatus(grpc::StatusCode::FAILED_PRECONDITION, "denied", "CANCELLED"), ExitCode::kDeclined,
                ""},
        ExitRow{"UnknownReason", RichStatus(grpc::StatusCode::ABORTED, "new", "SOMETHING_NEW"), ExitCode::kRefused,
                ""}),
    [](const auto& row) { return row.param.name; });

TEST(RpcErrorTest, NamesTheAddressWhereNothingListens) {
  const RpcError error =
      DecodeRpcError({grpc::StatusCode::UNAVAILABLE, "failed to connect to all addresses"}, "unix:/run/t.sock");
  EXPECT_EQ(error.message, "nothing listens at unix:/run/t.sock");
}

TEST(RpcErrorTest, TellsAFailedHandshakeFromAnAddressWithoutAService) {
  const RpcError handshake = DecodeRpcError({grpc::StatusCode::UNAVAILABLE,
                                             "failed to connect to all addresses; last error: UNKNOWN: "
                                             "ipv4:127.0.0.1:50051: Socket closed"},
                                            "localhost:50051");
  EXPECT_THAT(handshake.message, HasSubstr("something listens at localhost:50051"));
  EXPECT_THAT(handshake.hint, HasSubstr("--tls-ca"));
  const RpcError over_tls = DecodeRpcError(
      {grpc::StatusCode::UNAVAILABLE,
       "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:50051: handshake failed"},
      "localhost:50051", true);
  EXPECT_THAT(over_tls.hint, HasSubstr("another authority"));
  EXPECT_THAT(over_tls.hint, Not(HasSubstr("needs --tls-ca")));
  const RpcError nobody = DecodeRpcError({grpc::StatusCode::UNAVAILABLE,
                                          "failed to connect to all addresses; last error: UNKNOWN: "
                                          "ipv4:127.0.0.1:1: Failed to connect to remote host: Connection refused"},
                                         "localhost:1");
  EXPECT_EQ(nobody.message, "nothing listens at localhost:1");
}

TEST(RpcErrorTest, BlamesPermissionsOnlyWhereOneIsMissing) {
  const RpcError refused = DecodeRpcError(RichStatus(grpc::StatusCode::PERMISSION_DENIED, "no", "FORBIDDEN"), "a:1");
  EXPECT_EQ(refused.hint, "");
}

TEST(RpcErrorTest, WhatAServiceSaysItDoesNotServeIsAMatterOfVersions) {
  const RpcError error =
      DecodeRpcError(RichStatus(grpc::StatusCode::UNIMPLEMENTED, "does not serve /x", "NOT_CONFIGURED"), "a:1");
  EXPECT_EQ(error.message, "does not serve /x");
  EXPECT_THAT(error.hint, HasSubstr("toolgate version"));
}

TEST(RpcErrorTest, AStatusWithoutWordsIsNamed) {
  EXPECT_EQ(DecodeRpcError({grpc::StatusCode::UNIMPLEMENTED, ""}, "a:1").message, "UNIMPLEMENTED");
}

TEST(RpcErrorTest, SurvivesDetailsThatAreNoStatus) {
  const RpcError error = DecodeRpcError({grpc::StatusCode::INTERNAL, "broken", "\xFF\xFF\xFF"}, "a:1");
  EXPECT_EQ(error.message, "broken");
  EXPECT_EQ(error.reason, "");
  EXPECT_EQ(ToJson(error)["code"], "INTERNAL");
}

TEST(RpcErrorTest, EscapesWhatTheServiceSays) {
  const RpcError error =
      DecodeRpcError(RichStatus(grpc::StatusCode::NOT_FOUND, "no \x1b[2Jtool", "UNKNOWN_TOOL\x07"), "a:1");
  EXPECT_THAT(RenderForPeople(error), Not(HasSubstr("\x1b")));
  EXPECT_THAT(RenderForPeople(error), Not(HasSubstr("\x07")));
}

}  // namespace
}  // namespace toolgate::cli
