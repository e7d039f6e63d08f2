// The check of a provider's section in the configuration.
#ifndef TOOLGATE_EXECUTORS_PROVIDERS_CHECK_PROVIDER_H_
#define TOOLGATE_EXECUTORS_PROVIDERS_CHECK_PROVIDER_H_

#include <string_view>

#include "common/yaml/config_rules.h"
#include "executors/providers/settings.pb.h"

namespace toolgate::executors::providers {

// Reports values that cannot work, for the check of a family's settings. `section` is the path of `settings`, for
// example "artifacts.provider". Ranges are CheckRanges'. A provider that is not configured is no problem.
void CheckProvider(std::string_view section, const ProviderSettings& settings, yaml::ReportProblem report);

}  // namespace toolgate::executors::providers

#endif  // TOOLGATE_EXECUTORS_PROVIDERS_CHECK_PROVIDER_H_
