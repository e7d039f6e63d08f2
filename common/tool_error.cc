#include "common/tool_error.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_bytes.h"
#include "toolgate/internal/v1/error.pb.h"

namespace toolgate {
namespace {

constexpr char kPayloadUrl[] = "type.googleapis.com/toolgate.internal.v1.ErrorPayload";

struct CodeRow {
  ErrorCode code;
  std::string_view name;
  absl::StatusCode status;
  bool callers_fault;
};

// In the order of the enum, so that a code is its own index.
constexpr std::array<CodeRow, 18> kCodes = {{
    {ErrorCode::kUnknownTool, "UNKNOWN_TOOL", absl::StatusCode::kNotFound, true},
    {ErrorCode::kInvalidParams, "INVALID_PARAMS", absl::StatusCode::kInvalidArgument, true},
    {ErrorCode::kMissingRequired, "MISSING_REQUIRED", absl::StatusCode::kInvalidArgument, true},
    {ErrorCode::kInjectionDetected, "INJECTION_DETECTED", absl::StatusCode::kPermissionDenied, true},
    {ErrorCode::kUnauthorized, "UNAUTHORIZED", absl::StatusCode::kUnauthenticated, true},
    {ErrorCode::kForbidden, "FORBIDDEN", absl::StatusCode::kPermissionDenied, true},
    {ErrorCode::kRateLimited, "RATE_LIMITED", absl::StatusCode::kResourceExhausted, true},
    {ErrorCode::kQuotaExceeded, "QUOTA_EXCEEDED", absl::StatusCode::kResourceExhausted, true},
    {ErrorCode::kCircuitOpen, "CIRCUIT_OPEN", absl::StatusCode::kUnavailable, true},
    {ErrorCode::kOverloaded, "OVERLOADED", absl::StatusCode::kUnavailable, true},
    {ErrorCode::kTimeout, "TIMEOUT", absl::StatusCode::kDeadlineExceeded, false},
    {ErrorCode::kCancelled, "CANCELLED", absl::StatusCode::kCancelled, true},
    {ErrorCode::kNotConfigured, "NOT_CONFIGURED", absl::StatusCode::kFailedPrecondition, true},
    {ErrorCode::kNotFound, "NOT_FOUND", absl::StatusCode::kNotFound, true},
    {ErrorCode::kConflict, "CONFLICT", absl::StatusCode::kAborted, true},
    {ErrorCode::kExecutionError, "EXECUTION_ERROR", absl::StatusCode::kInternal, false},
    {ErrorCode::kNothingToUndo, "NOTHING_TO_UNDO", absl::StatusCode::kFailedPrecondition, true},
    {ErrorCode::kCannotUndo, "CANNOT_UNDO", absl::StatusCode::kFailedPrecondition, true},
}};

const CodeRow& RowOf(ErrorCode code) { return kCodes[static_cast<size_t>(code)]; }

}  // namespace

std::string_view ErrorCodeName(ErrorCode code) { return RowOf(code).name; }

std::optional<ErrorCode> ErrorCodeFromName(std::string_view name) {
  const auto row = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow& r) { return r.name == name; });
  if (row == kCodes.end()) return std::nullopt;
  return row->code;
}

absl::StatusCode StatusCodeFor(ErrorCode code) { return RowOf(code).status; }

bool IsCallersFault(ErrorCode code) { return RowOf(code).callers_fault; }

absl::Status ToStatus(const ToolError& error) {
  absl::Status status(error.refused_as.value_or(StatusCodeFor(error.code)),
                      absl::StrCat(ToAbsl(ErrorCodeName(error.code)), ": ", error.message));
  // An error too long to ride along (2 GiB) becomes an unknown failure, which the operator still reads.
  if (const absl::StatusOr<std::string> payload = SerializeProto(ToPayload(error)); payload.ok()) {
    status.SetPayload(kPayloadUrl, absl::Cord(*payload));
  }
  return status;
}

absl::Status MakeError(ErrorCode code, std::string_view message) {
  ToolError error;
  error.code = code;
  error.message = message;
  error.retryable = code == ErrorCode::kTimeout || code == ErrorCode::kOverloaded || code == ErrorCode::kCircuitOpen ||
                    code == ErrorCode::kRateLimited;
  return ToStatus(error);
}

absl::Status BlameRequest(const absl::Status& status) {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status;
  error->blame = Blame::kRequest;
  return ToStatus(*error);
}

std::optional<ToolError> GetToolError(const absl::Status& status) {
  const absl::optional<absl::Cord> bytes = status.GetPayload(kPayloadUrl);
  internal::v1::ErrorPayload payload;
  if (!bytes.has_value() || !ParseProto(std::string(*bytes), payload).ok()) return std::nullopt;
  return FromPayload(payload);
}

internal::v1::ErrorPayload ToPayload(const ToolError& error) {
  internal::v1::ErrorPayload payload;
  payload.set_code(static_cast<int>(error.code));
  payload.set_message(error.message);
  payload.set_retryable(error.retryable);
  if (error.retry_after.has_value()) payload.set_retry_after_nanos(absl::ToInt64Nanoseconds(*error.retry_after));
  for (const Violation& violation : error.violations) {
    auto* row = payload.add_violations();
    row->set_path(violation.path);
    row->set_rule(violation.rule);
    row->set_expected(violation.expected);
    row->set_found(violation.found);
  }
  for (const auto& [name, value] : error.facts) {
    auto* row = payload.add_facts();
    row->set_name(name);
    row->set_value(value);
  }
  if (error.refused_as.has_value()) payload.set_refused_as(static_cast<int>(*error.refused_as));
  payload.set_blames_request(error.blame == Blame::kRequest);
  return payload;
}

ToolError FromPayload(const internal::v1::ErrorPayload& payload) {
  ToolError error;
  error.code = static_cast<ErrorCode>(payload.code());
  error.message = payload.message();
  error.retryable = payload.retryable();
  if (payload.has_retry_after_nanos()) error.retry_after = absl::Nanoseconds(payload.retry_after_nanos());
  if (payload.has_refused_as()) error.refused_as = static_cast<absl::StatusCode>(payload.refused_as());
  if (payload.blames_request()) error.blame = Blame::kRequest;
  for (const auto& row : payload.violations()) {
    error.violations.push_back({row.path(), row.rule(), row.expected(), row.found()});
  }
  for (const auto& row : payload.facts()) error.facts.emplace_back(row.name(), row.value());
  return error;
}

}  // namespace toolgate
