// Checks the configuration of layer 4.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_CHECKS_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_CHECKS_H_

#include <vector>

#include "executors/tool.h"
#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::execution_tracking {

// Reports places for a module that no tool is of, and more of them than there are in all. Ranges are CheckRanges'.
void CheckExecutionTracking(const std::vector<executors::Tool>& tools, const config::v1::ExecutionTracking& config,
                            yaml::ReportProblem report);

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_EXECUTION_CHECKS_H_
