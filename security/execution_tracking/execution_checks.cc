#include "security/execution_tracking/execution_checks.h"

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/yaml/yaml_proto.h"

namespace toolgate::security::execution_tracking {
namespace {

void CheckModules(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                  yaml::ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) known.insert(tool.definition.module);
  for (const auto& [module, places] : Sorted(config.max_in_flight_by_module())) {
    const std::string path = yaml::YamlPathOfKey("execution_tracking.max_in_flight_by_module", module);
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
                    yaml::ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) {
    if (!tool.definition.provider.empty()) known.insert(tool.definition.provider);
  }
  for (const auto& [provider, bound] : Sorted(config.max_effects_by_provider())) {
    const std::string path = yaml::YamlPathOfKey("execution_tracking.max_effects_by_provider", provider);
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
                            yaml::ReportProblem report) {
  CheckModules(tools, config, report);
  CheckProviders(tools, config, report);
}

}  // namespace toolgate::security::execution_tracking
