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
// asked about again. The claim that makes it exactly once is made later, in the transaction that runs the tool. A
// repeat that is refused on its way there is answered the outcome as well, when the first call has ended meanwhile.
// Thread-safe.
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
  // Stored outcome of the first call, as its repeat is answered; nothing while it is not known.
  absl::StatusOr<std::optional<security::ToolResult>> FindStored(security::ToolCall& call);

  storage::Store& store_;
  const Clock& clock_;
  const execution::OutsideText& outside_text_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_
