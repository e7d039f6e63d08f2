#include "security/rate_limit/limit_checks.h"

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/proto_time.h"
#include "common/yaml/yaml_proto.h"
#include "security/rate_limit/limit_plan.h"

namespace toolgate::security::rate_limit {
namespace {

bool Overlap(const std::string& audience, const std::string& other) {
  return audience == other || audience == "any" || other == "any";
}

void CheckWindow(const std::string& path, const config::v1::Window& window, yaml::ReportProblem report) {
  const std::string& audience = window.audience();
  if (audience != "user" && audience != "guest" && audience != "any") {
    report(path + ".audience", absl::StrCat("is ", Quoted(audience), "; must be user, guest or any"));
  }
}

void CheckLimits(const std::string& path, const config::v1::ToolLimits& limits, yaml::ReportProblem report) {
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
                    yaml::ReportProblem report) {
  std::set<std::string_view> known;
  for (const executors::Tool& tool : tools) {
    if (!tool.definition.provider.empty()) known.insert(tool.definition.provider);
  }
  for (const auto& [name, limits] : Sorted(config.providers())) {
    const std::string path = yaml::YamlPathOfKey("rate_limiting.providers", name);
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

}  // namespace

void CheckRateLimiting(const std::vector<executors::Tool>& tools, const config::v1::RateLimiting& config,
                       const config::v1::Identity& identity, yaml::ReportProblem report) {
  if (config.enforcement() == config::v1::ENFORCEMENT_UNSPECIFIED) {
    report("rate_limiting.enforcement", "must be ENFORCE or REPORT");
  }
  if (config.on_store_failure() == config::v1::ON_STORE_FAILURE_UNSPECIFIED) {
    report("rate_limiting.on_store_failure", "must be FAIL_CLOSED or FAIL_OPEN");
  }
  for (const auto& [id, limits] : Sorted(config.tools())) {
    const std::string path = yaml::YamlPathOfKey("rate_limiting.tools", id);
    if (id != kAllCalls) CheckTool(path, id, tools, report);
    CheckLimits(path, limits, report);
  }
  CheckProviders(tools, config, report);
  for (const auto& [name, role] : Sorted(identity.roles())) {
    const std::string of_role = yaml::YamlPathOfKey("identity.roles", name) + ".limits";
    for (const auto& [id, limits] : Sorted(role.limits())) {
      const std::string path = yaml::YamlPathOfKey(of_role, id);
      CheckTool(path, id, tools, report);
      CheckLimits(path, limits, report);
    }
  }
}

}  // namespace toolgate::security::rate_limit
