#include "security/rate_limit/limit_checks.h"

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/proto_time.h"
#include "common/yaml_proto.h"

namespace toolgate::security::rate_limit {
namespace {

constexpr std::string_view kAnyTool = "*";
constexpr int64_t kMostProbes = 10'000;

bool Overlap(const std::string& audience, const std::string& other) {
  return audience == other || audience == "any" || other == "any";
}

void CheckWindow(const std::string& path, const config::v1::Window& window, ReportProblem report) {
  const std::string& audience = window.audience();
  if (audience != "user" && audience != "guest" && audience != "any") {
    report(path + ".audience", absl::StrCat("is ", Quoted(audience), "; must be user, guest or any"));
  }
  if (window.max_calls() < 1) {
    report(path + ".max_calls",
           absl::StrCat("is ", window.max_calls(), "; must be at least 1; to forbid a tool, take its permission away"));
  } else {
    CheckInteger(path + ".max_calls", window.max_calls(), 1, kMaxCalls, report);
  }
  CheckDuration(path + ".window", window.window(), kMinWindow, kMaxWindow, report);
}

void CheckLimits(const std::string& path, const config::v1::ToolLimits& limits, ReportProblem report) {
  for (int i = 0; i < limits.windows_size(); ++i) {
    const config::v1::Window& window = limits.windows(i);
    const std::string of_window = absl::StrCat(path, ".windows[", i, "]");
    CheckWindow(of_window, window, report);
    for (int earlier = 0; earlier < i; ++earlier) {
      const config::v1::Window& other = limits.windows(earlier);
      const absl::Duration span = FromProtoDuration(window.window());
      if (span != FromProtoDuration(other.window()) || !Overlap(window.audience(), other.audience())) continue;
      report(of_window + ".window", absl::StrCat("is ", DurationText(span), ", and so is that of windows[", earlier,
                                                 "]; of two limits over the same span only the lower one can hold"));
      break;
    }
  }
}

void CheckProviders(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                    ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) {
    if (!tool.definition.provider.empty()) known.insert(tool.definition.provider);
  }
  for (const auto& [name, limits] : Sorted(config.providers())) {
    const std::string path = YamlPathOfKey("rate_limiting.providers", name);
    if (!known.contains(name)) {
      report(path,
             absl::StrCat("no tool calls a provider ", Quoted(name), Suggestion(name, {known.begin(), known.end()})));
    }
    CheckLimits(path, limits, report);
    for (int i = 0; i < limits.windows_size(); ++i) {
      const std::string& audience = limits.windows(i).audience();
      if (audience != "user" && audience != "guest") continue;
      report(
          absl::StrCat(path, ".windows[", i, "].audience"),
          absl::StrCat("is ", Quoted(audience), "; a provider's limit is over all callers together and must be any"));
    }
  }
}

void CheckBreaker(const config::v1::CircuitBreaker& breaker, ReportProblem report) {
  const std::string path = "rate_limiting.circuit_breaker";
  const absl::Duration day = absl::Hours(24);
  CheckDuration(path + ".window", breaker.window(), absl::Milliseconds(10), day, report);
  CheckInteger(path + ".min_calls", breaker.min_calls(), 1, kMany, report);
  CheckShare(path + ".failure_ratio", breaker.failure_ratio(), report);
  CheckInteger(path + ".consecutive_failures", breaker.consecutive_failures(), 1, kMany, report);
  CheckDuration(path + ".open_duration", breaker.open_duration(), absl::Milliseconds(1), day, report);
  CheckInteger(path + ".half_open_probes", breaker.half_open_probes(), 1, kMostProbes, report);
}

}  // namespace

void CheckRateLimiting(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                       const config::v1::Identity& identity, ReportProblem report) {
  if (config.enforcement() == config::v1::ENFORCEMENT_UNSPECIFIED) {
    report("rate_limiting.enforcement", "must be ENFORCE or REPORT");
  }
  if (config.on_store_failure() == config::v1::ON_STORE_FAILURE_UNSPECIFIED) {
    report("rate_limiting.on_store_failure", "must be FAIL_CLOSED or FAIL_OPEN");
  }
  CheckInteger("rate_limiting.max_tracked_users", config.max_tracked_users(), 1, kMany, report);
  CheckBreaker(config.circuit_breaker(), report);
  for (const auto& [id, limits] : Sorted(config.tools())) {
    const std::string path = YamlPathOfKey("rate_limiting.tools", id);
    if (id != kAnyTool) CheckTool(path, id, tools, report);
    CheckLimits(path, limits, report);
  }
  CheckProviders(tools, config, report);
  for (const auto& [name, role] : Sorted(identity.roles())) {
    const std::string of_role = YamlPathOfKey("identity.roles", name) + ".limits";
    for (const auto& [id, limits] : Sorted(role.limits())) {
      const std::string path = YamlPathOfKey(of_role, id);
      CheckTool(path, id, tools, report);
      CheckLimits(path, limits, report);
    }
  }
}

}  // namespace toolgate::security::rate_limit
