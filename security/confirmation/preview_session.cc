#include "security/confirmation/preview_session.h"

#include "security/place_left.h"

namespace toolgate::security::confirmation {

absl::Status PreviewSession::Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) {
  storage::ReadPatience patience = call_.patience();
  patience.cancellation = &cancellation_;
  return store_.Read(call_.caller.workspace_id, patience, body);
}

absl::Status PreviewSession::Checkpoint(std::string) {
  return absl::FailedPreconditionError("a preview changes nothing, and has no checkpoint");
}

absl::Status PreviewSession::CheckState(absl::FunctionRef<absl::StatusOr<std::string>()>) { return absl::OkStatus(); }

absl::StatusOr<bool> PreviewSession::Wait(fibers::Event& event, absl::Duration timeout) {
  if (event.IsSet()) return true;
  const PlaceLeft left(call_);
  return waits_.Wait(event, cancellation_, clock_.Monotonic() + timeout);
}

absl::Status PreviewSession::Output(std::string_view, std::string_view) {
  return absl::FailedPreconditionError("a preview sends no output");
}

}  // namespace toolgate::security::confirmation
