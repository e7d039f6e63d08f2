// Models as the configuration describes them.
#ifndef TOOLGATE_EXECUTORS_CHAT_MAKE_CHAT_MODELS_H_
#define TOOLGATE_EXECUTORS_CHAT_MAKE_CHAT_MODELS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/http/client_pool.h"
#include "executors/chat/chat_models.h"
#include "executors/chat/settings.pb.h"
#include "executors/providers/settings.pb.h"
#include "observability/provider_call.h"

namespace toolgate::executors::chat {

// Name of the model's provider in metrics and logs: "chat:" and the model's name.
std::string ProviderNameOf(const ChatModelSettings& model);

// The model's own settings, and those of chat.provider for all others.
providers::ProviderSettings SettingsOfModel(const ChatSettings& settings, const ChatModelSettings& model);

// `settings` has a value for every field and has passed the family's check. INVALID_ARGUMENT, with the path, for
// settings that cannot work. Borrows `clock`; asks through `clients`.
absl::StatusOr<std::unique_ptr<ChatModels>> MakeChatModels(const ChatSettings& settings, const Clock& clock,
                                                           const std::shared_ptr<http::ClientPool>& clients,
                                                           const observability::OnProviderCall& on_call,
                                                           const observability::OnProviderFailure& on_failure);

}  // namespace toolgate::executors::chat

#endif  // TOOLGATE_EXECUTORS_CHAT_MAKE_CHAT_MODELS_H_
