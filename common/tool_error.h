// The failures that a caller of a tool can meet, and how they travel inside an absl::Status.
//
// A failure is an absl::Status whose payload holds a ToolError. A Status without that payload is an unknown failure:
// its message is for the operator, and only security/safe_errors decides what the caller sees of it.
#ifndef TOOLGATE_COMMON_TOOL_ERROR_H_
#define TOOLGATE_COMMON_TOOL_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace toolgate::internal::v1 {
class ErrorPayload;
}  // namespace toolgate::internal::v1

namespace toolgate {

// The names on the wire are those of the API: INVALID_PARAMS and so on.
enum class ErrorCode {
  kUnknownTool,
  kInvalidParams,
  kMissingRequired,
  kInjectionDetected,
  kUnauthorized,
  kForbidden,
  kRateLimited,
  kQuotaExceeded,
  kCircuitOpen,
  kOverloaded,
  kTimeout,
  kCancelled,
  kNotConfigured,
  kNotFound,
  kConflict,
  kExecutionError,
  kNothingToUndo,
  kCannotUndo,
};

// One thing that is wrong with the arguments.
struct Violation {
  std::string path;      // JSON pointer into the arguments; "" is the whole.
  std::string rule;      // The schema keyword or guard, for example "type", "required", "additionalProperties".
  std::string expected;  // Description of a valid value, for people.
  std::string found;     // Kind of the value found, never the value, for example "string of 12 characters".
};

// The party that a failure says something about, where its code does not tell.
enum class Blame : uint8_t {
  kByCode,   // As IsCallersFault has it: the caller, or the tool and the provider behind it.
  kRequest,  // This request: a check or bound of ours refused what came of it, or the provider declined it. The tool
             // and its provider work.
};

struct ToolError {
  ErrorCode code = ErrorCode::kExecutionError;
  std::string message;
  std::vector<Violation> violations;                       // For kInvalidParams and kMissingRequired.
  std::vector<std::pair<std::string, std::string>> facts;  // Further details by name, for example {"blockId", "…"}.
  bool retryable = false;
  Blame blame = Blame::kByCode;  // Set where the failure arises. Not shown to callers.
  std::optional<absl::Duration> retry_after;
  // Overrides StatusCodeFor where one code is refused in two ways: CANCELLED is FAILED_PRECONDITION when a person
  // denied the call, and CANCELLED when its client left.
  std::optional<absl::StatusCode> refused_as;
};

// "INVALID_PARAMS" and so on.
std::string_view ErrorCodeName(ErrorCode code);
std::optional<ErrorCode> ErrorCodeFromName(std::string_view name);

// The gRPC status code under which a call that fails with `code` before its tool ran is refused.
absl::StatusCode StatusCodeFor(ErrorCode code);

// True for faults of the caller (invalid, not found, forbidden, cancelled, conflict …), which never count against a
// tool's circuit breaker.
bool IsCallersFault(ErrorCode code);
// The same with the mark of the failure itself.
inline bool SparesTool(const ToolError& error) { return error.blame == Blame::kRequest || IsCallersFault(error.code); }

// A Status that carries `error`; the status message is "<CODE>: <message>".
absl::Status ToStatus(const ToolError& error);
absl::Status MakeError(ErrorCode code, std::string_view message);

// `status`, with Blame::kRequest in the error that it carries. Others stay as they are.
absl::Status BlameRequest(const absl::Status& status);

// The carried error, or nothing for OK and for an unknown failure.
std::optional<ToolError> GetToolError(const absl::Status& status);

// The form in which an error rides in a Status and is stored: every field, so that reading it back gives the same.
internal::v1::ErrorPayload ToPayload(const ToolError& error);
ToolError FromPayload(const internal::v1::ErrorPayload& payload);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_TOOL_ERROR_H_
