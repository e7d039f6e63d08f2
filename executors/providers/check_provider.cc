#include "executors/providers/check_provider.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"

namespace toolgate::executors::providers {
namespace {

bool IsVariableName(std::string_view name) {
  return !absl::ascii_isdigit(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

// Problem of the URL; empty: none.
std::string ProblemOfBase(const std::string& base) {
  const auto url = http::HttpUrl::Parse(base);
  if (!url.ok()) return absl::StrCat(url.status().message(), "; \"https://api.example.com/v1\" would be right");
  if (!url->query.empty() || absl::StrContains(base, "#")) return "must have no query and no fragment";
  if (absl::EndsWith(base, "/")) return "must not end with a slash, since the service's paths begin with one";
  return "";
}

std::string ProblemOfProxy(const std::string& proxy) {
  for (const char* const scheme : {"http://", "https://", "socks5://", "socks5h://"}) {
    if (absl::StartsWithIgnoreCase(proxy, scheme)) return "";
  }
  return "must be a URL that begins with http://, https://, socks5:// or socks5h://";
}

std::string ProblemOfPath(const std::string& path) {
  return absl::StartsWith(path, "/") ? "" : "must be an absolute path, such as /etc/toolgate/key";
}

}  // namespace

void CheckProvider(std::string_view section, const ProviderSettings& settings, yaml::ReportProblem report) {
  const auto check = [&](std::string_view field, const std::string& value, auto problem_of) {
    if (value.empty()) return;
    if (const std::string problem = problem_of(value); !problem.empty()) {
      report(absl::StrCat(ToAbsl(section), ".", ToAbsl(field)), problem);
    }
  };
  check("base_url", settings.base_url(), ProblemOfBase);
  check("api_key_env", settings.api_key_env(), [](const std::string& name) -> std::string {
    return IsVariableName(name) ? "" : "must be the name of an environment variable, not a key";
  });
  check("api_key_file", settings.api_key_file(), ProblemOfPath);
  check("proxy", settings.proxy(), ProblemOfProxy);
  check("ca_file", settings.ca_file(), ProblemOfPath);
}

}  // namespace toolgate::executors::providers
