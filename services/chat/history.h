// Stored messages as a model is shown them.
#ifndef TOOLGATE_SERVICES_CHAT_HISTORY_H_
#define TOOLGATE_SERVICES_CHAT_HISTORY_H_

#include <string_view>
#include <vector>

#include "executors/models/chat_model.h"
#include "services/chat/turn.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::chat {

// `messages`, which begin with a user's, for the configured model `model` whose provider takes tool results in `form`.
// Results of the calls of one message stand together. What a provider wanted back with its answer goes to the model
// that wrote it only, and so do its ids of calls; another model has ids that every API takes. Thoughts between tags are
// left out of texts that an earlier version stored without looking for them; other texts are shown as they are.
std::vector<executors::models::Message> ToModelMessages(const std::vector<LoggedMessage>& messages,
                                                        v1::ResultFormat form, std::string_view model);

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_HISTORY_H_
