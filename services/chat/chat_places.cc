#include "services/chat/chat_places.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/tool_error.h"

namespace toolgate::services::chat {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(1);

absl::Status Retryable(ErrorCode code, std::string message) {
  ToolError error;
  error.code = code;
  error.message = std::move(message);
  error.retryable = true;
  error.retry_after = kRetryAfter;
  if (code == ErrorCode::kConflict) error.refused_as = absl::StatusCode::kAborted;
  return ToStatus(error);
}

}  // namespace

absl::StatusOr<ChatPlaces::Place> ChatPlaces::Enter(Key key) {
  absl::MutexLock lock(&mutex_);
  if (conversations_.contains(Conversation(key.workspace_id, key.user_id, key.conversation_id))) {
    return Retryable(ErrorCode::kConflict, "another call goes on with this conversation; try again when it has ended");
  }
  if (conversations_.size() >= max_chats_) {
    return Retryable(ErrorCode::kOverloaded, absl::StrCat("there are ", max_chats_, " chats already; try again later"));
  }
  const User user(key.workspace_id, key.user_id);
  if (const auto found = by_user_.find(user); found != by_user_.end() && found->second >= max_chats_of_user_) {
    return Retryable(ErrorCode::kOverloaded,
                     absl::StrCat("this user has ", max_chats_of_user_, " chats at a time already; end one first"));
  }
  conversations_.emplace(key.workspace_id, key.user_id, key.conversation_id);
  ++by_user_[user];
  return Place(*this, std::move(key));
}

size_t ChatPlaces::count() const {
  absl::MutexLock lock(&mutex_);
  return conversations_.size();
}

void ChatPlaces::Leave(const Key& key) {
  absl::MutexLock lock(&mutex_);
  conversations_.erase(Conversation(key.workspace_id, key.user_id, key.conversation_id));
  const auto user = by_user_.find(User(key.workspace_id, key.user_id));
  if (--user->second == 0) by_user_.erase(user);
}

}  // namespace toolgate::services::chat
