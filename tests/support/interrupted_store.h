// A store in which another caller writes at the worst moment.
#ifndef TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_

#include <functional>
#include <utility>

#include "storage/forwarding_store.h"

namespace toolgate::testing {

// Not thread-safe.
class InterruptedStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  // Runs `interrupt` between the reads of the next call to commit and its transaction. `interrupt` may commit itself.
  void BeforeNextCommit(std::function<void()> interrupt) { before_commit_ = std::move(interrupt); }
  // Runs `interrupt` when the next read has ended, before its caller gets the result. `interrupt` may read and commit
  // itself.
  void AfterNextRead(std::function<void()> interrupt) { after_read_ = std::move(interrupt); }

  using ForwardingStore::Read;
  absl::Status Read(std::string_view workspace_id, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    absl::Status status = store().Read(workspace_id, patience, body);
    if (const auto interrupt = std::exchange(after_read_, nullptr)) interrupt();
    return status;
  }

  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Transaction&)> body) override {
    if (const auto interrupt = std::exchange(before_commit_, nullptr)) interrupt();
    return store().Commit(context, mode, cancellation, body);
  }

 private:
  std::function<void()> before_commit_;
  std::function<void()> after_read_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_
