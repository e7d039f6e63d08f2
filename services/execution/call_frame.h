// Everything that must be known of a call, committed with what its tool did.
#ifndef TOOLGATE_SERVICES_EXECUTION_CALL_FRAME_H_
#define TOOLGATE_SERVICES_EXECUTION_CALL_FRAME_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/step_ledger.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "services/execution/kept_results.h"
#include "storage/store.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::execution {

// The beginning and the end of a call's transaction; the tool runs in between, or between the one transaction that
// claims an effect and the other that settles it. Borrows everything; thread-safe.
class CallFrame {
 public:
  CallFrame(const Environment& environment, const KeptResults& kept_results)
      : environment_(environment), kept_results_(kept_results) {}

  // Whether CheckState comes with Open. It does not when a plan was made of the state that was checked: the plan's
  // commit finds out when that has changed since.
  enum class State { kToBeChecked, kWasChecked };

  // Answers the stored outcome of a call whose key is known: then nothing else must happen in `tx`. Otherwise holds the
  // key, checks that the workspace is as it was when the call was decided on, and uses up the call's confirmation,
  // unless it is a dry run, whose confirmation was used before (UseConfirmationBefore).
  absl::StatusOr<std::optional<security::ToolResult>> Open(security::ToolCall& call, storage::Transaction& tx,
                                                           State state = State::kToBeChecked) const;

  // CONFLICT when the workspace is not as it was when the call was decided on. Nothing is known here of the state of an
  // effect, which its handler compares (EffectSession::CheckState).
  absl::Status CheckState(const security::ToolCall& call, storage::ReadView& view) const;

  // Fills `result` from `output` and from `result.changes`, what the tool changed in `tx`; then writes the mark of the
  // conversation, the undo entry (a step that settles by itself is noted instead for that of its automation), the whole
  // of a result that must be cut, the outcome under the call's key, and the audit entries of the call (`entry`, which
  // was begun) and of its steps. A dry run writes only what shows in its answer. Untrusted text is not scanned here:
  // its findings are those of `steps`, from whose texts it may be missing.
  absl::Status Close(security::ToolCall& call, const absl::StatusOr<executors::ToolOutput>& output,
                     security::StepLedger& steps, storage::Transaction& tx, v1::AuditEntry& entry,
                     security::ToolResult& result) const;

  // Uses up the confirmation of a dry run in a transaction of its own, since the dry run's is taken back.
  absl::Status UseConfirmationBefore(const security::ToolCall& call) const;

 private:
  absl::Status UseConfirmation(const security::ToolCall& call, storage::Transaction& tx) const;
  // Notes what a step did that settles by itself, for the undo entry of its automation. Lends and returns the changes.
  absl::Status PutSettledStep(const security::ToolCall& call, const executors::ToolOutput& output,
                              storage::Transaction& tx, security::ToolResult& result) const;
  absl::Status PushUndo(const security::ToolCall& call, const executors::ToolOutput& output, storage::Transaction& tx,
                        security::ToolResult& result) const;
  absl::Status WriteAudit(const security::ToolCall& call, const security::ToolResult& result,
                          const security::StepLedger& steps, storage::Transaction& tx, v1::AuditEntry& entry) const;

  const Environment& environment_;
  const KeptResults& kept_results_;
};

// OK when the digest of the `present` state is that of the `approved` one; CONFLICT otherwise, and when the present one
// could not be seen for a ToolError. Any other error is passed on, and so are CANCELLED and TIMEOUT.
absl::Status CompareState(const absl::StatusOr<std::string>& present, std::string_view approved);

// The call's outcome is stored under its key.
bool IsKeyed(const security::ToolCall& call);

// The call writes something even when its tool does not: an outcome, or the use of a confirmation.
bool NeedsCommit(const security::ToolCall& call);

// Fills in what `output` says. Layer 5 words the error.
void FillResult(const Environment& environment, const security::ToolCall& call,
                const absl::StatusOr<executors::ToolOutput>& output, security::ToolResult& result);

// Marks the conversation in `tx` when the output came from outside, else notes in the call whether it is marked.
absl::Status MarkConversation(security::ToolCall& call, const executors::ToolOutput& output, storage::Transaction& tx);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_CALL_FRAME_H_
