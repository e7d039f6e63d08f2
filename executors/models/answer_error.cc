#include "executors/models/answer_error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
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

struct FailureWords {
  std::string_view words;  // In lower case.
  Failure failure;
};

// Words of messages, where neither type nor code tells. The first row that fits counts.
constexpr auto kFailureWords = std::to_array<FailureWords>({
    {"context length", Failure::kTooLong},         {"context window", Failure::kTooLong},
    {"context size", Failure::kTooLong},           {"maximum context", Failure::kTooLong},
    {"prompt is too long", Failure::kTooLong},     {"too many tokens", Failure::kTooLong},
    {"insufficient balance", Failure::kNoCredit},  {"insufficient credit", Failure::kNoCredit},
    {"insufficient quota", Failure::kNoCredit},    {"exceeded your current quota", Failure::kNoCredit},
    {"rate limit", Failure::kThrottled},           {"too many requests", Failure::kThrottled},
    {"overloaded", Failure::kOverloaded},          {"at capacity", Failure::kOverloaded},
    {"service unavailable", Failure::kOverloaded}, {"api key", Failure::kRefusedAccess},
    {"unauthorized", Failure::kRefusedAccess},     {"model not found", Failure::kRefusedAccess},
    {"no such model", Failure::kRefusedAccess},
});

std::optional<Failure> FailureInWords(std::string_view message) {
  constexpr size_t kMaxRead = 1024;
  const std::string text = absl::AsciiStrToLower(ToAbsl(message.substr(0, kMaxRead)));
  for (const FailureWords& row : kFailureWords) {
    if (absl::StrContains(text, ToAbsl(row.words))) return row.failure;
  }
  return std::nullopt;
}

// A code, type or status as text; some services write numbers. Empty if there is none.
std::string NameMember(const Json& error, std::string_view member) {
  if (const std::string_view text = TextMember(error, member); !text.empty()) return std::string(text);
  const int64_t number = CountMember(error, member);
  return number > 0 ? absl::StrCat(number) : "";
}

constexpr auto kNameMembers = std::to_array<std::string_view>({"code", "error_code", "status_code", "status", "type"});
constexpr auto kMessageMembers =
    std::to_array<std::string_view>({"message", "msg", "error_msg", "error_message", "status_msg", "detail"});

// `code` is the most precise where there is one: "context_length_exceeded" has the type "invalid_request_error".
Failure FailureOf(const Json& error) {
  for (const std::string_view member : kNameMembers) {
    if (const auto failure = FailureNamed(NameMember(error, member)); failure.has_value()) return *failure;
  }
  if (error.is_string()) return FailureInWords(error.get_ref<const std::string&>()).value_or(Failure::kFailed);
  for (const std::string_view member : kMessageMembers) {
    if (const auto failure = FailureInWords(TextMember(error, member)); failure.has_value()) return *failure;
  }
  return Failure::kFailed;
}

bool HasAnyText(const Json& value, absl::Span<const std::string_view> members) {
  return std::any_of(members.begin(), members.end(),
                     [&](std::string_view member) { return !TextMember(value, member).empty(); });
}

// Whether `body`, which has no member for an error, is one itself.
bool IsError(const Json& body) {
  if (!body.is_object()) return false;
  if (TextMember(body, "object") == "error" || TextMember(body, "type") == "error") return true;
  for (const char* member : {"choices", "candidates", "content", "usage", "usageMetadata", "delta", "message"}) {
    if (const Json* value = FindMember(body, member); value != nullptr && !value->is_string()) return false;
  }
  if (FindMember(body, "detail") != nullptr) return true;  // FastAPI, which many servers are built with.
  return HasAnyText(body, kMessageMembers);
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

absl::Status ErrorInBody(const Json& body) {
  if (body.is_array() && !body.empty()) return ErrorInBody(body.front());  // Gemini's, where a stream was asked for.
  if (const Json* error = FindMember(body, "error"); error != nullptr) {
    // The code may be beside the words.
    if (error->is_string() && !error->get_ref<const std::string&>().empty()) {
      Json whole = body;
      whole["message"] = *error;
      return ReportedError(whole);
    }
    if (error->is_object()) return ReportedError(*error);
  }
  if (const Json& errors = ArrayMember(body, "errors"); !errors.empty()) return ReportedError(errors.front());
  // MiniMax: a status of 0 is part of every answer.
  if (const Json* status = FindMember(body, "base_resp");
      status != nullptr && CountMember(*status, "status_code") > 0) {
    return ReportedError(*status);
  }
  return IsError(body) ? ReportedError(body) : absl::OkStatus();
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
