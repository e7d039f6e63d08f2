// Unsafe or impossible combinations of listener, credentials and roles.
#ifndef TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_

#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Checks everything about callers that can be checked without opening a file. CheckConfigFiles checks the files
// themselves.
void CheckIdentity(const toolgate::config::v1::Config& config, security::ReportProblem problem);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_IDENTITY_CHECKS_H_
