#include "security/execution_tracking/execution_state.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace toolgate::security::execution_tracking {

absl::Status ExecutionState::CheckSizes(const std::vector<executors::Tool>& tools,
                                        const config::v1::ExecutionTracking& config) {
  const auto refuse = [](const auto&... what) {
    return absl::InvalidArgumentError(absl::StrCat("execution_tracking.", what...));
  };
  if (config.max_in_flight() < 1) return refuse("max_in_flight must be at least 1");
  if (config.max_queued() < 0) return refuse("max_queued must not be negative");
  if (config.max_tracked_requests() < 1) return refuse("max_tracked_requests must be at least 1");
  for (const auto& [module, places] : config.max_in_flight_by_module()) {
    if (places < 1 || places > config.max_in_flight()) {
      return refuse("max_in_flight_by_module.", module, " must be between 1 and max_in_flight, ",
                    config.max_in_flight());
    }
    const bool known = std::any_of(tools.begin(), tools.end(),
                                   [&name = module](const auto& tool) { return tool.definition.module == name; });
    if (!known) return refuse("max_in_flight_by_module: no tool is of a module \"", module, "\"");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ExecutionState>> ExecutionState::Create(const std::vector<executors::Tool>& tools,
                                                                       const config::v1::ExecutionTracking& config,
                                                                       const Clock& clock) {
  RETURN_IF_ERROR(CheckSizes(tools, config));
  return absl::WrapUnique(
      new ExecutionState(tools, config, std::make_unique<RequestTracker>(config.max_tracked_requests(), clock)));
}

ExecutionState::ExecutionState(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                               std::unique_ptr<RequestTracker> requests)
    : requests_(std::move(requests)), room_(config.max_queued()), all_(config.max_in_flight(), room_) {
  const int64_t places_by_default = std::max<int64_t>(int64_t{config.max_in_flight()} * 3 / 4, 1);
  const auto& configured = config.max_in_flight_by_module();
  for (const executors::Tool& tool : tools) {
    std::unique_ptr<Bulkhead>& bulkhead = by_module_[tool.definition.module];
    if (bulkhead != nullptr) continue;
    const auto places = configured.find(tool.definition.module);
    bulkhead = std::make_unique<Bulkhead>(places == configured.end() ? places_by_default : places->second, room_);
  }
}

std::vector<BulkheadLoad> ExecutionState::ListLoads() const {
  std::vector<BulkheadLoad> loads = {{"", all_.places(), all_.in_flight(), all_.waiting()}};
  for (const auto& [module, bulkhead] : by_module_) {
    loads.push_back({module, bulkhead->places(), bulkhead->in_flight(), bulkhead->waiting()});
  }
  return loads;
}

}  // namespace toolgate::security::execution_tracking
