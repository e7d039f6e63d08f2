#include "executors/artifacts/checks/url.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::artifacts::checks {
namespace {

struct UrlCase {
  const char* name;
  std::string value;
  UrlKind kind;
  std::string host = "";
};

class UrlTest : public ::testing::TestWithParam<UrlCase> {};

TEST_P(UrlTest, ReadsWhatABrowserReads) {
  const Url url = ReadUrl(GetParam().value);
  EXPECT_EQ(url.kind, GetParam().kind);
  EXPECT_EQ(url.host, GetParam().host);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UrlTest,
    ::testing::Values(UrlCase{"Nothing", " \n", UrlKind::kEmpty}, UrlCase{"Fragment", "#top", UrlKind::kFragment},
                      UrlCase{"File", "style.css", UrlKind::kRelative},
                      UrlCase{"PathWithColon", "a/b:c", UrlKind::kRelative},
                      UrlCase{"Query", "?next=javascript:x", UrlKind::kRelative},
                      UrlCase{"Https", "https://User@Example.com:8443/a?b", UrlKind::kWeb, "example.com"},
                      UrlCase{"OneSlash", "https:/example.com/x", UrlKind::kWeb, "example.com"},
                      UrlCase{"Ipv6", "http://[::1]:80/", UrlKind::kWeb, "[::1]"},
                      UrlCase{"NoScheme", "//cdn.example/x.js", UrlKind::kWeb, "cdn.example"},
                      UrlCase{"Backslashes", "\\\\cdn.example\\x.js", UrlKind::kWeb, "cdn.example"},
                      UrlCase{"Mail", "mailto:a@example.com", UrlKind::kContact},
                      UrlCase{"Script", "javascript:alert(1)", UrlKind::kScript},
                      UrlCase{"ScriptInMixedCase", "JaVaScRiPt:alert(1)", UrlKind::kScript},
                      UrlCase{"ScriptWithTab", "java\tscript:alert(1)", UrlKind::kScript},
                      UrlCase{"ScriptWithLineBreaks", "j\navascript\r:alert(1)", UrlKind::kScript},
                      UrlCase{"ScriptAfterControls", "\x01\x02 javascript:alert(1)", UrlKind::kScript},
                      UrlCase{"VisualBasic", "vbscript:x", UrlKind::kScript},
                      UrlCase{"DataPage", "data:text/html,<script>", UrlKind::kScript},
                      UrlCase{"DataWithoutType", "data:,x", UrlKind::kScript},
                      UrlCase{"DataSvg", "data:image/svg+xml;base64,AA", UrlKind::kDataSvg},
                      UrlCase{"DataPng", "data:image/png;base64,AA", UrlKind::kDataImage},
                      UrlCase{"DataFont", "data:font/woff2;base64,AA", UrlKind::kDataImage},
                      UrlCase{"Blob", "blob:abc", UrlKind::kOther},
                      UrlCase{"WordAndColon", "javascripts:x", UrlKind::kOther}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace toolgate::executors::artifacts::checks
