// Which combinations of listener, credentials and roles are unsafe or impossible.
#ifndef TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_

#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Everything about who may call that can be seen without opening a file. The files themselves are CheckConfigFiles'.
void CheckIdentity(const toolgate::config::v1::Config& config, security::ReportProblem problem);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
