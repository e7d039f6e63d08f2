#include "executors/chat/make_chat_models.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/config_path.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::chat {
namespace {

using providers::KeyForm;
using providers::Provider;
using providers::ProviderSettings;

KeyForm KeyFormOf(ChatApi api) {
  switch (api) {
    case CHAT_API_ANTHROPIC:
      return KeyForm::kXApiKey;
    case CHAT_API_GEMINI:
      return KeyForm::kXGoogApiKey;
    default:
      return KeyForm::kBearer;
  }
}

std::unique_ptr<models::ChatModel> ModelOver(ChatApi api, std::shared_ptr<Provider> provider) {
  switch (api) {
    case CHAT_API_ANTHROPIC:
      return models::AnthropicModel(std::move(provider));
    case CHAT_API_GEMINI:
      return models::GeminiModel(std::move(provider));
    case CHAT_API_GLM:
      return models::OpenAiChatModel(std::move(provider), models::OpenAiDialect::kGlm);
    default:
      return models::OpenAiChatModel(std::move(provider), models::OpenAiDialect::kOpenAi);
  }
}

absl::StatusOr<ConfiguredModel> MakeModel(const ChatSettings& settings, int index, const Clock& clock,
                                          const std::shared_ptr<http::ClientPool>& clients,
                                          const observability::OnProviderCall& on_call,
                                          const observability::OnProviderFailure& on_failure) {
  const ChatModelSettings& from = settings.models(index);
  ConfiguredModel made;
  made.name = from.name();
  made.reasoning = from.reasoning();
  if (!from.extra_json().empty()) {
    ASSIGN_OR_RETURN(made.extra, ParseJson(from.extra_json()));
  }
  Provider::Options options;
  options.name = ProviderNameOf(from);
  options.key = KeyFormOf(from.api());
  options.settings = SettingsOfModel(settings, from);
  options.section = absl::StrCat("chat.models[", index, "]");
  options.clients = clients;
  options.on_failure = on_failure;
  ASSIGN_OR_RETURN(made.provider, Provider::Create(std::move(options), clock, on_call));
  made.model = ModelOver(from.api(), made.provider);
  return made;
}

}  // namespace

std::string ProviderNameOf(const ChatModelSettings& model) { return absl::StrCat("chat:", model.name()); }

ProviderSettings SettingsOfModel(const ChatSettings& settings, const ChatModelSettings& model) {
  ProviderSettings merged = settings.provider();
  merged.MergeFrom(model.provider());
  if (model.provider().model().empty()) merged.set_model(model.name());
  return merged;
}

absl::StatusOr<std::unique_ptr<ChatModels>> MakeChatModels(const ChatSettings& settings, const Clock& clock,
                                                           const std::shared_ptr<http::ClientPool>& clients,
                                                           const observability::OnProviderCall& on_call,
                                                           const observability::OnProviderFailure& on_failure) {
  std::vector<ConfiguredModel> made;
  for (int i = 0; i < settings.models_size(); ++i) {
    absl::StatusOr<ConfiguredModel> model = MakeModel(settings, i, clock, clients, on_call, on_failure);
    if (!model.ok()) return AtConfigPath(absl::StrCat("chat.models[", i, "]"), model.status());
    made.push_back(*std::move(model));
  }
  return std::make_unique<ChatModels>(std::move(made), settings.default_model());
}

}  // namespace toolgate::executors::chat
