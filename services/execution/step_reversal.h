// Takes back a settled step of an automation that failed.
#ifndef TOOLGATE_SERVICES_EXECUTION_STEP_REVERSAL_H_
#define TOOLGATE_SERVICES_EXECUTION_STEP_REVERSAL_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "executors/tool.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "storage/journal.h"

namespace toolgate::services::execution {

// The time that there is for one step.
inline constexpr absl::Duration kStepReversalTime = absl::Minutes(1);

// Takes a step back as undo does, on behalf of the automation's call, whose claim this process owns: first outside of
// the store, then in one commit the rest, together with the audit entry of an undo. A reversal that a crash interrupts
// is made again by recovery, since reversals are idempotent. Borrows everything.
class StepReversal {
 public:
  StepReversal(const Environment& environment, const security::ToolCall& parent)
      : environment_(environment), parent_(parent) {}

  // OK when nothing of the step is left. A ToolError when it cannot be taken back, which is audited as well. Any other
  // error: not for now, because the store failed, time ran out, or the claim is another process's.
  absl::Status TakeBack(const storage::SettledStep& step) const;

 private:
  // The call that the undo of the step is.
  void FillCall(const storage::SettledStep& step, security::ToolCall& undo) const;
  // `acted` says how it came out.
  absl::Status Settle(security::ToolCall& undo, const storage::SettledStep& step,
                      const absl::StatusOr<executors::Acted>& acted) const;

  const Environment& environment_;
  const security::ToolCall& parent_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_STEP_REVERSAL_H_
