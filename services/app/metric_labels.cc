#include "services/app/metric_labels.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/build_info/build_info.h"
#include "common/tool_error.h"
#include "executors/chat/make_chat_models.h"
#include "executors/chat/settings.pb.h"
#include "security/injection_defence/finding_families.h"
#include "services/api/rpc_table.h"
#include "services/core/core.h"
#include "services/http/front_door.h"

namespace toolgate::services::app {
namespace {

// The refusals that each step makes by itself, so that their first occurrence is an increase. Others, such as those of
// a store that is full or out of order, appear once counted.
constexpr std::pair<std::string_view, ErrorCode> kUsualRejections[] = {
    {"authenticate", ErrorCode::kUnauthorized},
    {"authenticate", ErrorCode::kForbidden},
    {"authenticate", ErrorCode::kInvalidParams},
    {"authenticate", ErrorCode::kOverloaded},
    {"resolve", ErrorCode::kUnknownTool},
    {"resolve", ErrorCode::kInvalidParams},
    {"resolve", ErrorCode::kNotConfigured},
    {"injection_defence", ErrorCode::kInjectionDetected},
    {"injection_defence", ErrorCode::kInvalidParams},
    {"param_validation", ErrorCode::kInvalidParams},
    {"param_validation", ErrorCode::kMissingRequired},
    {"param_validation", ErrorCode::kForbidden},
    {"authorization", ErrorCode::kForbidden},
    {"rate_limit", ErrorCode::kRateLimited},
    {"rate_limit", ErrorCode::kQuotaExceeded},
    {"rate_limit", ErrorCode::kCircuitOpen},
    {"rate_limit", ErrorCode::kOverloaded},
    {"confirmation", ErrorCode::kCancelled},
    {"confirmation", ErrorCode::kForbidden},
    {"confirmation", ErrorCode::kQuotaExceeded},
    {"confirmation", ErrorCode::kOverloaded},
    {"execution_tracking", ErrorCode::kInvalidParams},
    {"execution_tracking", ErrorCode::kQuotaExceeded},
    {"execution_tracking", ErrorCode::kOverloaded},
    {"execution_tracking", ErrorCode::kTimeout},
    {"execution_tracking", ErrorCode::kCancelled},
};

// In the order of their names.
std::set<std::string> ProvidersOf(const executors::Catalog& catalog, const toolgate::config::v1::Config& config) {
  std::set<std::string> providers;
  for (const executors::Tool& tool : catalog.tools()) providers.insert(tool.definition.provider);
  for (const auto& [name, limits] : config.rate_limiting().providers()) providers.insert(name);
  for (const auto& [name, bound] : config.execution_tracking().max_effects_by_provider()) providers.insert(name);
  using executors::chat::ChatSettings;
  if (config.families().HasExtension(ChatSettings::chat)) {
    for (const auto& model : config.families().GetExtension(ChatSettings::chat).models()) {
      providers.insert(executors::chat::ProviderNameOf(model));
    }
  }
  providers.erase("");
  return providers;
}

}  // namespace

observability::MetricsOptions MetricLabels(const executors::Catalog& catalog,
                                           const toolgate::config::v1::Config& config) {
  observability::MetricsOptions options;
  options.tools = catalog.ids();
  for (const std::string_view step : core::Core::StepNames()) options.layers.emplace_back(step);
  for (const api::RpcRow& row : api::kRpcTable) {
    options.rpc_methods.push_back({std::string(row.type), std::string(row.service), std::string(row.method)});
  }
  if (!config.http().listen().empty()) options.http_routes = http::FrontDoor::Labels();
  for (const std::string& provider : ProvidersOf(catalog, config)) options.providers.push_back(provider);
  for (const std::string_view family : security::injection_defence::kFindingFamilies) {
    options.finding_families.emplace_back(family);
  }
  for (const auto& [layer, reason] : kUsualRejections) options.usual_rejections.emplace_back(layer, reason);
  options.version = build_info::Version();
  options.commit = build_info::Revision();
  return options;
}

}  // namespace toolgate::services::app
