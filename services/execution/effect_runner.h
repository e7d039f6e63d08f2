// Tools that act outside of the store.
#ifndef TOOLGATE_SERVICES_EXECUTION_EFFECT_RUNNER_H_
#define TOOLGATE_SERVICES_EXECUTION_EFFECT_RUNNER_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/tool_call.h"
#include "services/execution/call_frame.h"
#include "services/execution/environment.h"
#include "services/execution/read_runner.h"
#include "services/execution/running_claims.h"

namespace toolgate::services::execution {

// Runs an effect in three parts, a crash between any two of which is an ordinary case:
//
//   claim   one commit: the idempotency key is held as running, the confirmation is used up, a row of the journal says
//   who
//           runs what and until when the claim is good
//   act     the handler, which holds nothing of the store
//   settle  one commit: what changes in the workspace, undo entry, audit entry, outcome; the row goes
//
// Recovery (recovery.h) resolves what a crash left open. A dry run, and a read-only tool's call that has neither key
// nor confirmation, only act. Borrows everything; thread-safe.
class EffectRunner {
 public:
  EffectRunner(const Environment& environment, const CallFrame& frame, const ReadRunner& reads, RunningClaims& running)
      : environment_(environment), frame_(frame), reads_(reads), running_(running) {}

  // Runs one call. If the effect could not be settled, the call is refused, and its outcome is known once recovery has
  // settled it.
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, const executors::EffectHandler& handler) const;

  // The outcome of a claimed call.
  struct Ending {
    absl::StatusOr<executors::Acted> acted;
    security::FailureCause cause = security::FailureCause::kTool;  // When it failed.
    std::string_view recovery = {};                                // For the audit entry; empty without one.
    bool is_known = true;                                          // False: nobody can tell whether it took effect.
  };
  // Settles the claim of `call`, which this process owns, as the handler or the recoverer ended. The changes of its
  // settled steps become its own. ABORTED when another process has taken the claim over.
  absl::Status Settle(security::ToolCall& call, Ending ending, security::ToolResult& result) const;

 private:
  absl::StatusOr<security::ToolResult> RunUnclaimed(security::ToolCall& call,
                                                    const executors::EffectHandler& handler) const;
  // Shows what the settlement of a dry run would write.
  absl::Status Rehearse(security::ToolCall& call, const executors::Acted& acted, security::ToolResult& result) const;
  // Answers the stored outcome when the call's key is known.
  absl::StatusOr<std::optional<security::ToolResult>> Claim(security::ToolCall& call) const;
  // `texts` has the findings in the output; it has no steps, whose entries are committed with themselves.
  absl::Status CommitSettlement(security::ToolCall& call, const Ending& ending, security::StepLedger& texts,
                                security::ToolResult& result) const;
  absl::Status SettleIn(security::ToolCall& call, const Ending& ending, std::vector<storage::Changes> of_steps,
                        security::StepLedger& texts, storage::Transaction& tx, v1::AuditEntry& entry,
                        security::ToolResult& result) const;
  // Notes a step of an automation that may have taken effect.
  absl::Status PutUnknownStep(const security::ToolCall& call, storage::Transaction& tx) const;

  const Environment& environment_;
  const CallFrame& frame_;
  const ReadRunner& reads_;
  RunningClaims& running_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_EFFECT_RUNNER_H_
