// Bounds on the previews of effects.
#ifndef TOOLGATE_SECURITY_PREVIEW_RUNNER_H_
#define TOOLGATE_SECURITY_PREVIEW_RUNNER_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "security/tool_call.h"

namespace toolgate::security {

// Layer 4, as the confirmation step sees it, which comes before it: the preview of an effect may wait
// for as long as the effect itself. Thread-safe.
class PreviewRunner {
 public:
  // Runs `preview` in the places that a call of the tool takes, as that of `call` meanwhile (ToolCall::place), and
  // returns what it returns. It must stop when the given cancellation says so: when the call must, or after the tool's
  // time-out. OVERLOADED, CANCELLED or TIMEOUT when there was no place for it.
  virtual absl::Status RunPreview(ToolCall& call,
                                  absl::FunctionRef<absl::Status(const fibers::Cancellation&)> preview) = 0;

 protected:
  ~PreviewRunner() = default;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_PREVIEW_RUNNER_H_
