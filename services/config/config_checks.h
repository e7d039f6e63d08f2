// What a configuration must satisfy beyond its types.
#ifndef TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_

#include <string>
#include <vector>

#include "common/yaml_proto.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// One line a problem, "PLACE: path: what is wrong", in the order of the fields. The place of a value that `places` does
// not know is that of the nearest value around it, or "default". `tools` are the ids of all tools; empty: names of
// tools are not checked.
std::vector<std::string> CheckConfig(const toolgate::config::v1::Config& config, const YamlPlaces& places,
                                     const std::vector<std::string>& tools);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_CONFIG_CHECKS_H_
