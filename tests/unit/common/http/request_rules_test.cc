#include "common/http/request_rules.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Request Good() {
  return {.method = "POST", .url = "https://example.com/a", .headers = {{"x-key", "secret"}}, .body = "{}"};
}

TEST(CheckRequestTest, TakesAnOrdinaryRequest) {
  const auto url = CheckRequest(Good());
  ASSERT_TRUE(url.ok()) << url.status();
  EXPECT_EQ(url->text(), "https://example.com/a");
}

struct BadRequestCase {
  const char* name;
  std::function<void(Request&)> spoil;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

class CheckRequestRefusalTest : public ::testing::TestWithParam<BadRequestCase> {};

TEST_P(CheckRequestRefusalTest, QuotesNoValue) {
  Request request = Good();
  GetParam().spoil(request);
  const absl::Status status = CheckRequest(request).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_FALSE(absl::StrContains(status.message(), "secret")) << status;
}

INSTANTIATE_TEST_SUITE_P(
    Requests, CheckRequestRefusalTest,
    ::testing::Values(
        BadRequestCase{"LineBreakInMethod", [](Request& r) { r.method = "GET /\r\nX: y"; }},
        BadRequestCase{"EmptyMethod", [](Request& r) { r.method = ""; }},
        BadRequestCase{"LineBreakInValue", [](Request& r) { r.headers[0].value = "secret\r\nHost: evil"; }},
        BadRequestCase{"CarriageReturnInValue", [](Request& r) { r.headers[0].value = "secret\rX"; }},
        BadRequestCase{"LineFeedInValue", [](Request& r) { r.headers[0].value = "secret\nX"; }},
        BadRequestCase{"NulInValue", [](Request& r) { r.headers[0].value = std::string("secret\0X", 8); }},
        BadRequestCase{"LineBreakInName", [](Request& r) { r.headers[0].name = "x\r\ny"; }},
        BadRequestCase{"ColonInName", [](Request& r) { r.headers[0].name = "x:y"; }},
        BadRequestCase{"SpaceInName", [](Request& r) { r.headers[0].name = "x y"; }},
        BadRequestCase{"EmptyName", [](Request& r) { r.headers[0].name = ""; }},
        BadRequestCase{"Length", [](Request& r) { r.headers[0].name = "Content-Length"; }},
        BadRequestCase{"Chunked", [](Request& r) { r.headers[0].name = "transfer-encoding"; }},
        BadRequestCase{"Host", [](Request& r) { r.headers[0].name = "HOST"; }},
        BadRequestCase{"HugeHeaders", [](Request& r) { r.headers[0].value = std::string(1 << 17, 'x'); }},
        BadRequestCase{"NoTime", [](Request& r) { r.timeout = absl::ZeroDuration(); }},
        BadRequestCase{"NoTimeOfSilence", [](Request& r) { r.idle_timeout = absl::ZeroDuration(); }},
        BadRequestCase{"OtherScheme", [](Request& r) { r.url = "ftp://example.com/secret"; }},
        BadRequestCase{"Password", [](Request& r) { r.url = "https://a:secret@example.com/"; }},
        BadRequestCase{"Loopback", [](Request& r) { r.url = "http://127.0.0.1/secret"; },
                       absl::StatusCode::kPermissionDenied},
        BadRequestCase{"Loopback6", [](Request& r) { r.url = "http://[::1]/"; }, absl::StatusCode::kPermissionDenied},
        BadRequestCase{"Number", [](Request& r) { r.url = "http://2130706433/"; }, absl::StatusCode::kPermissionDenied},
        BadRequestCase{"Metadata", [](Request& r) { r.url = "http://169.254.169.254/"; },
                       absl::StatusCode::kPermissionDenied}),
    [](const auto& row) { return row.param.name; });

TEST(CheckRequestTest, AllowsPrivateAddressesWhereTheOperatorChoseThem) {
  Request request = Good();
  request.url = "http://127.0.0.1:9000/";
  request.private_addresses = true;
  EXPECT_TRUE(CheckRequest(request).ok());
}

// The request that follows a redirect.
Request Followed(Request request, int status, const std::string& to) {
  FollowRedirect(status, *HttpUrl::Parse(request.url), *HttpUrl::Parse(to), request);
  return request;
}

std::vector<std::string> Names(const Request& request) {
  std::vector<std::string> names;
  for (const Header& header : request.headers) names.push_back(header.name);
  return names;
}

TEST(FollowRedirectTest, APostBecomesAGetAsBrowsersDoIt) {
  for (const int status : {301, 302, 303}) {
    const Request next = Followed(Good(), status, "https://example.com/b");
    EXPECT_EQ(next.method, "GET") << status;
    EXPECT_THAT(next.body, IsEmpty()) << status;
    EXPECT_EQ(next.url, "https://example.com/b") << status;
  }
}

TEST(FollowRedirectTest, TemporaryRedirectsKeepMethodAndBody) {
  for (const int status : {307, 308}) {
    const Request next = Followed(Good(), status, "https://example.com/b");
    EXPECT_EQ(next.method, "POST") << status;
    EXPECT_EQ(next.body, "{}") << status;
  }
}

TEST(FollowRedirectTest, HeadStaysHead) {
  Request request = Good();
  request.method = "HEAD";
  EXPECT_EQ(Followed(request, 303, "https://example.com/b").method, "HEAD");
}

TEST(FollowRedirectTest, CredentialsStayWithTheirOrigin) {
  Request request = Good();
  request.headers = {{"Authorization", "Bearer secret"}, {"x-api-key", "secret"}, {"Accept", "*/*"}, {"Cookie", "a"}};
  request.signature = AwsSignature{.access_key = "a", .secret_key = "s", .region = "r"};
  const Request same = Followed(request, 307, "https://example.com/b");
  EXPECT_EQ(same.headers.size(), 4u);
  EXPECT_TRUE(same.signature.has_value());
  for (const char* const to : {"https://other.example.com/", "http://example.com/", "https://example.com:444/"}) {
    const Request other = Followed(request, 307, to);
    EXPECT_THAT(Names(other), ElementsAre("Accept")) << to;
    EXPECT_FALSE(other.signature.has_value()) << to;
  }
}

TEST(IsIdempotentTest, FollowsTheStandard) {
  for (const char* const method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) EXPECT_TRUE(IsIdempotent(method));
  for (const char* const method : {"POST", "PATCH", "CONNECT"}) EXPECT_FALSE(IsIdempotent(method));
}

}  // namespace
}  // namespace toolgate::http
