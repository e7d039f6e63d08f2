// Windows of each tool, compiled once from the definitions and the configuration.
#ifndef TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_PLAN_H_
#define TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_PLAN_H_

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordination/limits/sliding_window.h"
#include "executors/tool.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::rate_limit {

using coordination::limits::Window;

// Among limits of tools, the key of the limit over all calls of a user.
inline constexpr std::string_view kAllCalls = "*";

// Windows by whether the caller is a guest.
class AudienceWindows {
 public:
  const std::vector<Window>& For(bool is_guest) const { return windows_[is_guest ? 1 : 0]; }
  std::vector<Window>& MutableFor(bool is_guest) { return windows_[is_guest ? 1 : 0]; }

 private:
  std::array<std::vector<Window>, 2> windows_;
};

struct ToolLimitPlan {
  AudienceWindows windows;
  // As the tool's definition names it; empty for none.
  std::string provider;
  std::vector<Window> provider_windows;  // Over all callers together.
};

// Limits of a role's callers, in place of the tool's own.
struct RoleToolLimits {
  AudienceWindows windows;
  std::string log;  // A separate log, "tool@role": spans of different lengths cannot share one.
};

// Immutable once made.
struct LimitPlan {
  AudienceWindows user_windows;      // Over all calls of a user.
  std::vector<ToolLimitPlan> tools;  // By Tool::index.
  // By role and Tool::index; nothing if the role sets no limits for the tool.
  std::map<std::string, std::vector<std::optional<RoleToolLimits>>, std::less<>> roles;
};

// INVALID_ARGUMENT with the first problem of CheckRanges or CheckRateLimiting, or when a tool's own limits are
// impossible.
absl::StatusOr<LimitPlan> CompileLimits(const std::vector<executors::Tool>& tools,
                                        const config::v1::RateLimiting& config, const config::v1::Identity& identity);

}  // namespace toolgate::security::rate_limit

#endif  // TOOLGATE_SECURITY_RATE_LIMIT_LIMIT_PLAN_H_
