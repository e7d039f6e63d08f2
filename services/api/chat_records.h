// Stored conversations as messages of the API.
#ifndef TOOLGATE_SERVICES_API_CHAT_RECORDS_H_
#define TOOLGATE_SERVICES_API_CHAT_RECORDS_H_

#include "absl/status/status.h"
#include "storage/conversation.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::api {

// Without the token of a question that waits: that is sent to the client that was asked. DATA_LOSS for a record that
// cannot be read.
absl::Status FillConversation(const storage::Conversation& conversation, v1::Conversation& out);

// Leaves the results empty. DATA_LOSS as above.
absl::Status FillChatMessage(const storage::StoredMessage& message, v1::ChatMessage& out);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CHAT_RECORDS_H_
