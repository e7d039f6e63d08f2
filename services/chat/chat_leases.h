// Bounds on chats in flight.
#ifndef TOOLGATE_SERVICES_CHAT_CHAT_LEASES_H_
#define TOOLGATE_SERVICES_CHAT_CHAT_LEASES_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "coordination/leases/leases.h"

namespace toolgate::services::chat {

// Counts the chats of this process, in all and by user, and lets one at a time, of all processes, go on with a
// conversation. Thread-safe.
class ChatLeases {
 private:
  using User = std::pair<std::string, std::string>;

  // One of the chats that are counted.
  class Count {
   public:
    Count(ChatLeases& chats, User user) : chats_(&chats), user_(std::move(user)) {}
    Count(Count&& other) noexcept : chats_(std::exchange(other.chats_, nullptr)), user_(std::move(other.user_)) {}
    Count& operator=(Count&&) = delete;
    ~Count() {
      if (chats_ != nullptr) chats_->Leave(user_);
    }

   private:
    ChatLeases* chats_;
    User user_;
  };

 public:
  // Names a conversation.
  struct Key {
    std::string workspace_id;
    std::string user_id;
    std::string conversation_id;
  };

  // The right to go on with a conversation, until it is destroyed.
  class Lease {
   private:
    friend class ChatLeases;
    Lease(Count count, coordination::leases::Leases::Lease lease)
        : count_(std::move(count)), lease_(std::move(lease)) {}

    Count count_;
    coordination::leases::Leases::Lease lease_;
  };

  // Borrows `leases`.
  ChatLeases(size_t max_chats, size_t max_chats_of_user, coordination::leases::Leases& leases)
      : max_chats_(max_chats), max_chats_of_user_(max_chats_of_user), leases_(leases) {}

  // OVERLOADED when there are too many; CONFLICT, refused as ABORTED and to be tried again, while another chat goes on
  // with the conversation; else an error of the leases. The lease borrows this.
  absl::StatusOr<Lease> Take(const Key& key) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Enter(const User& user) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(const User& user) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_chats_;
  const size_t max_chats_of_user_;
  coordination::leases::Leases& leases_;
  mutable absl::Mutex mutex_;
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<User, size_t> by_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CHAT_LEASES_H_
