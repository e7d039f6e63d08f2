#include "common/cancellation.h"

#include "common/tool_error.h"

namespace toolgate {

absl::Status Cancellation::Check() const {
  if (cancelled()) return MakeError(ErrorCode::kCancelled, "the client left before the call was done");
  if (clock_ != nullptr && clock_->Monotonic() >= deadline_) {
    return MakeError(ErrorCode::kTimeout, "the call's deadline passed before it was done");
  }
  return absl::OkStatus();
}

}  // namespace toolgate
