// The steps of an automation that settle one by one.
#ifndef TOOLGATE_EXECUTORS_SAGA_RUNNER_H_
#define TOOLGATE_EXECUTORS_SAGA_RUNNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors {

// A step that has settled and was not taken back.
struct KeptStep {
  int64_t number = 0;
  std::string tool_id;
  bool is_known = true;  // False: it may or may not have taken effect, and nobody can tell.
  absl::Status why;      // It could not be taken back; a ToolError.
};

// Runs steps for an automation that is an effect, because one of its steps is. Used by one thread at a time.
class SagaRunner {
 public:
  virtual ~SagaRunner() = default;

  // Runs a step as a call of its own, through every layer. When this answers, the step has settled: what it changed
  // stays, whatever becomes of the process. A refusal or a failure is a ToolError, after which the step has left
  // nothing. `number` grows from step to step. In a dry run the step is one, too.
  virtual absl::StatusOr<StepResult> RunStep(int64_t number, const Step& step) = 0;

  // Takes back every settled step, the newest first, each by its undo, and answers those that could not be taken back.
  // Has a time of its own, so that it works when that of the call is over. After an error the handler must end: the
  // call is not settled then, and recovery takes back the rest.
  virtual absl::StatusOr<std::vector<KeptStep>> TakeBack() = 0;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_SAGA_RUNNER_H_
