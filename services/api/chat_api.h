// RPCs of toolgate.v1.ChatService.
#ifndef TOOLGATE_SERVICES_API_CHAT_API_H_
#define TOOLGATE_SERVICES_API_CHAT_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "services/chat/chat_writer.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::api {

using chat::ChatWriter;

// A status is safe to show. Thread-safe.

// Takes one message through the model and its tools. Runs on a fiber that holds no thread while it waits for the model,
// a tool, a person or the client; `cancellation`, which the transport cancels when the client leaves, ends all of it.
//
// A status is a refusal before the model was asked, and nothing was written then: NOT_CONFIGURED, FORBIDDEN,
// INVALID_PARAMS, OVERLOADED, and CONFLICT (ABORTED) while another call goes on with the same conversation. Every later
// failure is a ChatError event, the last one, and OK.
absl::Status Chat(const KnownCall& known, const v1::ChatRequest& request, ChatWriter& writer,
                  fibers::Cancellation& cancellation);

// May block.
absl::Status ListConversations(const KnownCall& known, const v1::ListConversationsRequest& request,
                               v1::ListConversationsResponse& response, fibers::Cancellation& cancellation);

// NOT_FOUND when the caller has no such conversation.
absl::Status GetConversation(const KnownCall& known, const v1::GetConversationRequest& request,
                             v1::GetConversationResponse& response, fibers::Cancellation& cancellation);

// Committed together with its audit entry. CONFLICT (ABORTED) while a chat goes on with it.
absl::Status DeleteConversation(const KnownCall& known, const v1::DeleteConversationRequest& request,
                                v1::DeleteConversationResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CHAT_API_H_
