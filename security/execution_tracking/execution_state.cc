#include "security/execution_tracking/execution_state.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "common/status_macros.h"
#include "common/yaml/config_rules.h"
#include "security/config_check.h"
#include "security/execution_tracking/execution_checks.h"

namespace toolgate::security::execution_tracking {

absl::StatusOr<std::unique_ptr<ExecutionState>> ExecutionState::Create(const std::vector<executors::Tool>& tools,
                                                                       const config::v1::ExecutionTracking& config,
                                                                       const Clock& clock) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) {
    yaml::CheckRanges(config, "execution_tracking", report);
    CheckExecutionTracking(tools, config, report);
  }));
  return absl::WrapUnique(
      new ExecutionState(tools, config, std::make_unique<RequestTracker>(config.max_tracked_requests(), clock), clock));
}

ExecutionState::ExecutionState(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                               std::unique_ptr<RequestTracker> requests, const Clock& clock)
    : requests_(std::move(requests)),
      waits_(clock),
      queued_(config.max_queued()),
      effects_(config.max_effects()),
      all_(config.max_in_flight(), queued_, waits_) {
  const int64_t places_by_default = std::max<int64_t>(int64_t{config.max_in_flight()} * 3 / 4, 1);
  const auto& configured = config.max_in_flight_by_module();
  for (const executors::Tool& tool : tools) {
    std::unique_ptr<Bulkhead>& bulkhead = by_module_[tool.definition.module];
    if (bulkhead != nullptr) continue;
    const auto places = configured.find(tool.definition.module);
    bulkhead =
        std::make_unique<Bulkhead>(places == configured.end() ? places_by_default : places->second, queued_, waits_);
  }
  for (const executors::Tool& tool : tools) {
    const std::string& provider = tool.definition.provider;
    std::unique_ptr<BoundedCount>& count = effects_by_provider_[provider];
    if (count != nullptr || provider.empty()) continue;
    const auto bound = config.max_effects_by_provider().find(provider);
    count = std::make_unique<BoundedCount>(
        bound == config.max_effects_by_provider().end() ? config.max_effects_per_provider() : bound->second);
  }
  effects_by_provider_.erase("");
}

std::vector<EffectLoad> ExecutionState::ListEffects() const {
  std::vector<EffectLoad> loads = {{"", effects_.bound(), effects_.taken()}};
  for (const auto& [provider, count] : effects_by_provider_) {
    loads.push_back({provider, count->bound(), count->taken()});
  }
  return loads;
}

std::vector<BulkheadLoad> ExecutionState::ListLoads() const {
  std::vector<BulkheadLoad> loads = {{"", all_.places(), all_.in_flight(), all_.waiting()}};
  for (const auto& [module, bulkhead] : by_module_) {
    loads.push_back({module, bulkhead->places(), bulkhead->in_flight(), bulkhead->waiting()});
  }
  return loads;
}

}  // namespace toolgate::security::execution_tracking
