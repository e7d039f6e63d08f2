// Bounds on exports and backups in flight.
#ifndef TOOLGATE_SERVICES_API_TRANSFER_SLOTS_H_
#define TOOLGATE_SERVICES_API_TRANSFER_SLOTS_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/caller.h"

namespace toolgate::services::api {

// Counts transfers in this process, in all and by user: each keeps a scratch file and a stack until its client has read
// everything. Thread-safe.
class TransferSlots {
 public:
  static constexpr size_t kMaxTransfers = 64;
  static constexpr size_t kMaxTransfersOfUser = 16;

  // The right to a transfer, until it is destroyed.
  class Slot {
   public:
    Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), user_(std::move(other.user_)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_ != nullptr) slots_->Leave(user_);
    }

   private:
    friend class TransferSlots;
    using User = std::pair<std::string, std::string>;
    Slot(TransferSlots& slots, User user) : slots_(&slots), user_(std::move(user)) {}

    TransferSlots* slots_;
    User user_;
  };

  // OVERLOADED when there are too many. The slot borrows this.
  absl::StatusOr<Slot> Enter(const Caller& caller) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Workspace and user.
  using User = Slot::User;

  void Leave(const User& user) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<User, size_t> by_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_TRANSFER_SLOTS_H_
