#include "executors/artifacts/artifact_tools.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "executors/artifacts/artifact_policy.h"
#include "executors/artifacts/artifacts_defaults.h"
#include "executors/artifacts/artifacts_definitions.h"
#include "executors/artifacts/generate_artifact.h"
#include "executors/artifacts/settings.pb.h"
#include "executors/models/chat_model.h"
#include "executors/providers/check_provider.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::artifacts {
namespace {

using providers::Provider;

// As in the tool's definition, and so in limits and breakers.
constexpr char kProviderName[] = "artifact_model";

void CheckArtifacts(const google::protobuf::Message& section, yaml::ReportProblem report) {
  ArtifactSettings settings;
  settings.CopyFrom(section);
  providers::CheckProvider("artifacts.provider", settings.provider(), report);
  if (!settings.provider().base_url().empty() && settings.provider().model().empty()) {
    report("artifacts.provider.model", "is empty; must name the model that writes artifacts");
  }
  for (const std::string& host : settings.script_hosts()) {
    if (host.empty() || host.find_first_of("/:@ ") != std::string::npos || host != absl::AsciiStrToLower(host)) {
      report("artifacts.script_hosts",
             absl::StrCat("\"", host, "\" is not a host name; must be one in lower case, without port or path"));
    }
  }
}

absl::StatusOr<FamilyTools> ArtifactTools(const FamilyContext& context) {
  const ArtifactSettings& settings = context.settings.GetExtension(ArtifactSettings::artifacts);
  ASSIGN_OR_RETURN(const std::shared_ptr<Provider> provider,
                   Provider::Create({.name = kProviderName,
                                     .key = providers::KeyForm::kBearer,
                                     .settings = settings.provider(),
                                     .section = "artifacts.provider",
                                     .clients = context.http_clients,
                                     .on_failure = context.on_provider_failure},
                                    Clock::Real(), context.on_provider_call));
  std::shared_ptr<models::ChatModel> model = models::OpenAiChatModel(provider, models::OpenAiDialect::kGlm);
  const auto generator = std::make_shared<ArtifactGenerator>(std::move(model), PolicyOf(settings), Clock::Real());

  ToolHandlers handlers;
  handlers.id = "generate_artifact";
  handlers.run = EffectHandler(
      [generator](ToolContext& call, EffectSession& session) { return generator->Generate(call, session); });
  handlers.recover = &ArtifactGenerator::Recover;
  FamilyTools tools;
  tools.handlers.push_back(std::move(handlers));
  tools.available = [provider](const Caller&) { return provider->Configured(); };
  return tools;
}

}  // namespace

Family ArtifactFamily() {
  FamilySettings settings = SettingsOf<ArtifactSettings>(DefaultFiles().front());
  settings.check = CheckArtifacts;
  return {"artifacts", &DefinitionFiles(), ArtifactTools, settings, {"artifact:generate"}};
}

ArtifactPolicy PolicyOf(const ArtifactSettings& settings) {
  ArtifactPolicy policy;
  policy.max_fix_rounds = settings.max_fix_rounds();
  policy.last_fix_start = FromProtoDuration(settings.last_fix_start());
  policy.max_output_tokens = settings.max_output_tokens();
  policy.max_code_bytes = static_cast<size_t>(settings.max_code_bytes());
  policy.reasoning = settings.reasoning();
  policy.html.hosts.assign(settings.script_hosts().begin(), settings.script_hosts().end());
  policy.react.modules.assign(settings.react_modules().begin(), settings.react_modules().end());
  return policy;
}

}  // namespace toolgate::executors::artifacts
