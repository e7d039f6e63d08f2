// OpenTelemetry's variables of the environment.
#ifndef TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_
#define TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "common/yaml/yaml_proto.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

struct OtelEnvironment {
  std::function<std::optional<std::string>(std::string_view)> value;
  bool open_files = true;  // Whether files that variables name are read; false on a machine that has none of them.
};

// Told of a variable that is ignored, by its name, and why. Nothing that may be a credential is quoted.
using WarnOfVariable = absl::FunctionRef<void(std::string_view variable, std::string_view what)>;

// Replaces settings of `traces` by those of the variables that `environment` has (opentelemetry.io/docs/specs/otel:
// "Environment Variable Specification" and "OTLP Exporter Configuration"), and notes the variable in `places` as the
// place where the setting was written. An empty variable counts as absent. A variable whose value the settings cannot
// have is ignored with a warning, as the specification says, since operators inject variables into every process. No
// warnings while traces are off.
void MergeOtelVariables(const OtelEnvironment& environment, toolgate::config::v1::Traces& traces,
                        yaml::YamlPlaces& places, WarnOfVariable warn);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_OTEL_VARIABLES_H_
