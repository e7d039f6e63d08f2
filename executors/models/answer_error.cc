#include "executors/models/answer_error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"
#include "executors/models/wire_json.h"

namespace toolgate::executors::models {
namespace {

// A refusal of the key or the model is the configuration's, any other is about the request.
enum class Failure { kThrottled, kOverloaded, kFailed, kRefused, kRefusedAccess, kTooLong, kNoCredit };

struct FailureName {
  std::string_view name;
  Failure failure;
};

// Types, codes and statuses of OpenAI, Anthropic, Google and Z.ai.
constexpr auto kFailureNames = std::to_array<FailureName>({
    {"rate_limit_error", Failure::kThrottled},
    {"rate_limit_exceeded", Failure::kThrottled},
    {"RESOURCE_EXHAUSTED", Failure::kThrottled},
    {"1302", Failure::kThrottled},
    {"1303", Failure::kThrottled},
    {"1304", Failure::kThrottled},
    {"1305", Failure::kThrottled},
    {"overloaded_error", Failure::kOverloaded},
    {"engine_overloaded", Failure::kOverloaded},
    {"UNAVAILABLE", Failure::kOverloaded},
    {"api_error", Failure::kFailed},
    {"server_error", Failure::kFailed},
    {"timeout_error", Failure::kFailed},
    {"INTERNAL", Failure::kFailed},
    {"DEADLINE_EXCEEDED", Failure::kFailed},
    {"context_length_exceeded", Failure::kTooLong},
    {"request_too_large", Failure::kTooLong},
    {"1261", Failure::kTooLong},
    {"insufficient_quota", Failure::kNoCredit},
    {"billing_error", Failure::kNoCredit},
    {"1113", Failure::kNoCredit},
    {"invalid_request_error", Failure::kRefused},
    {"content_filter", Failure::kRefused},
    {"content_policy_violation", Failure::kRefused},
    {"moderation_blocked", Failure::kRefused},
    {"1301", Failure::kRefused},
    {"authentication_error", Failure::kRefusedAccess},
    {"permission_error", Failure::kRefused},
    {"not_found_error", Failure::kRefusedAccess},
    {"model_not_found", Failure::kRefusedAccess},
    {"invalid_api_key", Failure::kRefusedAccess},
    {"INVALID_ARGUMENT", Failure::kRefused},
    {"FAILED_PRECONDITION", Failure::kRefused},
    {"PERMISSION_DENIED", Failure::kRefused},
    {"UNAUTHENTICATED", Failure::kRefusedAccess},
    {"NOT_FOUND", Failure::kRefusedAccess},
});

std::optional<Failure> FailureOfHttpStatus(int64_t status) {
  if (status == 401 || status == 404) return Failure::kRefusedAccess;
  if (status == 402) return Failure::kNoCredit;
  if (status == 408) return Failure::kFailed;
  if (status == 413) return Failure::kTooLong;
  if (status == 429) return Failure::kThrottled;
  if (status == 503 || status == 529) return Failure::kOverloaded;
  if (status >= 500 && status < 600) return Failure::kFailed;
  if (status >= 400 && status < 500) return Failure::kRefused;
  return std::nullopt;
}

std::optional<Failure> FailureNamed(std::string_view name) {
  for (const FailureName& row : kFailureNames) {
    if (row.name == name) return row.failure;
  }
  int64_t status = 0;
  return absl::SimpleAtoi(ToAbsl(name), &status) ? FailureOfHttpStatus(status) : std::nullopt;
}

// `code` is the most precise where there is one: "context_length_exceeded" has the type "invalid_request_error".
Failure FailureOf(const Json& error) {
  for (const char* member : {"code", "status", "type"}) {
    if (const auto failure = FailureNamed(TextMember(error, member)); failure.has_value()) return *failure;
    if (const auto failure = FailureOfHttpStatus(CountMember(error, member)); failure.has_value()) return *failure;
  }
  return Failure::kFailed;
}

std::string_view Describe(Failure failure) {
  switch (failure) {
    case Failure::kThrottled:
      return "it gets too many requests";
    case Failure::kOverloaded:
      return "it is overloaded";
    case Failure::kFailed:
      return "it failed";
    case Failure::kRefused:
    case Failure::kRefusedAccess:
      return "it refused the request";
    case Failure::kTooLong:
      return "the conversation is too long for it";
    case Failure::kNoCredit:
      return "its account has no credit left";
  }
  return "it failed";
}

absl::Status ExecutionError(std::string message, bool retryable) {
  ToolError error;
  error.message = std::move(message);
  error.retryable = retryable;
  return ToStatus(error);
}

}  // namespace

absl::Status UnusableAnswer(std::string_view problem) {
  return ExecutionError(absl::StrCat("The model's answer cannot be used: ", ToAbsl(problem), "."), true);
}

absl::Status UnwantedAnswer(std::string_view problem) { return BlameRequest(UnusableAnswer(problem)); }

absl::Status HopelessAnswer(std::string_view problem) {
  return BlameRequest(ExecutionError(absl::StrCat("The model's answer cannot be used: ", ToAbsl(problem), "."), false));
}

absl::Status ReportedError(const Json& error) {
  const Failure failure = FailureOf(error);
  const bool retryable =
      failure == Failure::kThrottled || failure == Failure::kOverloaded || failure == Failure::kFailed;
  absl::Status status =
      ExecutionError(absl::StrCat("The model service reports an error: ", ToAbsl(Describe(failure)), "."), retryable);
  return failure == Failure::kRefused || failure == Failure::kTooLong ? BlameRequest(status) : status;
}

}  // namespace toolgate::executors::models
