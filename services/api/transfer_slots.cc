#include "services/api/transfer_slots.h"

#include "absl/strings/str_cat.h"
#include "services/api/take_up.h"

namespace toolgate::services::api {

absl::StatusOr<TransferSlots::Slot> TransferSlots::Enter(const Caller& caller) {
  absl::MutexLock lock(&mutex_);
  if (count_ >= kMaxTransfers) {
    return Overloaded(absl::StrCat("there are ", kMaxTransfers, " exports and backups already; try again later"));
  }
  User user(caller.workspace_id, caller.user_id);
  size_t& of_user = by_user_[user];
  if (of_user >= kMaxTransfersOfUser) {
    return Overloaded(absl::StrCat("this user has ", kMaxTransfersOfUser,
                                   " exports and backups at a time already; read or end one first"));
  }
  ++of_user;
  ++count_;
  return Slot(*this, std::move(user));
}

void TransferSlots::Leave(const User& user) {
  absl::MutexLock lock(&mutex_);
  --count_;
  const auto found = by_user_.find(user);
  if (--found->second == 0) by_user_.erase(found);
}

}  // namespace toolgate::services::api
