#include "security/spent_confirmation.h"

#include "common/tool_error.h"

namespace toolgate::security {

absl::Status SpentConfirmation(std::string_view message) {
  ToolError error;
  error.code = ErrorCode::kCancelled;
  error.message = message;
  error.refused_as = absl::StatusCode::kFailedPrecondition;
  return ToStatus(error);
}

absl::Status CheckUnspent(storage::Confirmation::State state) {
  using State = storage::Confirmation::State;
  if (state == State::kDenied) return SpentConfirmation("a person denied this call");
  if (state == State::kUsed) {
    return SpentConfirmation(
        "this confirmation was used: the call that it approved runs, or has run, and the audit log shows what it came "
        "to; look there before you send it again, which would run it once more");
  }
  return absl::OkStatus();
}

}  // namespace toolgate::security
