#include "services/http/origin_rules.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::services::http {
namespace {

using Verdict = OriginRules::Verdict;

TEST(OriginRulesTest, JudgesOriginsAndHosts) {
  const OriginRules open({{"https://app.example.com", "http://localhost:5173"}, false, {}});
  const OriginRules local({{"https://app.example.com"}, true, {"gate.internal"}});
  const struct {
    std::string name;
    const OriginRules& rules;
    std::vector<std::string> origins;
    std::vector<std::string> hosts;
    Verdict verdict;
  } rows[] = {
      {"a program", open, {}, {"anything"}, Verdict::kFine},
      {"a listed page", open, {"https://app.example.com"}, {"gate"}, Verdict::kAllowedOrigin},
      {"a listed page with a port", open, {"http://localhost:5173"}, {"gate"}, Verdict::kAllowedOrigin},
      {"the same host by another scheme", open, {"http://app.example.com"}, {"gate"}, Verdict::kForeignOrigin},
      {"the same host on another port", open, {"https://app.example.com:444"}, {"gate"}, Verdict::kForeignOrigin},
      {"a longer host", open, {"https://app.example.com.evil.net"}, {"gate"}, Verdict::kForeignOrigin},
      {"a host in upper case, as no browser sends it",
       open,
       {"https://APP.example.com"},
       {"gate"},
       Verdict::kForeignOrigin},
      {"a sandboxed page", open, {"null"}, {"gate"}, Verdict::kForeignOrigin},
      {"an empty origin", open, {""}, {"gate"}, Verdict::kForeignOrigin},
      {"two origins", open, {"https://app.example.com", "https://app.example.com"}, {"gate"}, Verdict::kForeignOrigin},
      {"a program on the loopback", local, {}, {"127.0.0.1:8080"}, Verdict::kFine},
      {"by name", local, {}, {"localhost:8080"}, Verdict::kFine},
      {"by name in upper case", local, {}, {"LOCALHOST"}, Verdict::kFine},
      {"by IPv6", local, {}, {"[::1]:8080"}, Verdict::kFine},
      {"by a listed name", local, {}, {"gate.internal:8080"}, Verdict::kFine},
      {"by a rebound name", local, {}, {"evil.net:8080"}, Verdict::kForeignHost},
      {"by a name that begins alike", local, {}, {"localhost.evil.net"}, Verdict::kForeignHost},
      {"without a host", local, {}, {}, Verdict::kForeignHost},
      {"a listed page by a rebound name", local, {"https://app.example.com"}, {"evil.net"}, Verdict::kForeignHost},
      {"a foreign page by a good name", local, {"https://evil.net"}, {"localhost"}, Verdict::kForeignOrigin},
  };
  for (const auto& row : rows) {
    RequestHead head;
    head.origins = row.origins;
    head.hosts = row.hosts;
    EXPECT_EQ(row.rules.Judge(head), row.verdict) << row.name;
  }
}

}  // namespace
}  // namespace toolgate::services::http
