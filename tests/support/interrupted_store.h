// A store in which somebody else writes at the worst moment.
#ifndef TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_
#define TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_

#include <functional>
#include <utility>

#include "tests/support/forwarding_store.h"

namespace toolgate::testing {

// Not thread-safe.
class InterruptedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  // Between what the next one to commit has read and its transaction. `interrupt` may commit itself.
  void BeforeNextCommit(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode, const Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Transaction&)> body) override {
    if (const auto interrupt = std::exchange(interrupt_, nullptr)) interrupt();
    return store().Commit(context, mode, cancellation, body);
  }

 private:
  std::function<void()> interrupt_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_INTERRUPTED_STORE_H_
