// The step that answers repeats of calls with an idempotency key.
#ifndef TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_
#define TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "security/layer.h"
#include "security/tool_call.h"
#include "services/execution/outside_text.h"
#include "storage/store.h"

namespace toolgate::services::pipeline {

// Answers a repeat of a call that is already known, before limits and confirmation: a retry is neither charged nor
// asked about again, and its token, which the first call has used up, is not looked at. The outcome is the answer, and
// before there is one, while the journal has a claim with the key, ABORTED with the time to wait: the first call runs,
// or a crash interrupted it and recovery will settle it. The claim that makes it exactly once is made later, in the
// transaction that runs the tool. A repeat that is refused on its way there is answered the same, when the first call
// has got there meanwhile. Thread-safe.
class Replay final : public security::Layer {
 public:
  // A stored answer may bring text from outside into another conversation than it first came to. Borrows everything.
  Replay(storage::Store& store, const Clock& clock, const execution::OutsideText& outside_text)
      : store_(store), clock_(clock), outside_text_(outside_text) {}

  std::string_view name() const override { return "idempotency"; }
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, security::Next next) override;

 private:
  // Stores `result` of a call that failed before its tool ran, and answers it, or the outcome of another call with the
  // same key if that has ended meanwhile.
  absl::StatusOr<security::ToolResult> StoreFailure(const security::ToolCall& call, security::ToolResult result);
  // The stored outcome of the first call, as its repeat is answered; nothing when there was none. ABORTED, as a
  // ToolError, while a claim holds the key.
  absl::StatusOr<std::optional<security::ToolResult>> FindFirst(security::ToolCall& call);

  storage::Store& store_;
  const Clock& clock_;
  const execution::OutsideText& outside_text_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_
