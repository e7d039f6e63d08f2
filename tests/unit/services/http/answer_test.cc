#include "services/http/answer.h"

#include <string>
#include <utility>

#include "common/json.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(AnswerTest, EveryCodeHasItsHttpStatus) {
  const struct {
    absl::StatusCode code;
    int http;
  } rows[] = {
      {absl::StatusCode::kOk, 200},
      {absl::StatusCode::kCancelled, 499},
      {absl::StatusCode::kUnknown, 500},
      {absl::StatusCode::kInvalidArgument, 400},
      {absl::StatusCode::kDeadlineExceeded, 504},
      {absl::StatusCode::kNotFound, 404},
      {absl::StatusCode::kAlreadyExists, 409},
      {absl::StatusCode::kPermissionDenied, 403},
      {absl::StatusCode::kResourceExhausted, 429},
      {absl::StatusCode::kFailedPrecondition, 400},
      {absl::StatusCode::kAborted, 409},
      {absl::StatusCode::kOutOfRange, 400},
      {absl::StatusCode::kUnimplemented, 501},
      {absl::StatusCode::kInternal, 500},
      {absl::StatusCode::kUnavailable, 503},
      {absl::StatusCode::kDataLoss, 500},
      {absl::StatusCode::kUnauthenticated, 401},
  };
  for (const auto& row : rows) EXPECT_EQ(HttpStatusOf(row.code), row.http) << static_cast<int>(row.code);
}

TEST(AnswerTest, CarriesWhatAToolErrorSays) {
  ToolError error;
  error.code = ErrorCode::kRateLimited;
  error.message = "too many";
  error.facts = {{"limit", "10"}};
  error.retry_after = absl::Milliseconds(1500);
  const Answer answer = ErrorAnswer(ToStatus(error));
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.headers, Contains(Pair("Retry-After", "2")));
  const Json shown = (*ParseJson(answer.body))["error"];
  EXPECT_EQ(shown["code"], 429);
  EXPECT_EQ(shown["message"], "too many");
  EXPECT_EQ(shown["status"], "RESOURCE_EXHAUSTED");
  ASSERT_EQ(shown["details"].size(), 3u) << answer.body;
  EXPECT_EQ(shown["details"][0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
  EXPECT_EQ(shown["details"][0]["reason"], "RATE_LIMITED");
  EXPECT_EQ(shown["details"][0]["domain"], "toolgate.v1");
  EXPECT_EQ(shown["details"][0]["metadata"]["limit"], "10");
  EXPECT_EQ(shown["details"][1]["retryDelay"], "1.500s");
  EXPECT_EQ(shown["details"][2]["@type"], "type.googleapis.com/google.rpc.QuotaFailure");
}

TEST(AnswerTest, NamesThePlacesOfViolations) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = "no";
  error.violations = {{"/title", "type", "a text", "a number"}};
  const Json shown = (*ParseJson(ErrorBody(ToStatus(error))))["error"];
  EXPECT_EQ(shown["details"][1]["fieldViolations"][0]["field"], "/title");
  EXPECT_EQ(shown["details"][1]["fieldViolations"][0]["description"], "type: expected a text, found a number");
}

TEST(AnswerTest, AsksForATokenWhereCredentialsAreMissing) {
  const Answer answer = ErrorAnswer(MakeError(ErrorCode::kUnauthorized, "who?"));
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.headers, Contains(Pair("WWW-Authenticate", "Bearer")));
  EXPECT_THAT(ErrorAnswer(MakeError(ErrorCode::kForbidden, "no")).headers, IsEmpty());
}

TEST(AnswerTest, ShowsNothingOfAnUnknownFailure) {
  const Answer answer = ErrorAnswer(absl::NotFoundError("/secret/path"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

TEST(AnswerTest, TakesAStatusThatOnlyHttpHas) {
  const Answer answer = ErrorAnswer(413, MakeError(ErrorCode::kInvalidParams, "long"));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ((*ParseJson(answer.body))["error"]["code"], 413);
}

}  // namespace
}  // namespace toolgate::services::http
