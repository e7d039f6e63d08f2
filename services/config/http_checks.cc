#include "services/config/http_checks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "services/config/listen_address.h"

namespace toolgate::services::config {
namespace {

using security::Quoted;
using security::ReportProblem;
using toolgate::config::v1::Config;

// Whether `address` is where another of the process's listeners is. Port 0 is never the same twice.
bool IsTaken(const Config& config, const ListenAddress& parsed) {
  if (parsed.unix_path.empty() && parsed.port == 0) return false;
  const auto& server = config.server();
  const std::string& address = config.http().listen();
  return address == server.listen() || address == server.metrics_listen() || address == server.health_listen();
}

// On a network everyone needs credentials that nobody else can read; and of those that there are, HTTP takes tokens.
void CheckSafety(const Config& config, const ListenAddress& parsed, ReportProblem report) {
  const bool tls = !config.server().tls().certificate_file().empty() && parsed.unix_path.empty();
  const bool tokens = !config.identity().jwt().issuer().empty() || !config.identity().jwt().issuers().empty();
  if (!parsed.is_local() && (!tls || !tokens)) {
    report("http.listen",
           absl::StrCat(Quoted(config.http().listen()),
                        " can be reached from other machines; that needs server.tls and tokens (identity.jwt); write "
                        "127.0.0.1:port or unix:/path, or set both up"));
  } else if (!tokens && !config.identity().services().empty()) {
    report("http.listen",
           "cannot know its callers: identity.services are known by client certificates, which the HTTP listener does "
           "not ask for; set up identity.jwt, or leave http.listen empty");
  }
}

void CheckAddress(const Config& config, ReportProblem report) {
  const std::string& address = config.http().listen();
  if (address.empty()) return;
  const auto parsed = ParseListenAddress(address);
  if (!parsed.ok()) {
    report("http.listen", absl::StrCat(Quoted(address), " is no address to listen on: ", parsed.status().message(),
                                       ", or off for none"));
  } else if (IsTaken(config, *parsed)) {
    report("http.listen", "is where another of the service's listeners is; write another address, or off");
  } else {
    CheckSafety(config, *parsed, report);
  }
}

// "scheme://host" or "scheme://host:port" in lower case: the form of the header Origin (RFC 6454, section 6.2).
bool IsOrigin(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view host = text.substr(colon + 3);
  if (host.empty()) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(colon),
                     [](char c) { return absl::ascii_islower(static_cast<unsigned char>(c)) || c == '-'; }) &&
         std::all_of(host.begin(), host.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) ||
                  std::string_view(".-:[]").find(c) != std::string_view::npos;
         });
}

bool IsHostName(std::string_view text) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']');
  return !text.empty() && (bracketed || text.find(':') == std::string_view::npos) &&
         text.find_first_of("/*@ ") == std::string_view::npos;
}

}  // namespace

void CheckHttp(const Config& config, ReportProblem report) {
  CheckAddress(config, report);
  const auto& http = config.http();
  for (int i = 0; i < http.allowed_origins_size(); ++i) {
    if (IsOrigin(http.allowed_origins(i))) continue;
    report(absl::StrCat("http.allowed_origins[", i, "]"),
           absl::StrCat(Quoted(http.allowed_origins(i)),
                        " is no origin that a browser sends; write scheme://host or scheme://host:port in lower case, "
                        "without a path; there is no \"*\""));
  }
  for (int i = 0; i < http.allowed_hosts_size(); ++i) {
    if (IsHostName(http.allowed_hosts(i))) continue;
    report(absl::StrCat("http.allowed_hosts[", i, "]"),
           absl::StrCat(Quoted(http.allowed_hosts(i)), " is no host name; write it without port, path or \"*\""));
  }
}

}  // namespace toolgate::services::config
