// Requirements of the settings of traces.
#ifndef TOOLGATE_SERVICES_CONFIG_TRACE_CHECKS_H_
#define TOOLGATE_SERVICES_CONFIG_TRACE_CHECKS_H_

#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

// Reports everything that stands in the way of an export as `traces` says. Values of headers are not quoted.
void CheckTraces(const toolgate::config::v1::Traces& traces, security::ReportProblem report);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_TRACE_CHECKS_H_
