// The web pages whose requests are taken.
#ifndef TOOLGATE_SERVICES_HTTP_ORIGIN_RULES_H_
#define TOOLGATE_SERVICES_HTTP_ORIGIN_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "services/http/request_head.h"

namespace toolgate::services::http {

// Protects a listener from pages in the browsers of those who can reach it. A page's requests carry its origin, which
// must be listed. A page whose host name was made to stand for this machine (DNS rebinding) sends that name as Host,
// which must be listed too where no credentials are asked for. Immutable.
class OriginRules {
 public:
  struct Options {
    // As browsers send them: "https://app.example.com", "http://localhost:5173". Exact matches only.
    std::vector<std::string> origins;
    // Whether Host must be a loopback name or one of `hosts`: where callers are believed on a TCP port.
    bool check_host = false;
    std::vector<std::string> hosts;  // Without ports.
  };
  enum class Verdict {
    kFine,           // Not from a page.
    kAllowedOrigin,  // From a page that is listed.
    kForeignOrigin,
    kForeignHost,
  };

  explicit OriginRules(const Options& options);

  Verdict Judge(const RequestHead& head) const;

 private:
  bool KnowsHost(std::string_view host) const;

  absl::flat_hash_set<std::string> origins_;
  absl::flat_hash_set<std::string> hosts_;
  bool check_host_;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_ORIGIN_RULES_H_
