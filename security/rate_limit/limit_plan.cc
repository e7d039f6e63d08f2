#include "security/rate_limit/limit_plan.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"

namespace toolgate::security::rate_limit {
namespace {

using executors::Audience;
using executors::RateLimit;

// A log holds at most this many times of 8 bytes.
constexpr int64_t kMaxCalls = 1'000'000;
constexpr absl::Duration kMinWindow = absl::Milliseconds(1);
constexpr absl::Duration kMaxWindow = absl::Hours(24 * 366);
constexpr std::string_view kAnyTool = "*";

absl::Status AddLimit(std::string_view where, const RateLimit& limit, bool fail_open, AudienceWindows& windows) {
  const auto refuse = [&](std::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(where), ": ", ToAbsl(what)));
  };
  if (limit.max_calls < 1) {
    return refuse("a limit's max_calls must be at least 1; to forbid a tool, take its permission away");
  }
  if (limit.max_calls > kMaxCalls) return refuse("a limit's max_calls must be at most 1000000");
  if (limit.window < kMinWindow || limit.window > kMaxWindow) {
    return refuse("a limit's window must be between 1ms and 366 days");
  }
  for (const bool is_guest : {false, true}) {
    if (limit.audience == (is_guest ? Audience::kUser : Audience::kGuest)) continue;
    std::vector<Window>& of_audience = windows.MutableFor(is_guest);
    const bool twice = std::any_of(of_audience.begin(), of_audience.end(),
                                   [&](const Window& other) { return other.length == limit.window; });
    if (twice) return refuse(absl::StrCat("two limits over the same ", absl::FormatDuration(limit.window)).c_str());
    of_audience.push_back({limit.max_calls, limit.window, fail_open});
  }
  return absl::OkStatus();
}

bool IsOpen(config::v1::OnStoreFailure choice) { return choice == config::v1::ON_STORE_FAILURE_FAIL_OPEN; }

// What holds for all limits is in `defaults`.
absl::StatusOr<AudienceWindows> CompileConfig(std::string_view where, const config::v1::ToolLimits& limits,
                                              const config::v1::RateLimiting& defaults) {
  AudienceWindows windows;
  for (const config::v1::Window& window : limits.windows()) {
    RateLimit limit{Audience::kAny, window.max_calls(), FromProtoDuration(window.window())};
    if (window.audience() == "user") {
      limit.audience = Audience::kUser;
    } else if (window.audience() == "guest") {
      limit.audience = Audience::kGuest;
    } else if (window.audience() != "any") {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(where), ": audience \"", window.audience(),
                                                     "\" is not one of \"user\", \"guest\" and \"any\""));
    }
    const bool own_choice = window.on_store_failure() != config::v1::ON_STORE_FAILURE_UNSPECIFIED;
    const bool fail_open = IsOpen(own_choice ? window.on_store_failure() : defaults.on_store_failure());
    RETURN_IF_ERROR(AddLimit(where, limit, fail_open, windows));
  }
  return windows;
}

absl::StatusOr<AudienceWindows> WindowsOf(const executors::Tool& tool, const config::v1::RateLimiting& config) {
  const std::string& id = tool.definition.id;
  const auto override = config.tools().find(id);
  if (override != config.tools().end()) {
    return CompileConfig(absl::StrCat("rate_limiting.tools.", id), override->second, config);
  }
  AudienceWindows windows;
  for (const RateLimit& limit : tool.definition.limits) {
    RETURN_IF_ERROR(AddLimit(absl::StrCat("tool ", id), limit, IsOpen(config.on_store_failure()), windows));
  }
  return windows;
}

absl::Status CheckNames(const LimitPlan& plan, const std::vector<executors::Tool>& tools,
                        const config::v1::RateLimiting& config) {
  for (const auto& [id, limits] : config.tools()) {
    const bool known =
        id == kAnyTool || std::any_of(tools.begin(), tools.end(),
                                      [&id = id](const executors::Tool& tool) { return tool.definition.id == id; });
    if (!known) return absl::InvalidArgumentError(absl::StrCat("rate_limiting.tools: there is no tool \"", id, "\""));
  }
  for (const auto& [name, limits] : config.providers()) {
    const bool known = std::any_of(plan.tools.begin(), plan.tools.end(),
                                   [&name = name](const ToolLimitPlan& tool) { return tool.provider == name; });
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("rate_limiting.providers: no tool calls a provider \"", name, "\""));
    }
  }
  return absl::OkStatus();
}

absl::Status CompileRoles(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                          const config::v1::Identity& identity, LimitPlan& plan) {
  for (const auto& [role_name, role] : identity.roles()) {
    for (const auto& [id, limits] : role.limits()) {
      const std::string where = absl::StrCat("identity.roles.", role_name, ".limits.", id);
      const auto tool = std::find_if(tools.begin(), tools.end(), [&id = id](const executors::Tool& candidate) {
        return candidate.definition.id == id;
      });
      if (tool == tools.end()) return absl::InvalidArgumentError(absl::StrCat(where, ": there is no such tool"));
      ASSIGN_OR_RETURN(AudienceWindows windows, CompileConfig(where, limits, config));
      auto& of_role = plan.roles[role_name];
      of_role.resize(tools.size());
      of_role[tool->index] = RoleToolLimits{std::move(windows), absl::StrCat(id, "@", role_name)};
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LimitPlan> CompileLimits(const std::vector<executors::Tool>& tools,
                                        const config::v1::RateLimiting& config, const config::v1::Identity& identity) {
  LimitPlan plan;
  plan.tools.resize(tools.size());
  for (const executors::Tool& tool : tools) {
    if (tool.index >= tools.size()) return absl::InternalError("tool indexes are not dense");
    ToolLimitPlan& of_tool = plan.tools[tool.index];
    ASSIGN_OR_RETURN(of_tool.windows, WindowsOf(tool, config));
    of_tool.provider = tool.definition.provider;
    const auto throttle = config.providers().find(of_tool.provider);
    if (throttle == config.providers().end()) continue;
    const std::string where = absl::StrCat("rate_limiting.providers.", of_tool.provider);
    for (const config::v1::Window& window : throttle->second.windows()) {
      if (window.audience() == "any") continue;
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": a provider's limit is over all callers; its audience must be \"any\""));
    }
    ASSIGN_OR_RETURN(const AudienceWindows windows, CompileConfig(where, throttle->second, config));
    of_tool.provider_windows = windows.For(/*is_guest=*/false);
  }
  const auto any_tool = config.tools().find(std::string(kAnyTool));
  if (any_tool != config.tools().end()) {
    ASSIGN_OR_RETURN(plan.user_windows, CompileConfig("rate_limiting.tools.*", any_tool->second, config));
  }
  RETURN_IF_ERROR(CheckNames(plan, tools, config));
  RETURN_IF_ERROR(CompileRoles(tools, config, identity, plan));
  return plan;
}

}  // namespace toolgate::security::rate_limit
