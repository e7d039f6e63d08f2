#include "executors/models/answer_error.h"

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "common/json.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

struct ReportCase {
  const char* name;
  const char* json;
  const char* words;
  bool retryable;
};

void PrintTo(const ReportCase& row, std::ostream* out) { *out << row.name; }

constexpr char kThrottled[] = "it gets too many requests";
constexpr char kOverloaded[] = "it is overloaded";
constexpr char kFailed[] = "it failed";
constexpr char kRefused[] = "it refused the request";
constexpr char kTooLong[] = "the conversation is too long for it";
constexpr char kNoCredit[] = "its account has no credit left";

class ReportedErrorTest : public ::testing::TestWithParam<ReportCase> {};

TEST_P(ReportedErrorTest, IsToldInOurWords) {
  const auto json = ParseJson(GetParam().json);
  ASSERT_TRUE(json.ok()) << json.status();
  const std::optional<ToolError> error = GetToolError(ReportedError(*json));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->message, "The model service reports an error: " + std::string(GetParam().words) + ".");
  EXPECT_EQ(error->retryable, GetParam().retryable);
  EXPECT_TRUE(error->facts.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Services, ReportedErrorTest,
    ::testing::Values(
        ReportCase{"OpenAiThrottles", R"({"type":"tokens","code":"rate_limit_exceeded","message":"SECRET"})",
                   kThrottled, true},
        ReportCase{"OpenAiHasNoCredit", R"({"type":"insufficient_quota","code":"insufficient_quota"})", kNoCredit,
                   false},
        ReportCase{"OpenAiFails", R"({"type":"server_error","code":null,"message":"SECRET"})", kFailed, true},
        ReportCase{"OpenAiRefuses", R"({"type":"invalid_request_error","code":"model_not_found"})", kRefused, false},
        ReportCase{"OpenAiFindsItTooLong", R"({"type":"invalid_request_error","code":"context_length_exceeded"})",
                   kTooLong, false},
        ReportCase{"AnthropicThrottles", R"({"type":"rate_limit_error","message":"SECRET"})", kThrottled, true},
        ReportCase{"AnthropicIsOverloaded", R"({"type":"overloaded_error"})", kOverloaded, true},
        ReportCase{"AnthropicFails", R"({"type":"api_error"})", kFailed, true},
        ReportCase{"AnthropicIsTooSlow", R"({"type":"timeout_error"})", kFailed, true},
        ReportCase{"AnthropicFindsItTooLong", R"({"type":"request_too_large"})", kTooLong, false},
        ReportCase{"AnthropicHasNoCredit", R"({"type":"billing_error"})", kNoCredit, false},
        ReportCase{"AnthropicDoesNotKnowTheKey", R"({"type":"authentication_error"})", kRefused, false},
        ReportCase{"GoogleThrottles", R"({"code":429,"status":"RESOURCE_EXHAUSTED","message":"SECRET"})", kThrottled,
                   true},
        ReportCase{"GoogleIsOverloaded", R"({"code":503,"status":"UNAVAILABLE"})", kOverloaded, true},
        ReportCase{"GoogleFails", R"({"code":500,"status":"INTERNAL"})", kFailed, true},
        ReportCase{"GoogleRefuses", R"({"code":400,"status":"INVALID_ARGUMENT"})", kRefused, false},
        ReportCase{"GoogleHasAStatusAlone", R"({"status":"DEADLINE_EXCEEDED"})", kFailed, true},
        ReportCase{"ZaiThrottles", R"({"code":"1302","message":"SECRET"})", kThrottled, true},
        ReportCase{"ZaiHasNoCredit", R"({"code":"1113"})", kNoCredit, false},
        ReportCase{"ZaiFindsItTooLong", R"({"code":"1261"})", kTooLong, false}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(HttpStatuses, ReportedErrorTest,
                         ::testing::Values(ReportCase{"BadRequest", R"({"code":400})", kRefused, false},
                                           ReportCase{"PaymentRequired", R"({"code":402})", kNoCredit, false},
                                           ReportCase{"RequestTimeout", R"({"code":408})", kFailed, true},
                                           ReportCase{"ContentTooLarge", R"({"code":413})", kTooLong, false},
                                           ReportCase{"TooManyRequests", R"({"code":429})", kThrottled, true},
                                           ReportCase{"LastOfTheCallers", R"({"code":499})", kRefused, false},
                                           ReportCase{"InternalServerError", R"({"code":500})", kFailed, true},
                                           ReportCase{"ServiceUnavailable", R"({"code":503})", kOverloaded, true},
                                           ReportCase{"Overloaded", R"({"code":529})", kOverloaded, true},
                                           ReportCase{"AsText", R"({"code":"413"})", kTooLong, false},
                                           ReportCase{"InAnotherMember", R"({"status":402})", kNoCredit, false}),
                         [](const auto& info) { return info.param.name; });

// An unknown error is a failure of the service, which a repeat may mend.
INSTANTIATE_TEST_SUITE_P(
    Unknown, ReportedErrorTest,
    ::testing::Values(ReportCase{"NoMembers", "{}", kFailed, true},
                      ReportCase{"NewName", R"({"code":"SECRET","status":"SECRET","type":"SECRET"})", kFailed, true},
                      ReportCase{"NoErrorStatus", R"({"code":200})", kFailed, true},
                      ReportCase{"BeyondTheStatuses", R"({"code":600})", kFailed, true},
                      ReportCase{"AnotherCase", R"({"type":"Rate_Limit_Error"})", kFailed, true},
                      ReportCase{"OtherTypes", R"({"code":[429],"status":{"a":1},"type":true})", kFailed, true},
                      ReportCase{"Text", R"("SECRET")", kFailed, true}, ReportCase{"Null", "null", kFailed, true},
                      ReportCase{"List", R"([{"code":429}])", kFailed, true},
                      ReportCase{"UnknownCodeAndKnownType", R"({"code":"new","type":"permission_error"})", kRefused,
                                 false}),
    [](const auto& info) { return info.param.name; });

bool Spares(const absl::Status& status) { return SparesTool(GetToolError(status).value_or(ToolError())); }

TEST(AnswerErrorTest, SparesTheServiceWhenTheContentIsWhy) {
  EXPECT_TRUE(Spares(UnwantedAnswer("it is empty")));
  EXPECT_TRUE(Spares(HopelessAnswer("it is too long")));
  EXPECT_FALSE(Spares(UnusableAnswer("it is no JSON")));
}

TEST(AnswerErrorTest, SparesTheServiceWhenItRefusesTheRequest) {
  for (const char* json :
       {R"({"code":400})", R"({"code":403})", R"({"code":"413"})", R"({"type":"invalid_request_error"})",
        R"({"type":"permission_error"})", R"({"code":"content_policy_violation","type":"invalid_request_error"})",
        R"({"code":"context_length_exceeded"})", R"({"code":"1301"})", R"({"status":"INVALID_ARGUMENT"})"}) {
    EXPECT_TRUE(Spares(ReportedError(ParseJson(json).value()))) << json;
  }
  for (const char* json :
       {"{}", R"({"code":401})", R"({"code":402})", R"({"code":404})", R"({"code":429})", R"({"code":500})",
        R"({"type":"authentication_error"})", R"({"code":"model_not_found","type":"invalid_request_error"})",
        R"({"type":"overloaded_error"})", R"({"status":"UNAUTHENTICATED"})", R"({"code":"1302"})"}) {
    EXPECT_FALSE(Spares(ReportedError(ParseJson(json).value()))) << json;
  }
}

TEST(AnswerErrorTest, SaysWhetherARepeatMayMendIt) {
  const std::optional<ToolError> unusable = GetToolError(UnusableAnswer("it is cut off"));
  ASSERT_TRUE(unusable.has_value());
  EXPECT_EQ(unusable->code, ErrorCode::kExecutionError);
  EXPECT_EQ(unusable->message, "The model's answer cannot be used: it is cut off.");
  EXPECT_TRUE(unusable->retryable);
  const std::optional<ToolError> hopeless = GetToolError(HopelessAnswer("it is too long"));
  ASSERT_TRUE(hopeless.has_value());
  EXPECT_EQ(hopeless->code, ErrorCode::kExecutionError);
  EXPECT_EQ(hopeless->message, "The model's answer cannot be used: it is too long.");
  EXPECT_FALSE(hopeless->retryable);
}

}  // namespace
}  // namespace toolgate::executors::models
