#include "services/http/origin_rules.h"

#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"

namespace toolgate::services::http {
namespace {

constexpr std::string_view kLoopbackNames[] = {"localhost", "127.0.0.1", "[::1]"};

// "[::1]:8080" and "localhost:8080" without the port, in lower case.
std::string WithoutPort(std::string_view host) {
  const size_t bracket = host.rfind(']');
  const size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return absl::AsciiStrToLower(ToAbsl(host.substr(0, colon)));
}

}  // namespace

OriginRules::OriginRules(const Options& options)
    : origins_(options.origins.begin(), options.origins.end()), check_host_(options.check_host) {
  for (const std::string_view name : kLoopbackNames) hosts_.emplace(name);
  for (const std::string& host : options.hosts) hosts_.insert(absl::AsciiStrToLower(host));
}

OriginRules::Verdict OriginRules::Judge(const RequestHead& head) const {
  if (check_host_ && (head.hosts.size() != 1 || !KnowsHost(head.hosts.front()))) return Verdict::kForeignHost;
  if (head.origins.empty()) return Verdict::kFine;
  const bool listed = head.origins.size() == 1 && origins_.contains(head.origins.front());
  return listed ? Verdict::kAllowedOrigin : Verdict::kForeignOrigin;
}

bool OriginRules::KnowsHost(std::string_view host) const { return hosts_.contains(WithoutPort(host)); }

}  // namespace toolgate::services::http
