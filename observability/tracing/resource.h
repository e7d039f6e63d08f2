// The process that spans are from.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_RESOURCE_H_
#define TOOLGATE_OBSERVABILITY_TRACING_RESOURCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

namespace toolgate::observability::tracing {

// Attributes of the resource, by name.
using Resource = std::map<std::string, std::variant<std::string, int64_t>>;

// This process: service.name is `service_name`, service.version `version`, service.instance.id `instance_id`; also
// host.name, process.pid and telemetry.sdk.*. Each of `more` is added, or replaces the attribute of its name, except
// service.name and telemetry.sdk.*.
Resource MakeResource(std::string_view service_name, std::string_view version, std::string_view instance_id,
                      const std::map<std::string, std::string>& more);

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_RESOURCE_H_
