// Stored outcomes of calls with an idempotency key.
#ifndef TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_
#define TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "security/layer.h"
#include "security/tool_call.h"
#include "storage/store.h"

namespace toolgate::services::pipeline {

// The outcome of `call` as it is stored, and back. `outcome` must be of the same tool and arguments as `call`, else
// INVALID_PARAMS. All that is answered of it is as it was but for whether it can be undone, which is what `view` says
// now.
absl::StatusOr<storage::IdempotentOutcome> ToOutcome(const security::ToolCall& call, const security::ToolResult& result,
                                                     absl::Time now);
absl::StatusOr<security::ToolResult> FromOutcome(const security::ToolCall& call,
                                                 const storage::IdempotentOutcome& outcome, storage::ReadView& view);

// Answers a repeat of a call that is already known, before limits and confirmation: a retry is neither charged nor
// asked about again. The claim that makes it exactly once is made later, in the transaction that runs the tool. A
// repeat that is refused on its way there is answered the outcome as well, when the first call has ended meanwhile.
// Thread-safe.
class Replay final : public security::Layer {
 public:
  // What ToolRunner does with data from outside: a stored answer may bring it into another conversation.
  using TakeIn = std::function<absl::Status(security::ToolCall&, security::ToolResult&)>;

  // Borrows `store` and `clock`.
  Replay(storage::Store& store, const Clock& clock, TakeIn take_in)
      : store_(store), clock_(clock), take_in_(std::move(take_in)) {}

  std::string_view name() const override { return "idempotency"; }
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, security::Next next) override;

 private:
  // Of a call that failed before its tool ran: `result`, or what another call with the same key came to meanwhile.
  absl::StatusOr<security::ToolResult> StoreFailure(const security::ToolCall& call, security::ToolResult result);
  // What the first call came to, as its repeat is answered; nothing while it is not known.
  absl::StatusOr<std::optional<security::ToolResult>> FindStored(security::ToolCall& call);

  storage::Store& store_;
  const Clock& clock_;
  const TakeIn take_in_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_IDEMPOTENCY_H_
