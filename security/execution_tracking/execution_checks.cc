#include "security/execution_tracking/execution_checks.h"

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/yaml_proto.h"
#include "security/execution_tracking/result_cap.h"

namespace toolgate::security::execution_tracking {
namespace {

constexpr int64_t kMostPlaces = 1'000'000;
constexpr int64_t kLargestResult = int64_t{1} << 30;

void CheckModules(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                  ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) known.insert(tool.definition.module);
  for (const auto& [module, places] : Sorted(config.max_in_flight_by_module())) {
    const std::string path = YamlPathOfKey("execution_tracking.max_in_flight_by_module", module);
    if (!known.contains(module)) {
      std::string better = Suggestion(module, {known.begin(), known.end()});
      if (better.empty())
        better = absl::StrCat("; there are ", absl::StrJoin(std::set<std::string>(known.begin(), known.end()), ", "));
      report(path, absl::StrCat("no tool is of a module ", Quoted(module), better));
    }
    if (places >= 1 && places <= config.max_in_flight()) continue;
    report(path, absl::StrCat("is ", places, "; must be from 1 to execution_tracking.max_in_flight, ",
                              config.max_in_flight()));
  }
}

void CheckProviders(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                    ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) {
    if (!tool.definition.provider.empty()) known.insert(tool.definition.provider);
  }
  for (const auto& [provider, bound] : Sorted(config.max_effects_by_provider())) {
    const std::string path = YamlPathOfKey("execution_tracking.max_effects_by_provider", provider);
    if (!known.contains(provider)) {
      report(path, absl::StrCat("no tool has a provider ", Quoted(provider),
                                Suggestion(provider, {known.begin(), known.end()})));
    }
    if (bound >= 1 && bound <= config.max_effects()) continue;
    report(path,
           absl::StrCat("is ", bound, "; must be from 1 to execution_tracking.max_effects, ", config.max_effects()));
  }
}

}  // namespace

void CheckExecutionTracking(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                            ReportProblem report) {
  CheckInteger("execution_tracking.max_calls_per_request", config.max_calls_per_request(), 1, kMany, report);
  const absl::Duration day = absl::Hours(24);
  const absl::Duration shortest = absl::Milliseconds(1);
  CheckDuration("execution_tracking.tool_timeout", config.tool_timeout(), shortest, day, report);
  CheckDuration("execution_tracking.max_execution_time_per_request", config.max_execution_time_per_request(), shortest,
                day, report);
  CheckDuration("execution_tracking.request_memory", config.request_memory(), absl::Seconds(1), day, report);
  CheckInteger("execution_tracking.max_tracked_requests", config.max_tracked_requests(), 1, kMany, report);
  CheckInteger("execution_tracking.max_in_flight", config.max_in_flight(), 1, kMostPlaces, report);
  CheckInteger("execution_tracking.max_queued", config.max_queued(), 0, kMostPlaces, report);
  CheckDuration("execution_tracking.max_queue_time", config.max_queue_time(), absl::ZeroDuration(), absl::Hours(1),
                report);
  CheckInteger("execution_tracking.max_result_bytes", config.max_result_bytes(), int64_t{kMinResultBytes},
               kLargestResult, report);
  CheckInteger("execution_tracking.max_effects", config.max_effects(), 1, kMostPlaces, report);
  CheckInteger("execution_tracking.max_effects_per_provider", config.max_effects_per_provider(), 1, kMostPlaces,
               report);
  CheckModules(tools, config, report);
  CheckProviders(tools, config, report);
}

}  // namespace toolgate::security::execution_tracking
