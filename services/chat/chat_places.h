// Bounds on chats in flight.
#ifndef TOOLGATE_SERVICES_CHAT_CHAT_PLACES_H_
#define TOOLGATE_SERVICES_CHAT_CHAT_PLACES_H_

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace toolgate::services::chat {

// Counts chats in this process, in all and by user, and lets one at a time go on with a conversation. Thread-safe.
class ChatPlaces {
 public:
  // Names a conversation.
  struct Key {
    std::string workspace_id;
    std::string user_id;
    std::string conversation_id;
  };

  // The right to go on with a conversation, until it is destroyed.
  class Place {
   public:
    Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)), key_(std::move(other.key_)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->Leave(key_);
    }

   private:
    friend class ChatPlaces;
    Place(ChatPlaces& places, Key key) : places_(&places), key_(std::move(key)) {}

    ChatPlaces* places_;
    Key key_;
  };

  ChatPlaces(size_t max_chats, size_t max_chats_of_user)
      : max_chats_(max_chats), max_chats_of_user_(max_chats_of_user) {}

  // OVERLOADED when there are too many; CONFLICT, refused as ABORTED and to be tried again, while another chat goes on
  // with the conversation. The place borrows this.
  absl::StatusOr<Place> Enter(Key key) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using User = std::pair<std::string, std::string>;
  using Conversation = std::tuple<std::string, std::string, std::string>;

  void Leave(const Key& key) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t max_chats_;
  const size_t max_chats_of_user_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<Conversation> conversations_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<User, size_t> by_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CHAT_PLACES_H_
