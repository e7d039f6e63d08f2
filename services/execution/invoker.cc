#include "services/execution/invoker.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/execution/automation_steps.h"
#include "storage/fault.h"

namespace toolgate::services::execution {
namespace {

using executors::ToolContext;
using executors::ToolOutput;
using security::ToolCall;

// Runs each kind of handler in the transaction.
class InTransaction {
 public:
  InTransaction(ToolContext& context, storage::Transaction& tx, const ToolCall& call)
      : context_(context), tx_(tx), call_(call) {}

  absl::StatusOr<ToolOutput> operator()(const executors::ReadHandler& read) const { return read(context_, tx_); }
  absl::StatusOr<ToolOutput> operator()(const executors::WriteHandler& write) const { return write(context_, tx_); }
  absl::StatusOr<ToolOutput> operator()(const executors::FlexibleHandler& flexible) const {
    return flexible.in_transaction(context_, tx_);
  }
  // Every other mutation would wait for the transaction while these wait for something outside, or work.
  absl::StatusOr<ToolOutput> operator()(const executors::PlanHandler&) const { return NoPartOfATransaction(); }
  absl::StatusOr<ToolOutput> operator()(const executors::EffectHandler&) const { return NoPartOfATransaction(); }

  absl::StatusOr<ToolOutput> Write(const Planned& plan) const {
    if (!plan.ok()) return plan.status();
    if (plan->commit != nullptr) RETURN_IF_ERROR(plan->commit(tx_));
    return plan->output;
  }

 private:
  absl::Status NoPartOfATransaction() const {
    return MakeError(ErrorCode::kConflict,
                     absl::StrCat(call_.tool->definition.id,
                                  " waits for something outside of the workspace, or works for long before it writes, "
                                  "so it cannot be a step of an automation whose steps are one transaction; run it by "
                                  "itself"));
  }

  ToolContext& context_;
  storage::Transaction& tx_;
  const ToolCall& call_;
};

}  // namespace

absl::StatusOr<ToolOutput> Invoke(const Environment& environment, ToolCall& call, const Planned* planned,
                                  security::StepLedger& ledger, storage::Transaction& tx,
                                  security::ToolResult& result) {
  AutomationSteps steps(environment, call, ledger);
  ToolContext context = ToolContextOf(call, environment);
  context.steps = &steps;
  absl::StatusOr<ToolOutput> output = absl::UnknownError("the tool did not run");
  const size_t earlier_steps = ledger.entries().size();
  const auto invoke = [&] {
    const InTransaction run(context, tx, call);
    output = planned != nullptr ? run.Write(*planned) : std::visit(run, call.tool->handlers.run);
    return output.status();
  };
  const absl::Status status = tx.Nested(invoke, &result.changes);
  if (output.ok() && !status.ok()) output = status;
  if (!output.ok()) {
    ledger.MarkTakenBack(earlier_steps);
    if (storage::IsFault(output.status())) call.state.store_fault = output.status();
    if (steps.last_failed()) result.failure_cause = security::FailureCause::kStep;
    return output;
  }
  // The handler did without the step that the store failed.
  call.state.store_fault = absl::OkStatus();
  steps.Mark(*output);
  // A definition that says so binds its handler.
  const executors::Annotations& annotations = call.tool->definition.annotations;
  output->reversible &= annotations.reversible || annotations.read_only;
  return output;
}

}  // namespace toolgate::services::execution
