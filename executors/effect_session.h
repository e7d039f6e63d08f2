// The line from an effect's handler to the service while it acts.
#ifndef TOOLGATE_EXECUTORS_EFFECT_SESSION_H_
#define TOOLGATE_EXECUTORS_EFFECT_SESSION_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
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
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_EFFECT_SESSION_H_
