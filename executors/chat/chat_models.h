// The models that ChatService asks, by the names of the configuration.
#ifndef TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_
#define TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::chat {

// One model with its settings.
struct ConfiguredModel {
  std::string name;
  bool reasoning = false;
  Json extra = Json::object();  // ModelRequest::extra.
  std::shared_ptr<providers::Provider> provider;
  std::unique_ptr<models::ChatModel> model;
};

// Thread-safe, since nothing changes once it is made.
class ChatModels {
 public:
  // `default_name` names one of them; empty: the first.
  ChatModels(std::vector<ConfiguredModel> models, std::string default_name)
      : models_(std::move(models)), default_name_(std::move(default_name)) {}

  // The model of that name, or the default one for "". NOT_CONFIGURED, saying what to configure, when there is none or
  // it lacks a key; INVALID_PARAMS, naming those that there are, for an unknown name. Lives as long as this.
  absl::StatusOr<const ConfiguredModel*> Find(std::string_view name) const;

 private:
  const std::vector<ConfiguredModel> models_;
  const std::string default_name_;
};

}  // namespace toolgate::executors::chat

#endif  // TOOLGATE_EXECUTORS_CHAT_CHAT_MODELS_H_
