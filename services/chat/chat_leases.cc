#include "services/chat/chat_leases.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/status_macros.h"
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

absl::StatusOr<ChatLeases::Lease> ChatLeases::Take(const Key& key) {
  const User user(key.workspace_id, key.user_id);
  RETURN_IF_ERROR(Enter(user));
  Count count(*this, user);
  // Neither id holds a line break.
  const std::string subject = absl::StrCat("chat\n", key.user_id, "\n", key.conversation_id);
  ASSIGN_OR_RETURN(std::optional<coordination::leases::Leases::Lease> lease,
                   leases_.TryTake({key.workspace_id, subject}));
  if (lease.has_value()) return Lease(std::move(count), *std::move(lease));
  return Retryable(ErrorCode::kConflict, "another call goes on with this conversation; try again when it has ended");
}

absl::Status ChatLeases::Enter(const User& user) {
  absl::MutexLock lock(&mutex_);
  if (count_ >= max_chats_) {
    return Retryable(ErrorCode::kOverloaded, absl::StrCat("there are ", max_chats_, " chats already; try again later"));
  }
  if (const auto found = by_user_.find(user); found != by_user_.end() && found->second >= max_chats_of_user_) {
    return Retryable(ErrorCode::kOverloaded,
                     absl::StrCat("this user has ", max_chats_of_user_, " chats at a time already; end one first"));
  }
  ++count_;
  ++by_user_[user];
  return absl::OkStatus();
}

size_t ChatLeases::count() const {
  absl::MutexLock lock(&mutex_);
  return count_;
}

void ChatLeases::Leave(const User& user) {
  absl::MutexLock lock(&mutex_);
  --count_;
  const auto found = by_user_.find(user);
  if (--found->second == 0) by_user_.erase(found);
}

}  // namespace toolgate::services::chat
