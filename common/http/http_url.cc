#include "common/http/http_url.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::http {
namespace {

constexpr uint16_t kPlainPort = 80;
constexpr uint16_t kTlsPort = 443;
constexpr size_t kMaxBytes = 8192;
constexpr size_t kMaxHostBytes = 253;

// Printable ASCII without the characters that URLs never hold unescaped.
bool IsUrlCharacter(char c) {
  return c > ' ' && c < '\x7f' && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

bool IsHostCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
}

bool IsAddressCharacter(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.'; }

absl::Status SetPort(std::string_view text, HttpUrl& url) {
  uint32_t port = url.tls ? kTlsPort : kPlainPort;
  if (!text.empty() && (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
                        !absl::SimpleAtoi(ToAbsl(text), &port) || port == 0 || port > UINT16_MAX)) {
    return absl::InvalidArgumentError("URL has an invalid port; ports are 1 to 65535");
  }
  url.port = static_cast<uint16_t>(port);
  return absl::OkStatus();
}

// Takes "[…]" or the host off the authority, and leaves ":port" or nothing.
absl::StatusOr<std::string> TakeHost(std::string_view& authority) {
  const bool bracketed = absl::StartsWith(ToAbsl(authority), "[");
  const size_t end = bracketed ? authority.find(']') : std::min(authority.find(':'), authority.size());
  if (end == std::string_view::npos) return absl::InvalidArgumentError("URL has a bracket that is never closed");
  std::string host(bracketed ? authority.substr(1, end - 1) : authority.substr(0, end));
  authority.remove_prefix(end + (bracketed ? 1 : 0));
  const bool valid = std::all_of(host.begin(), host.end(), bracketed ? IsAddressCharacter : IsHostCharacter);
  if (host.empty() || host.size() > kMaxHostBytes || !valid) {
    return absl::InvalidArgumentError("URL has an invalid host; write international names as xn--…");
  }
  absl::AsciiStrToLower(&host);
  return host;
}

}  // namespace

bool HasHttpScheme(std::string_view text) {
  return absl::StartsWithIgnoreCase(ToAbsl(text), "https://") || absl::StartsWithIgnoreCase(ToAbsl(text), "http://");
}

std::string HttpUrl::origin() const {
  const bool is_address = host.find(':') != std::string::npos;
  std::string text = absl::StrCat(tls ? "https://" : "http://", is_address ? "[" : "", host, is_address ? "]" : "");
  if (port != (tls ? kTlsPort : kPlainPort)) absl::StrAppend(&text, ":", port);
  return text;
}

absl::StatusOr<HttpUrl> HttpUrl::Parse(std::string_view text) {
  if (text.size() > kMaxBytes)
    return absl::InvalidArgumentError(absl::StrCat("URL is longer than ", kMaxBytes, " bytes"));
  if (!std::all_of(text.begin(), text.end(), IsUrlCharacter)) {
    return absl::InvalidArgumentError("URL has characters that must be written as %XX");
  }
  if (!HasHttpScheme(text)) return absl::InvalidArgumentError("URL must begin with http:// or https://");
  HttpUrl url;
  url.tls = absl::StartsWithIgnoreCase(ToAbsl(text), "https://");
  text.remove_prefix(text.find("//") + 2);
  text = text.substr(0, text.find('#'));
  const size_t end = std::min(text.find_first_of("/?"), text.size());
  std::string_view authority = text.substr(0, end);
  const std::string_view rest = text.substr(end);
  if (authority.find('@') != std::string_view::npos) {
    return absl::InvalidArgumentError("URL must not have a user name or password");
  }
  ASSIGN_OR_RETURN(url.host, TakeHost(authority));
  if (!authority.empty() && authority.front() != ':') return absl::InvalidArgumentError("URL has text behind its host");
  if (!authority.empty()) authority.remove_prefix(1);
  RETURN_IF_ERROR(SetPort(authority, url));
  const size_t query = std::min(rest.find('?'), rest.size());
  url.path = query == 0 ? "/" : rest.substr(0, query);
  url.query = rest.substr(query);
  return url;
}

}  // namespace toolgate::http
