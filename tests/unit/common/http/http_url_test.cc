#include "common/http/http_url.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

struct UrlCase {
  const char* name;
  const char* text;
  const char* origin;
  const char* path;
  const char* query;
};

class HttpUrlTest : public ::testing::TestWithParam<UrlCase> {};

TEST_P(HttpUrlTest, TakesUrlsApart) {
  const UrlCase& test = GetParam();
  const auto url = HttpUrl::Parse(test.text);
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->origin(), test.origin);
  EXPECT_EQ(url->path, test.path);
  EXPECT_EQ(url->query, test.query);
}

INSTANTIATE_TEST_SUITE_P(
    Urls, HttpUrlTest,
    ::testing::Values(UrlCase{"HostAlone", "http://example.com", "http://example.com", "/", ""},
                      UrlCase{"Path", "https://example.com/a/b", "https://example.com", "/a/b", ""},
                      UrlCase{"Query", "https://example.com/a?b=c?d", "https://example.com", "/a", "?b=c?d"},
                      UrlCase{"QueryWithoutPath", "http://example.com?a", "http://example.com", "/", "?a"},
                      UrlCase{"Fragment", "http://example.com/a#b?c", "http://example.com", "/a", ""},
                      UrlCase{"Case", "HTTPS://Example.COM/A", "https://example.com", "/A", ""},
                      UrlCase{"OwnPort", "http://example.com:8080/", "http://example.com:8080", "/", ""},
                      UrlCase{"UsualPort", "https://example.com:443/", "https://example.com", "/", ""},
                      UrlCase{"EmptyPort", "https://example.com:/", "https://example.com", "/", ""},
                      UrlCase{"Address", "http://127.0.0.1:1/", "http://127.0.0.1:1", "/", ""},
                      UrlCase{"Address6", "http://[2001:DB8::1]:81/x", "http://[2001:db8::1]:81", "/x", ""},
                      UrlCase{"AtSignInPath", "http://example.com/@a", "http://example.com", "/@a", ""}),
    [](const auto& row) { return row.param.name; });

TEST(HttpSchemeTest, IsThatOfTheWebInAnyCase) {
  for (const char* const text : {"http://a", "https://a", "HtTpS://a", "http://"})
    EXPECT_TRUE(HasHttpScheme(text)) << text;
  for (const char* const text : {"", "http:/a", "httpx://a", " http://a", "javascript://a", "//a"}) {
    EXPECT_FALSE(HasHttpScheme(text)) << text;
  }
}

struct BadUrlCase {
  const char* name;
  std::string text;
};

class BadHttpUrlTest : public ::testing::TestWithParam<BadUrlCase> {};

TEST_P(BadHttpUrlTest, IsRefused) {
  EXPECT_EQ(HttpUrl::Parse(GetParam().text).status().code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Urls, BadHttpUrlTest,
    ::testing::Values(
        BadUrlCase{"Empty", ""}, BadUrlCase{"Relative", "/a"}, BadUrlCase{"NoScheme", "example.com"},
        BadUrlCase{"OtherScheme", "file:///etc/passwd"}, BadUrlCase{"OneSlash", "http:/example.com"},
        BadUrlCase{"NoHost", "http:///a"}, BadUrlCase{"PortAlone", "http://:80/"},
        BadUrlCase{"User", "http://user@example.com/"}, BadUrlCase{"Password", "http://user:word@example.com/"},
        BadUrlCase{"HostBehindUser", "http://example.com@127.0.0.1/"},
        BadUrlCase{"Backslash", "http://example.com\\@127.0.0.1/"},
        BadUrlCase{"LineBreak", "http://example.com/\r\nX: y"}, BadUrlCase{"Space", "http://example.com/a b"},
        BadUrlCase{"Nul", std::string("http://example.com/\0", 20)},
        BadUrlCase{"NotAscii", "http://ex\xC3\xA4mple.com/"},
        BadUrlCase{"PercentInHost", "http://127.0.0.1%2f.example.com/"},
        BadUrlCase{"PortTooLarge", "http://example.com:65536/"}, BadUrlCase{"PortZero", "http://example.com:0/"},
        BadUrlCase{"PortText", "http://example.com:8o/"}, BadUrlCase{"PortSign", "http://example.com:+80/"},
        BadUrlCase{"OpenBracket", "http://[::1/"}, BadUrlCase{"TextBehindBracket", "http://[::1]x/"},
        BadUrlCase{"ZoneId", "http://[fe80::1%25eth0]/"},
        BadUrlCase{"TooLong", "http://example.com/" + std::string(9000, 'a')}),
    [](const auto& row) { return row.param.name; });

TEST(HttpUrlMessageTest, QuotesNothingOfTheUrl) {
  const auto url = HttpUrl::Parse("http://user:word@example.com/?key=secret");
  EXPECT_EQ(url.status().message(), "URL must not have a user name or password");
}

}  // namespace
}  // namespace toolgate::http
