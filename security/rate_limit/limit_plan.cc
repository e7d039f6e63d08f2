#include "security/rate_limit/limit_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/yaml/config_rules.h"
#include "common/yaml/yaml_proto.h"
#include "security/rate_limit/limit_checks.h"

namespace toolgate::security::rate_limit {
namespace {

using executors::Audience;

void AddLimit(const executors::RateLimit& limit, bool fail_open, AudienceWindows& windows) {
  for (const bool is_guest : {false, true}) {
    if (limit.audience == (is_guest ? Audience::kUser : Audience::kGuest)) continue;
    windows.MutableFor(is_guest).push_back({limit.max_calls, limit.window, fail_open});
  }
}

bool IsOpen(config::v1::OnStoreFailure choice) { return choice == config::v1::ON_STORE_FAILURE_FAIL_OPEN; }

Audience AudienceOf(const std::string& name) {
  if (name == "user") return Audience::kUser;
  return name == "guest" ? Audience::kGuest : Audience::kAny;
}

// For limits that CheckRateLimiting has accepted. `defaults` has the values that apply to all limits.
AudienceWindows CompileConfig(const config::v1::ToolLimits& limits, const config::v1::RateLimiting& defaults) {
  AudienceWindows windows;
  for (const config::v1::Window& window : limits.windows()) {
    const bool own_choice = window.on_store_failure() != config::v1::ON_STORE_FAILURE_UNSPECIFIED;
    const bool fail_open = IsOpen(own_choice ? window.on_store_failure() : defaults.on_store_failure());
    AddLimit({AudienceOf(window.audience()), window.max_calls(), FromProtoDuration(window.window())}, fail_open,
             windows);
  }
  return windows;
}

// Checks a definition's limits, which no check of the configuration covers.
absl::Status CheckDefinition(const executors::ToolDefinition& definition) {
  const auto refuse = [&](std::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("tool ", definition.id, ": ", ToAbsl(what)));
  };
  for (const executors::RateLimit& limit : definition.limits) {
    config::v1::Window window;
    window.set_max_calls(limit.max_calls);
    SetProtoDuration(limit.window, *window.mutable_window());
    const absl::Status in_range =
        FirstProblem([&](yaml::ReportProblem report) { yaml::CheckRanges(window, "limits", report); });
    if (!in_range.ok()) return refuse(FromAbsl(in_range.message()));
    const auto same = [&](const executors::RateLimit& other) {
      const bool overlap =
          limit.audience == other.audience || limit.audience == Audience::kAny || other.audience == Audience::kAny;
      return overlap && limit.window == other.window;
    };
    if (std::count_if(definition.limits.begin(), definition.limits.end(), same) > 1) {
      return refuse(absl::StrCat("two limits over the same ", absl::FormatDuration(limit.window)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<AudienceWindows> WindowsOf(const executors::Tool& tool, const config::v1::RateLimiting& config) {
  RETURN_IF_ERROR(CheckDefinition(tool.definition));
  const auto override = config.tools().find(tool.definition.id);
  if (override != config.tools().end()) return CompileConfig(override->second, config);
  AudienceWindows windows;
  for (const executors::RateLimit& limit : tool.definition.limits)
    AddLimit(limit, IsOpen(config.on_store_failure()), windows);
  return windows;
}

void CompileRoles(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                  const config::v1::Identity& identity, LimitPlan& plan) {
  for (const auto& [role_name, role] : identity.roles()) {
    for (const executors::Tool& tool : tools) {
      const std::string& id = tool.definition.id;
      const auto limits = role.limits().find(id);
      if (limits == role.limits().end()) continue;
      auto& of_role = plan.roles[role_name];
      of_role.resize(tools.size());
      of_role[tool.index] = RoleToolLimits{CompileConfig(limits->second, config), absl::StrCat(id, "@", role_name)};
    }
  }
}

}  // namespace

absl::StatusOr<LimitPlan> CompileLimits(const std::vector<executors::Tool>& tools,
                                        const config::v1::RateLimiting& config, const config::v1::Identity& identity) {
  RETURN_IF_ERROR(FirstProblem([&](yaml::ReportProblem report) {
    yaml::CheckRanges(config, "rate_limiting", report);
    for (const auto& [name, role] : Sorted(identity.roles())) {
      yaml::CheckRanges(role, yaml::YamlPathOfKey("identity.roles", name), report);
    }
    CheckRateLimiting(tools, config, identity, report);
  }));
  LimitPlan plan;
  plan.tools.resize(tools.size());
  for (const executors::Tool& tool : tools) {
    if (tool.index >= tools.size()) return absl::InternalError("tool indexes are not dense");
    ToolLimitPlan& of_tool = plan.tools[tool.index];
    ASSIGN_OR_RETURN(of_tool.windows, WindowsOf(tool, config));
    of_tool.provider = tool.definition.provider;
    const auto throttle = config.providers().find(of_tool.provider);
    if (throttle == config.providers().end()) continue;
    of_tool.provider_windows = CompileConfig(throttle->second, config).For(/*is_guest=*/false);
  }
  const auto all_calls = config.tools().find(std::string(kAllCalls));
  if (all_calls != config.tools().end()) plan.user_windows = CompileConfig(all_calls->second, config);
  CompileRoles(tools, config, identity, plan);
  return plan;
}

}  // namespace toolgate::security::rate_limit
