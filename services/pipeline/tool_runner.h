// The innermost step: runs the tool, and commits what it did together with everything that must be known of it.
#ifndef TOOLGATE_SERVICES_PIPELINE_TOOL_RUNNER_H_
#define TOOLGATE_SERVICES_PIPELINE_TOOL_RUNNER_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "executors/tool.h"
#include "security/execution_tracking/result_cap.h"
#include "security/tool_call.h"
#include "services/pipeline/audit_entry.h"
#include "storage/store.h"

namespace toolgate::services::pipeline {

// A read runs on a snapshot. A tool that plans does its long work on a snapshot, too, and writes in a transaction only
// if there is something to write. A mutation runs in one transaction with its audit entry, its undo entry, its
// idempotency record and the use of its confirmation token: all of them are committed, durably, before this answers, or
// none is. A tool that fails leaves its audit entry, those of its steps and its idempotency record, and no other trace.
// A dry run is the same transaction, taken back at its end; a token that it came with was used up before. Thread-safe.
class ToolRunner {
 public:
  struct Dependencies {
    storage::Store& store;
    const Clock& clock;
    IdSource& ids;
    // What a caller may see of a failure: layer 5, the only source of such text.
    std::function<ToolError(const absl::Status&, const security::ToolCall&)> safe_error;
    AuditMask mask;
    // Layer 4's word on how much a tool may answer.
    const security::execution_tracking::ResultCap& result_cap;
    // Looks at data from outside: notes what layer 1 finds in it, and marks the conversation when that is not done yet.
    std::function<absl::Status(security::ToolCall&, security::ToolResult&)> take_in;
    // Runs a step of an automation through the whole pipeline.
    std::function<absl::StatusOr<security::ToolResult>(security::ToolCall&)> run_step;
    // Takes the entry of a step that is committed with nothing.
    std::function<absl::Status(const v1::AuditEntry&)> audit_step;
  };

  explicit ToolRunner(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}

  // A refusal (a token used meanwhile, a key reused for another call) and a failure of the store, also one that the
  // tool met while it ran, are errors; a tool that ran and failed is a result.
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call);

  // Cuts what Run or a layer further out answered to call to `max_bytes` of data. The whole is kept, if it can be and
  // is not yet, in a transaction of its own.
  void Shorten(const security::ToolCall& call, size_t max_bytes, security::ToolResult& result);

 private:
  // Without what runs other tools.
  executors::ToolContext ContextOf(const security::ToolCall& call) const;
  absl::StatusOr<security::ToolResult> RunRead(security::ToolCall& call);
  // What a tool that plans came to outside of the transaction.
  using Planned = absl::StatusOr<executors::Plan>;
  absl::StatusOr<security::ToolResult> RunPlanned(security::ToolCall& call);
  Planned MakePlan(security::ToolCall& call);
  // `planned` is null for all other tools, and for a plan that must be made inside the transaction. ABORTED, with
  // nothing done, when it is out of date.
  absl::StatusOr<security::ToolResult> RunInTransaction(security::ToolCall& call, const Planned* planned = nullptr);
  // `entry` has been begun.
  absl::Status RunTransactionBody(security::ToolCall& call, const Planned* planned, storage::Transaction& tx,
                                  v1::AuditEntry& entry, security::ToolResult& result);
  // The entries of steps that are not committed with the call that made them.
  absl::Status AuditSteps(const security::StepLedger& steps) const;
  absl::Status UseConfirmation(const security::ToolCall& call, storage::Transaction& tx);
  // In a transaction of its own, for a call whose own transaction is taken back.
  absl::Status UseConfirmationBefore(const security::ToolCall& call);
  // That the workspace still says of the call what it said when it was decided on.
  absl::Status CheckState(const security::ToolCall& call, storage::Transaction& tx);
  absl::StatusOr<std::optional<security::ToolResult>> Replay(const security::ToolCall& call, storage::Transaction& tx);
  // Fills the changes of `result` with what the tool did, where it succeeded; otherwise says there if a step failed.
  absl::StatusOr<executors::ToolOutput> InvokeInTransaction(security::ToolCall& call, const Planned* planned,
                                                            storage::Transaction& tx, security::ToolResult& result);
  absl::Status PushUndo(const security::ToolCall& call, const executors::ToolOutput& output, storage::Transaction& tx,
                        security::ToolResult& result);
  absl::StatusOr<security::ToolResult> RunStep(security::ToolCall& call);
  // Marks the conversation in `tx`, with everything else that the call does.
  absl::Status MarkConversation(security::ToolCall& call, const executors::ToolOutput& output,
                                storage::Transaction& tx) const;
  // Cuts a result that is too long.
  absl::Status Cap(const security::ToolCall& call, storage::Transaction* tx, security::ToolResult& result);
  // Keeps the whole of what is about to be cut in `tx`, or in a transaction of its own where that is null. Answers its
  // id; empty when it is too long, or when a transaction of its own fails: then the answer is good all the same, and
  // its rest cannot be had.
  absl::StatusOr<std::string> Keep(const security::ToolCall& call, storage::Transaction* tx,
                                   security::ToolResult& result);
  void Fill(const security::ToolCall& call, const absl::StatusOr<executors::ToolOutput>& output,
            security::ToolResult& result);
  void EndAudit(const security::ToolCall& call, const security::ToolResult& result, v1::AuditEntry& entry) const;

  const Dependencies dependencies_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_TOOL_RUNNER_H_
