// The models that ChatService asks, by the names of the configuration.
#ifndef TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_
#define TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/json.h"
#include "executors/chat/settings.pb.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"
#include "observability/provider_call.h"

namespace toolgate::executors::chat {

// One model with its settings.
struct ConfiguredModel {
  std::string name;
  bool reasoning = false;
  Json extra = Json::object();  // ModelRequest::extra.
  std::shared_ptr<providers::Provider> provider;
  std::unique_ptr<models::ChatModel> model;
};

// Thread-safe, since nothing changes after Create.
class ChatModels {
 public:
  // `settings` has a value for every field and has passed the family's check. INVALID_ARGUMENT for settings that
  // cannot work. Borrows `clock`.
  static absl::StatusOr<std::unique_ptr<ChatModels>> Create(const ChatSettings& settings, const Clock& clock,
                                                            const observability::OnProviderCall& on_call);
  // With models of the caller's making; the first one is the default.
  explicit ChatModels(std::vector<ConfiguredModel> models) : models_(std::move(models)) {}

  // The model of that name, or the default one for "". NOT_CONFIGURED, saying what to configure, when there is none or
  // it lacks a key; INVALID_PARAMS, naming those that there are, for an unknown name. Lives as long as this.
  absl::StatusOr<const ConfiguredModel*> Find(std::string_view name) const;

 private:
  std::vector<ConfiguredModel> models_;
  std::string default_name_;
};

}  // namespace toolgate::executors::chat

#endif  // TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_
