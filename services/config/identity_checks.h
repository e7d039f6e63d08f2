// Which combinations of listener, credentials and roles are unsafe or impossible.
#ifndef TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Told of each problem: the path of the value, and what is wrong, why, and what to do.
using ReportProblem = absl::FunctionRef<void(std::string_view path, std::string_view what)>;

// Everything about who may call that can be seen without opening a file. The files themselves are looked at when the
// service starts.
void CheckIdentity(const toolgate::config::v1::Config& config, ReportProblem problem);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
