// An effect's session without a service around it: for handlers that a test calls by themselves.
#ifndef TOOLGATE_TESTS_SUPPORT_BARE_SESSION_H_
#define TOOLGATE_TESTS_SUPPORT_BARE_SESSION_H_

#include <string>
#include <string_view>
#include <utility>

#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "executors/effect_session.h"
#include "storage/store.h"

namespace toolgate::testing {

// Keeps the checkpoint in memory, and waits in real time. Borrows the store. Used by one thread at a time.
class BareSession final : public executors::EffectSession {
 public:
  BareSession(storage::Store& store, std::string workspace_id, std::string key)
      : store_(store), workspace_id_(std::move(workspace_id)), key_(std::move(key)), waits_(Clock::Real()) {}

  absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    return store_.Read(workspace_id_, body);
  }
  std::string_view key() const override { return key_; }
  std::string_view checkpoint() const override { return checkpoint_; }
  absl::Status Checkpoint(std::string state) override {
    if (state.size() > storage::kMaxCheckpointBytes) return absl::InternalError("the checkpoint is too long");
    checkpoint_ = std::move(state);
    return absl::OkStatus();
  }
  // Approved for any state.
  absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()>) override { return absl::OkStatus(); }
  absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout) override {
    const fibers::Cancellation never;
    return waits_.Wait(event, never, Clock::Real().Monotonic() + timeout);
  }
  absl::Status Output(std::string_view, std::string_view bytes) override {
    output_.append(bytes);
    return absl::OkStatus();
  }
  const std::string& output() const { return output_; }

 private:
  storage::Store& store_;
  const std::string workspace_id_;
  const std::string key_;
  std::string checkpoint_;
  std::string output_;
  fibers::WaitTimer waits_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_BARE_SESSION_H_
