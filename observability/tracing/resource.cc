#include "observability/tracing/resource.h"

#include <limits.h>
#include <unistd.h>

#include <array>

#include "observability/tracing/attribute_names.h"

namespace toolgate::observability::tracing {
namespace {

std::string HostName() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Resource MakeResource(std::string_view service_name, std::string_view version, std::string_view instance_id,
                      const std::map<std::string, std::string>& more) {
  Resource resource;
  const auto set = [&resource](std::string_view name, std::string_view value) {
    resource[std::string(name)] = std::string(value);
  };
  set(kServiceVersion, version);
  set(kServiceInstanceId, instance_id);
  if (const std::string host = HostName(); !host.empty()) set(kHostName, host);
  resource[std::string(kProcessPid)] = static_cast<int64_t>(getpid());
  for (const auto& [name, value] : more) set(name, value);
  set(kServiceName, service_name);
  set(kTelemetrySdkName, kScopeName);
  set(kTelemetrySdkLanguage, kCpp);
  set(kTelemetrySdkVersion, version);
  return resource;
}

}  // namespace toolgate::observability::tracing
