#include "storage/journal.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"

namespace toolgate::storage {
namespace {

// A repeat that arrives while the first call runs need not wait until its claim ends: most calls end long before.
constexpr absl::Duration kMaxRetryDelay = absl::Seconds(2);

}  // namespace

absl::Status KeyIsHeld(const Claim& running, absl::Time now) {
  ToolError error;
  error.code = ErrorCode::kConflict;
  error.message = "a call with this idempotency key is still running; repeat it to be answered its outcome";
  error.retryable = true;
  error.retry_after = std::clamp(running.good_until - now, absl::Milliseconds(100), kMaxRetryDelay);
  error.refused_as = absl::StatusCode::kAborted;
  return ToStatus(error);
}

absl::Status NotHeld(std::string_view claim_id) {
  return absl::AbortedError(
      absl::StrCat("the claim ", ToAbsl(claim_id), " ran out, and another process has taken it over"));
}

}  // namespace toolgate::storage
