#include "services/execution/step_reversal.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/internal_tool.h"
#include "services/audit/audit_entry.h"
#include "services/execution/call_frame.h"
#include "services/execution/claim_session.h"
#include "services/execution/settlement.h"

namespace toolgate::services::execution {
namespace {

using executors::Acted;
using security::ToolCall;
using security::ToolResult;
using storage::SettledStep;

// The session of a reversal, under the claim of the automation's call. Its checkpoints are not kept: a reversal that
// was interrupted is made again from its beginning.
class ReversalSession final : public executors::EffectSession {
 public:
  ReversalSession(const Environment& environment, const ToolCall& undo, const SettledStep& step)
      : environment_(environment),
        undo_(undo),
        claim_id_(step.claim_id),
        attempt_(undo.step_of->claim_attempt),
        key_(absl::StrCat(step.audit_entry_id, "-undo")) {}

  absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    return environment_.store.Read(undo_.caller.workspace_id, undo_.patience(), body);
  }
  std::string_view key() const override { return key_; }
  std::string_view checkpoint() const override { return checkpoint_; }
  absl::Status Checkpoint(std::string state) override {
    RETURN_IF_ERROR(Hold());
    checkpoint_ = std::move(state);
    return absl::OkStatus();
  }
  // A reverser finds out by itself whether a step can be undone from what has become of it.
  absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()>) override { return absl::OkStatus(); }

  absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout) override {
    return WaitFor(environment_, undo_, event, timeout);
  }
  // The client waits for the automation, and is told only what became of it.
  absl::Status Output(std::string_view, std::string_view) override { return undo_.cancellation.Check(); }

  // Makes sure that the claim is this process's for as long as the reversal may take.
  absl::Status Hold() const {
    return environment_.store.Commit(WriteContextOf(undo_, environment_), storage::CommitMode::kDurable,
                                     undo_.cancellation, [this](storage::Transaction& tx) { return HoldIn(tx); });
  }
  absl::Status HoldIn(storage::Transaction& tx) const {
    const absl::Time end = environment_.clock.Now() + kStepReversalTime + kClaimGrace;
    ASSIGN_OR_RETURN(const bool held, ExtendClaim(tx, claim_id_, {environment_.process_id, attempt_}, end));
    return held ? absl::OkStatus() : storage::NotHeld(claim_id_);
  }

 private:
  const Environment& environment_;
  const ToolCall& undo_;
  const std::string claim_id_;
  const int64_t attempt_;
  const std::string key_;
  std::string checkpoint_;
};

// Whether the step cannot be taken back, now or later.
bool IsFinal(const absl::Status& status) {
  const std::optional<ToolError> error = GetToolError(status);
  return error.has_value() && !error->retryable && error->code != ErrorCode::kTimeout &&
         error->code != ErrorCode::kCancelled;
}

// OK when `status` is; otherwise no ToolError.
absl::Status NotNow(const absl::Status& status) {
  return GetToolError(status).has_value() ? absl::UnavailableError(status.message()) : status;
}

absl::StatusOr<Acted> Reverse(const Environment& environment, const SettledStep& step, executors::ToolContext& context,
                              ReversalSession& session) {
  if (environment.undo == nullptr || environment.undo->handlers.reverse == nullptr) {
    return MakeError(ErrorCode::kCannotUndo, "this service has no undo");
  }
  RETURN_IF_ERROR(session.Hold());
  return environment.undo->handlers.reverse(step.changes, context, session);
}

}  // namespace

absl::Status StepReversal::TakeBack(const SettledStep& step) const {
  ToolCall undo;
  FillCall(step, undo);
  executors::ToolContext context = ToolContextOf(undo, environment_);
  ReversalSession session(environment_, undo, step);
  const absl::StatusOr<Acted> acted = Reverse(environment_, step, context, session);
  const auto settle = [&] { return Settle(undo, step, acted); };
  absl::Status settled = acted.status();
  if (acted.ok()) {
    settled = SettlePrepared(*acted, settle);
  } else if (IsFinal(acted.status())) {
    settled = settle();
  }
  if (!acted.ok()) return settled.ok() ? acted.status() : NotNow(settled);
  if (settled.ok() || !IsFinal(settled)) return NotNow(settled);
  if (const absl::Status back = acted->take_back(); !back.ok()) return NotNow(back);
  if (const absl::Status audited = Settle(undo, step, settled); !audited.ok()) return NotNow(audited);
  return settled;
}

void StepReversal::FillCall(const SettledStep& step, ToolCall& undo) const {
  undo.tool = environment_.undo;
  undo.tool_id = executors::IdOf(executors::InternalTool::kUndo);
  undo.caller = parent_.caller;
  undo.request_id = parent_.request_id;
  undo.state.place = parent_.state.place;
  undo.trace = parent_.trace;
  undo.recording = parent_.recording;
  undo.arrived = environment_.clock.Now();
  undo.arrived_monotonic = environment_.clock.Monotonic();
  undo.id = environment_.ids.NewId(undo.arrived);
  undo.audit_entry_id = environment_.ids.NewId(undo.arrived);
  undo.cancellation.Reset(environment_.clock, undo.arrived_monotonic + kStepReversalTime);
  undo.step_of = security::StepOf{
      .call_id = parent_.id, .claim_id = step.claim_id, .claim_attempt = parent_.claim_attempt, .number = step.number};
  undo.SetArguments({{"auditEntryId", step.audit_entry_id}});
  undo.FreezeArguments();
}

absl::Status StepReversal::Settle(ToolCall& undo, const SettledStep& step, const absl::StatusOr<Acted>& acted) const {
  v1::AuditEntry entry;
  audit::BeginAuditEntry(undo, environment_.masker, entry);
  return environment_.store.Commit(
      WriteContextOf(undo, environment_), storage::CommitMode::kDurable, undo.cancellation,
      [&](storage::Transaction& tx) -> absl::Status {
        const ReversalSession session(environment_, undo, step);
        RETURN_IF_ERROR(session.HoldIn(tx));
        ToolResult result;
        if (acted.ok()) {
          RETURN_IF_ERROR(tx.Nested([&] { return acted->settle(tx); }, &result.changes));
          RETURN_IF_ERROR(tx.DropSettledStep(step.claim_id, step.number));
        }
        const absl::StatusOr<executors::ToolOutput> output =
            acted.ok() ? absl::StatusOr<executors::ToolOutput>(acted->output) : acted.status();
        FillResult(environment_, undo, output, result);
        audit::EndAuditEntry(undo,
                             {.result = &result,
                              .error = result.error.has_value() ? &*result.error : nullptr,
                              .time = environment_.clock.Now(),
                              .duration = environment_.clock.Monotonic() - undo.arrived_monotonic},
                             environment_.masker, entry);
        return tx.AppendAudit(entry);
      });
}

}  // namespace toolgate::services::execution
