// Requirements of a configuration beyond its types: the one place that decides, for `toolgate check`, for the start and
// for a reload.
#ifndef TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/yaml/yaml_proto.h"
#include "executors/family.h"
#include "executors/tool.h"
#include "security/authorization/permissions.h"
#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Reports everything that stands in the way of a service of `tools` and `permissions`, which are those of `families`:
// values out of their ranges first, then the rest section by section. What a layer can be made with is decided by the
// ranges and by that layer's own check, which its Create asks as well; so what passes here is refused nowhere after,
// but for what depends on the machine: whether an address is free and the data directory can be used.
void CheckConfig(const toolgate::config::v1::Config& config, const std::vector<executors::Family>& families,
                 const std::vector<executors::Tool>& tools, const security::authorization::PermissionTable& permissions,
                 security::ReportProblem report);

// Reports problems with the files that a configuration without problems names: certificates, keys, secrets.
void CheckConfigFiles(const toolgate::config::v1::Config& config, absl::Time now, security::ReportProblem report);

// The place where the value at `path` was written. For a value that `places` does not know, the place of the nearest
// enclosing value, or "default".
std::string PlaceOf(const yaml::YamlPlaces& places, std::string_view path);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_
