// The steps of an automation that settle one by one.
#ifndef TOOLGATE_SERVICES_EXECUTION_SAGA_STEPS_H_
#define TOOLGATE_SERVICES_EXECUTION_SAGA_STEPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/saga_runner.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "storage/journal.h"

namespace toolgate::services::execution {

// Runs the steps of an automation that is an effect. The claim of its call is held until the whole is settled. A step
// commits what it did together with a note in the journal (storage::SettledStep), from which it can be taken back; a
// step that is an effect has a claim of its own, which is part of the automation's. So a crash anywhere leaves in the
// journal what recovery needs: it resolves the claim of the step that ran, and then takes back those that had settled.
//
// Borrows the environment and the call; used by the thread that runs the automation.
class SagaSteps final : public executors::SagaRunner {
 public:
  // `parent`, unless it is a dry run, has a claim that this process owns.
  SagaSteps(const Environment& environment, security::ToolCall& parent) : environment_(environment), parent_(parent) {}

  absl::StatusOr<executors::StepResult> RunStep(int64_t number, const executors::Step& step) override;
  absl::StatusOr<std::vector<executors::KeptStep>> TakeBack() override;

  // Whether the latest step was refused or failed: a handler that fails then passes that failure on.
  bool last_failed() const { return last_failed_; }
  // Not OK when steps could not be taken back for now, so that the call must not be settled.
  const absl::Status& fault() const { return fault_; }

 private:
  absl::StatusOr<std::vector<executors::KeptStep>> TakeBackAll();
  absl::StatusOr<std::vector<storage::SettledStep>> ListSettled();

  const Environment& environment_;
  security::ToolCall& parent_;
  int64_t undo_bytes_ = 0;     // Of all steps.
  std::string last_claim_id_;  // Of the latest step, if it was an effect that needed one.
  bool last_failed_ = false;
  absl::Status fault_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_SAGA_STEPS_H_
