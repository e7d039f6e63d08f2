// The innermost step of the pipeline: runs the tool.
#ifndef TOOLGATE_SERVICES_EXECUTION_EXECUTION_H_
#define TOOLGATE_SERVICES_EXECUTION_EXECUTION_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "security/tool_call.h"
#include "services/execution/call_frame.h"
#include "services/execution/effect_runner.h"
#include "services/execution/environment.h"
#include "services/execution/kept_results.h"
#include "services/execution/plan_runner.h"
#include "services/execution/read_runner.h"
#include "services/execution/running_claims.h"
#include "services/execution/transaction_runner.h"

namespace toolgate::services::execution {

// Hands each call to the runner for its tool's kind of handler. Thread-safe.
class Execution {
 public:
  Execution(const Environment& environment, RunningClaims& running);

  // A refusal (a token used meanwhile, a key reused for another call) and a failure of the store, also one that the
  // tool met while it ran, are errors; a tool that ran and failed is a result.
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call) const;

  const KeptResults& kept_results() const { return kept_results_; }
  const EffectRunner& effects() const { return effects_; }

 private:
  absl::StatusOr<security::ToolResult> RunFlexible(security::ToolCall& call,
                                                   const executors::FlexibleHandler& handler) const;

  const Environment environment_;
  const KeptResults kept_results_{environment_};
  const CallFrame frame_{environment_, kept_results_};
  const ReadRunner reads_{environment_, kept_results_};
  const TransactionRunner transactions_{environment_, frame_, kept_results_};
  const PlanRunner plans_{environment_, frame_, reads_, transactions_};
  const EffectRunner effects_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_EXECUTION_H_
