// Checks of the settings of the HTTP listener.
#ifndef TOOLGATE_SERVICES_CONFIG_HTTP_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_HTTP_CHECKS_H_

#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Reports addresses that cannot be listened on or would be unsafe, and origins and hosts that no browser would send.
void CheckHttp(const toolgate::config::v1::Config& config, security::ReportProblem report);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_HTTP_CHECKS_H_
