#include "services/execution/kept_results.h"

#include <utility>

#include "common/status_macros.h"
#include "security/execution_tracking/result_cap.h"

namespace toolgate::services::execution {

using security::execution_tracking::ResultCap;

absl::Status KeptResults::Cap(const security::ToolCall& call, storage::Transaction* tx,
                              security::ToolResult& result) const {
  // Later steps look into it, and the automation's own answer is cut.
  if (call.is_step() || !environment_.result_cap.Exceeds(result)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string kept_id, Keep(call, tx, result));
  environment_.result_cap.Cut(result, kept_id);
  return absl::OkStatus();
}

void KeptResults::Shorten(const security::ToolCall& call, size_t max_bytes, security::ToolResult& result) const {
  if (result.truncated) return ResultCap::CutFurtherTo(max_bytes, result);
  ResultCap::CutTo(max_bytes, Keep(call, nullptr, result).value_or(""), result);
}

absl::StatusOr<std::string> KeptResults::Keep(const security::ToolCall& call, storage::Transaction* tx,
                                              security::ToolResult& result) const {
  if (static_cast<int64_t>(result.data_json.size()) > storage::kMaxKeptBytes) return "";
  const absl::Time now = environment_.clock.Now();
  storage::KeptResult kept{environment_.ids.NewId(now), call.caller.user_id, call.tool->definition.id,
                           std::move(result.data_json), result.untrusted,    now};
  absl::Status status;
  if (tx != nullptr) {
    status = tx->KeepResult(kept);
  } else {
    status =
        environment_.store.Commit(WriteContextOf(call, environment_), storage::CommitMode::kDurable, call.cancellation,
                                  [&](storage::Transaction& own) { return own.KeepResult(kept); });
  }
  result.data_json = std::move(kept.data_json);
  if (status.ok()) return std::move(kept.id);
  if (tx != nullptr) return status;
  return "";
}

}  // namespace toolgate::services::execution
