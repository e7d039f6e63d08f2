// The steps of an automation.
#ifndef TOOLGATE_SERVICES_EXECUTION_AUTOMATION_STEPS_H_
#define TOOLGATE_SERVICES_EXECUTION_AUTOMATION_STEPS_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "security/step_ledger.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"

namespace toolgate::services::execution {

// Runs an automation's steps: each is a call of its own through every layer, in the automation's transaction and on its
// behalf. Borrows everything; used by the thread that runs the automation.
class AutomationSteps final : public executors::StepRunner {
 public:
  AutomationSteps(const Environment& environment, security::ToolCall& parent, security::StepLedger& ledger)
      : environment_(environment), parent_(parent), ledger_(ledger) {}

  absl::StatusOr<executors::StepResult> RunStep(const executors::Step& step,
                                                storage::Transaction& transaction) override;

  // Whether the latest step was refused or failed: a handler that fails then passes that failure on.
  bool last_failed() const { return last_failed_; }

  // Passes the steps' marks on to the output of the whole.
  void Mark(executors::ToolOutput& output) const;

 private:
  // A call like `given`, on the parent's behalf.
  void Fill(const executors::Step& given, storage::Transaction& transaction, security::ToolCall& step) const;

  const Environment& environment_;
  security::ToolCall& parent_;
  security::StepLedger& ledger_;
  bool untrusted_ = false;
  bool reversible_ = true;
  bool last_failed_ = false;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_AUTOMATION_STEPS_H_
