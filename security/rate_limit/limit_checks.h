// Checks the configuration of layer 3.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_

#include <vector>

#include "executors/tool.h"
#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::rate_limit {

// Reports, of layer 3 and of what roles say of limits: tools, providers and audiences that do not exist, two limits of
// the same callers over the same span, and choices that were not made. Ranges are CheckRanges'.
void CheckRateLimiting(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                       const config::v1::Identity& identity, yaml::ReportProblem report);

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_
