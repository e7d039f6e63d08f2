#include "observability/otlp/endpoint.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"

namespace toolgate::observability::otlp {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kForms = "write http://host:port, https://host:port or unix:/path";
constexpr std::string_view kAuthority = "://";
constexpr char kTracesPath[] = "/v1/traces";
constexpr int kDefaultPort = 4317;
constexpr int kMaxPort = 65535;

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(what), "; ", ToAbsl(kForms)));
}

bool IsHost(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    return std::all_of(host.begin(), host.end(), [](unsigned char c) { return absl::ascii_isxdigit(c) || c == ':'; });
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

// "host", "host:port" or either with a slash behind it.
absl::StatusOr<std::string> TargetOf(std::string_view authority) {
  if (authority.ends_with('/')) authority.remove_suffix(1);
  if (authority.find('/') != std::string_view::npos) return Wrong("has a path, which OTLP over gRPC has no use for");
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  int port = kDefaultPort;
  if (has_port && (!absl::SimpleAtoi(ToAbsl(authority.substr(colon + 1)), &port) || port < 1 || port > kMaxPort)) {
    return Wrong("has no valid port");
  }
  const std::string_view host = has_port ? authority.substr(0, colon) : authority;
  if (!IsHost(host)) return Wrong("names no host");
  return absl::StrCat(ToAbsl(host), ":", port);
}

}  // namespace

absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text) {
  if (text.starts_with(kUnix)) {
    if (!text.substr(kUnix.size()).starts_with('/')) return Wrong("names no absolute path of a Unix socket");
    return Endpoint{std::string(text), false};
  }
  const bool tls = absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(kHttps));
  if (!tls && !absl::StartsWithIgnoreCase(ToAbsl(text), ToAbsl(kHttp))) return Wrong("is no address of a receiver");
  absl::StatusOr<std::string> target = TargetOf(text.substr((tls ? kHttps : kHttp).size()));
  if (!target.ok()) return target.status();
  return Endpoint{*std::move(target), tls};
}

absl::StatusOr<std::string> ParseHttpEndpoint(std::string_view text) {
  constexpr std::string_view kHttpForms = "write http://host:port/path or https://host:port/path";
  const absl::StatusOr<http::HttpUrl> parsed = http::HttpUrl::Parse(WithPath(text, kTracesPath));
  if (parsed.ok()) return parsed->text();
  return absl::InvalidArgumentError(
      absl::StrCat("is no address of a receiver of OTLP over HTTP; ", ToAbsl(kHttpForms)));
}

std::string_view OriginOf(std::string_view url) {
  const size_t scheme = url.find(kAuthority);
  return scheme == std::string_view::npos ? url : url.substr(0, url.find_first_of("/?#", scheme + kAuthority.size()));
}

std::string WithPath(std::string_view url, std::string_view path) {
  const std::string_view origin = OriginOf(url);
  const std::string_view rest = url.substr(origin.size());
  return absl::StrCat(ToAbsl(origin), ToAbsl(rest.starts_with('/') ? std::string_view() : path), ToAbsl(rest));
}

}  // namespace toolgate::observability::otlp
