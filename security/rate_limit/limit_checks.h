// What the configuration of layer 3 may be.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "executors/tool.h"
#include "security/config_check.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::rate_limit {

// What one limit may be, wherever it is written. A log holds at most this many times of 8 bytes.
inline constexpr int64_t kMaxCalls = 1'000'000;
inline constexpr absl::Duration kMinWindow = absl::Milliseconds(1);
inline constexpr absl::Duration kMaxWindow = absl::Hours(24 * 366);

// Reports, of layer 3 and of what roles say of limits: numbers and spans out of their bounds, tools, providers and
// audiences that do not exist, two limits of the same callers over the same span, and a breaker that could not work.
void CheckRateLimiting(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                       const config::v1::Identity& identity, ReportProblem report);

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_CHECKS_H_
