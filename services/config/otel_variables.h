// OpenTelemetry's variables of the environment.
#ifndef TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_
#define TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/yaml/yaml_proto.h"
#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Replaces settings of `traces` by those of the variables that `environment` has (opentelemetry.io/docs/specs/otel:
// "Environment Variable Specification" and "OTLP Exporter Configuration"), and notes the variable in `places` as the
// place where the setting was written. An empty variable counts as absent. Values that cannot be read are reported, but
// nothing at all while traces are off. What the values must be is CheckTraces' to say.
void MergeOtelVariables(const std::function<std::optional<std::string>(std::string_view)>& environment,
                        toolgate::config::v1::Traces& traces, yaml::YamlPlaces& places, security::ReportProblem report);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_
