// Checks of a ChatRequest, and what follows from it.
#ifndef TOOLGATE_SERVICES_API_CHAT_REQUEST_H_
#define TOOLGATE_SERVICES_API_CHAT_REQUEST_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/ids.h"
#include "executors/chat/settings.pb.h"
#include "services/chat/conversation_log.h"
#include "services/chat/tool_caller.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::api {

// INVALID_PARAMS or MISSING_REQUIRED, naming the field.
absl::Status CheckChatRequest(const v1::ChatRequest& request, const executors::chat::ChatSettings& settings);

// Whether the request goes on with an unfinished turn.
bool GoesOn(const v1::ChatRequest& request);

// The conversation that a checked request is about: the one it names; for one that names none, a new one, whose id
// follows from the request_id if it has one.
std::string ConversationIdOf(const v1::ChatRequest& request, const std::string& user_id, const Clock& clock,
                             IdSource& ids);

// How a chat begins.
enum class ChatStart {
  kNewTurn,   // The message has been stored.
  kGoesOn,    // The latest turn is not finished.
  kRepeated,  // The message was stored before: the client may have lost what followed.
};

// Makes the turn of the request the latest of the conversation. Nothing has been written when it fails: NOT_FOUND or
// CONFLICT when there is nothing to go on with, CONFLICT for a request_id of another message, INVALID_PARAMS for a
// token that is not of the question.
absl::StatusOr<ChatStart> BeginChat(const v1::ChatRequest& request, chat::ConversationLog& log,
                                    chat::ToolCaller& tools);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CHAT_REQUEST_H_
