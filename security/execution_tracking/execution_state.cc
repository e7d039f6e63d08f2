#include "security/execution_tracking/execution_state.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "common/status_macros.h"
#include "common/yaml/config_rules.h"
#include "security/config_check.h"
#include "security/execution_tracking/execution_checks.h"

namespace toolgate::security::execution_tracking {

fairness::Shares SharesOf(const config::v1::ExecutionTracking& config) {
  return {.of_user = config.max_share_per_user(), .of_workspace = config.max_share_per_workspace()};
}

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
    : config_(config),
      shares_(SharesOf(config)),
      requests_(std::move(requests)),
      waits_(clock),
      queued_(config.max_queued(), shares_),
      effects_(config.max_effects(), shares_),
      all_(config.max_in_flight(), shares_, queued_, waits_) {
  for (const executors::Tool& tool : tools) {
    of_module(tool.definition.module);
    if (!tool.definition.provider.empty()) effects_of_provider(tool.definition.provider);
  }
}

Bulkhead& ExecutionState::of_module(const std::string& module) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<Bulkhead>& bulkhead = by_module_[module];
  if (bulkhead == nullptr) {
    const auto places = config_.max_in_flight_by_module().find(module);
    const bool is_configured = places != config_.max_in_flight_by_module().end();
    bulkhead = std::make_unique<Bulkhead>(is_configured ? places->second : std::max<int64_t>(all_.places() * 3 / 4, 1),
                                          shares_, queued_, waits_);
  }
  return *bulkhead;
}

fairness::SharedCount& ExecutionState::effects_of_provider(const std::string& provider) {
  absl::MutexLock lock(&mutex_);
  std::unique_ptr<fairness::SharedCount>& count = effects_by_provider_[provider];
  if (count == nullptr) {
    const auto bound = config_.max_effects_by_provider().find(provider);
    const bool is_configured = bound != config_.max_effects_by_provider().end();
    count = std::make_unique<fairness::SharedCount>(is_configured ? bound->second : config_.max_effects_per_provider(),
                                                    shares_);
  }
  return *count;
}

std::vector<EffectLoad> ExecutionState::ListEffects() const {
  std::vector<EffectLoad> loads = {{"", effects_.bound(), effects_.taken()}};
  absl::MutexLock lock(&mutex_);
  for (const auto& [provider, count] : effects_by_provider_) {
    loads.push_back({provider, count->bound(), count->taken()});
  }
  return loads;
}

std::vector<BulkheadLoad> ExecutionState::ListLoads() const {
  std::vector<BulkheadLoad> loads = {{"", all_.places(), all_.in_flight(), all_.waiting()}};
  absl::MutexLock lock(&mutex_);
  for (const auto& [module, bulkhead] : by_module_) {
    loads.push_back({module, bulkhead->places(), bulkhead->in_flight(), bulkhead->waiting()});
  }
  return loads;
}

}  // namespace toolgate::security::execution_tracking
