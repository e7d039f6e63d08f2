// The session of a preview.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_PREVIEW_SESSION_H_
#define TOOLGATE_SECURITY_CONFIRMATION_PREVIEW_SESSION_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "executors/effect_session.h"
#include "security/tool_call.h"
#include "storage/store.h"

namespace toolgate::security::confirmation {

// The part of the service that the preview of an effect sees. It only looks, so that there is neither a claim nor a
// checkpoint, and its client hears nothing before the question. Borrows everything; used by one thread at a time.
class PreviewSession final : public executors::EffectSession {
 public:
  // `cancellation`: of the preview, which may end before the call does.
  PreviewSession(const ToolCall& call, const fibers::Cancellation& cancellation, storage::Store& store,
                 const Clock& clock, fibers::WaitTimer& waits)
      : call_(call), cancellation_(cancellation), store_(store), clock_(clock), waits_(waits) {}

  absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) override;
  std::string_view key() const override { return call_.audit_entry_id; }
  std::string_view checkpoint() const override { return ""; }
  // FAILED_PRECONDITION.
  absl::Status Checkpoint(std::string state) override;
  absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()> present) override;
  absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout) override;
  // FAILED_PRECONDITION.
  absl::Status Output(std::string_view channel, std::string_view bytes) override;

 private:
  const ToolCall& call_;
  const fibers::Cancellation& cancellation_;
  storage::Store& store_;
  const Clock& clock_;
  fibers::WaitTimer& waits_;
};

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_PREVIEW_SESSION_H_
