#include "executors/providers/failure.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::providers {
namespace {

using observability::ProviderOutcome;

const absl::Time kNow = absl::FromUnixSeconds(784111777);  // Sun, 06 Nov 1994 08:49:37 GMT.

struct StatusCase {
  int status;
  ErrorCode code;
  bool retryable;
  ProviderOutcome outcome;
  Repeat repeat;
};

class StatusFailureTest : public ::testing::TestWithParam<StatusCase> {};

TEST_P(StatusFailureTest, MeansTheSameOfEveryProvider) {
  const StatusCase& test = GetParam();
  const Failure failure = FailureOf("zai", {.status = test.status}, kNow);
  EXPECT_EQ(failure.error.code, test.code);
  EXPECT_EQ(failure.error.retryable, test.retryable);
  EXPECT_EQ(failure.outcome, test.outcome);
  EXPECT_EQ(failure.repeat, test.repeat);
  EXPECT_EQ(failure.type, std::to_string(test.status));
  EXPECT_EQ(failure.error.message.rfind("zai ", 0), 0u) << failure.error.message;
  EXPECT_NE(failure.error.message.find("HTTP status " + std::to_string(test.status)), std::string::npos);
}

constexpr ErrorCode kOurs = ErrorCode::kExecutionError;
constexpr ErrorCode kCallers = ErrorCode::kInvalidParams;

INSTANTIATE_TEST_SUITE_P(
    Statuses, StatusFailureTest,
    ::testing::Values(StatusCase{302, kOurs, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{400, kCallers, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{401, kOurs, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{403, kOurs, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{404, kOurs, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{408, kOurs, true, ProviderOutcome::kTimeout, Repeat::kIfRepeatable},
                      StatusCase{413, kCallers, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{418, kOurs, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{422, kCallers, false, ProviderOutcome::kRefused, Repeat::kNever},
                      StatusCase{429, kOurs, true, ProviderOutcome::kThrottled, Repeat::kAlways},
                      StatusCase{500, kOurs, true, ProviderOutcome::kFailed, Repeat::kNever},
                      StatusCase{502, kOurs, true, ProviderOutcome::kFailed, Repeat::kIfRepeatable},
                      StatusCase{503, kOurs, true, ProviderOutcome::kFailed, Repeat::kAlways},
                      StatusCase{504, kOurs, true, ProviderOutcome::kTimeout, Repeat::kIfRepeatable},
                      StatusCase{529, kOurs, true, ProviderOutcome::kThrottled, Repeat::kAlways},
                      StatusCase{599, kOurs, true, ProviderOutcome::kFailed, Repeat::kNever}),
    [](const auto& row) { return "Status" + std::to_string(row.param.status); });

// A breaker counts what shows that the provider does not work, or cannot work with this configuration.
TEST(StatusFailureBlameTest, SparesTheProviderWhenTheRequestMayBeWhy) {
  for (const int status : {400, 403, 413, 415, 418, 422, 451}) {
    EXPECT_TRUE(SparesTool(FailureOf("zai", {.status = status}, kNow).error)) << status;
  }
  for (const int status : {302, 401, 402, 404, 407, 408, 429, 500, 502, 503, 504, 529, 599}) {
    EXPECT_FALSE(SparesTool(FailureOf("zai", {.status = status}, kNow).error)) << status;
  }
}

TEST(ExchangeFailureBlameTest, SparesTheProviderOnlyBeyondOurBoundOnItsAnswer) {
  using enum absl::StatusCode;
  EXPECT_TRUE(SparesTool(FailureOf("zai", absl::Status(kOutOfRange, ""), true).error));
  for (const absl::StatusCode code :
       {kUnavailable, kDeadlineExceeded, kDataLoss, kPermissionDenied, kInvalidArgument}) {
    EXPECT_FALSE(SparesTool(FailureOf("zai", absl::Status(code, ""), true).error)) << code;
  }
}

TEST(StatusFailureRetryTest, PassesOnWhenToComeBack) {
  const Failure seconds = FailureOf("zai", {.status = 429, .headers = {{"retry-after", "7"}}}, kNow);
  EXPECT_EQ(seconds.error.retry_after, absl::Seconds(7));
  const Failure date =
      FailureOf("zai", {.status = 503, .headers = {{"retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"}}}, kNow);
  EXPECT_EQ(date.error.retry_after, absl::Seconds(10));
  EXPECT_EQ(FailureOf("zai", {.status = 401, .headers = {{"retry-after", "7"}}}, kNow).error.retry_after, std::nullopt);
}

TEST(StatusFailureKeyTest, SaysThatTheKeyWasRefused) {
  EXPECT_EQ(FailureOf("zai", {.status = 401}, kNow).error.message, "zai refused the service's key (HTTP status 401)");
}

struct ExchangeCase {
  const char* name;
  absl::StatusCode status;
  bool sent;
  ErrorCode code;
  bool retryable;
  ProviderOutcome outcome;
  Repeat repeat;
};

class ExchangeFailureTest : public ::testing::TestWithParam<ExchangeCase> {};

TEST_P(ExchangeFailureTest, TellsTheCallerNoDetails) {
  const ExchangeCase& test = GetParam();
  const Failure failure = FailureOf("zai", absl::Status(test.status, "POST https://10.0.0.1: secret"), test.sent);
  EXPECT_EQ(failure.error.code, test.code);
  EXPECT_EQ(failure.error.retryable, test.retryable);
  EXPECT_EQ(failure.outcome, test.outcome);
  EXPECT_EQ(failure.repeat, test.repeat);
  EXPECT_EQ(failure.error.message.find("secret"), std::string::npos);
  EXPECT_EQ(failure.error.message.find("10.0.0.1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Exchanges, ExchangeFailureTest,
    ::testing::Values(ExchangeCase{"NoConnection", absl::StatusCode::kUnavailable, false, kOurs, true,
                                   ProviderOutcome::kFailed, Repeat::kAlways},
                      ExchangeCase{"BrokenConnection", absl::StatusCode::kUnavailable, true, kOurs, true,
                                   ProviderOutcome::kFailed, Repeat::kIfRepeatable},
                      ExchangeCase{"SlowConnection", absl::StatusCode::kDeadlineExceeded, false, ErrorCode::kTimeout,
                                   true, ProviderOutcome::kTimeout, Repeat::kAlways},
                      ExchangeCase{"SlowAnswer", absl::StatusCode::kDeadlineExceeded, true, ErrorCode::kTimeout, true,
                                   ProviderOutcome::kTimeout, Repeat::kNever},
                      ExchangeCase{"TooLarge", absl::StatusCode::kOutOfRange, true, kOurs, false,
                                   ProviderOutcome::kFailed, Repeat::kNever},
                      ExchangeCase{"NoHttp", absl::StatusCode::kDataLoss, true, kOurs, false, ProviderOutcome::kFailed,
                                   Repeat::kNever},
                      ExchangeCase{"Address", absl::StatusCode::kPermissionDenied, false, kOurs, false,
                                   ProviderOutcome::kFailed, Repeat::kNever},
                      ExchangeCase{"Request", absl::StatusCode::kInvalidArgument, false, kOurs, false,
                                   ProviderOutcome::kFailed, Repeat::kNever}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::executors::providers
