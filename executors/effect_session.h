// The line from an effect's handler to the service while it acts.
#ifndef TOOLGATE_EXECUTORS_EFFECT_SESSION_H_
#define TOOLGATE_EXECUTORS_EFFECT_SESSION_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/event.h"
#include "storage/store.h"

namespace toolgate::executors {

// Borrowed for the length of the call; used by one thread at a time.
class EffectSession {
 public:
  virtual ~EffectSession() = default;

  // Runs `body` on a snapshot of the call's workspace. Snapshots are few: `body` must be brief and wait for nothing.
  virtual absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) = 0;

  // Names this very call to services that know idempotency. A recovery of the call has the same key.
  virtual std::string_view key() const = 0;

  // The state that Checkpoint wrote last; empty before the first.
  virtual std::string_view checkpoint() const = 0;
  // Replaces the state in the call's journal row, durably before it returns; at most kMaxCheckpointBytes. An error
  // means that the handler must go no further: the claim is another process's now (ABORTED), or the store has failed.
  // FAILED_PRECONDITION in a call that has no claim: a dry run, or a read-only tool's.
  virtual absl::Status Checkpoint(std::string state) = 0;

  // CONFLICT when the call was let pass in another state (Preview::state_digest) than that of the present, whose digest
  // `present` makes; a ToolError of `present` is another state, too. Not called when any state will do. A handler whose
  // preview gives a digest asks under the lock under which it acts, before its first checkpoint, which fails otherwise.
  virtual absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()> present) = 0;

  // True when `event` is set, false when `timeout` passed first. Every wait of a handler goes through this: meanwhile
  // the call holds no thread and no place among the calls that run. CANCELLED or TIMEOUT when the call must stop. The
  // caller holds no lock.
  virtual absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout = absl::InfiniteDuration()) = 0;

  // Sends a piece of output to the client while the call runs; a unary call collects it in its result. It counts as
  // text from outside the workspace: it is scanned, masked, and marks the conversation. `channel` is "stdout", "stderr"
  // or "text". Waits while the client is slow. CANCELLED or TIMEOUT when the call must stop.
  virtual absl::Status Output(std::string_view channel, std::string_view bytes) = 0;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_EFFECT_SESSION_H_
