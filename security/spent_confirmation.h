// Why a confirmation cannot be used any more.
#ifndef TOOLGATE_SECURITY_SPENT_CONFIRMATION_H_
#define TOOLGATE_SECURITY_SPENT_CONFIRMATION_H_

#include <string_view>

#include "absl/status/status.h"
#include "storage/records.h"

namespace toolgate::security {

// CANCELLED, refused as FAILED_PRECONDITION, since no repeat of the call can help.
absl::Status SpentConfirmation(std::string_view message);

// OK while the confirmation waits for its call; otherwise what became of it. Of a used one it says that the call has
// begun, and invites no one to send it again: that would run it twice.
absl::Status CheckUnspent(storage::Confirmation::State state);

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_SPENT_CONFIRMATION_H_
