#include "observability/otlp/endpoint.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::observability::otlp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EndpointTest, ReadsEveryForm) {
  const struct {
    std::string_view text;
    std::string_view target;
    bool tls;
  } rows[] = {{"http://collector:4317", "collector:4317", false},
              {"https://collector.example.com:443", "collector.example.com:443", true},
              {"http://collector", "collector:4317", false},
              {"HTTP://collector:55/", "collector:55", false},
              {"https://[::1]:4317", "[::1]:4317", true},
              {"http://[::1]", "[::1]:4317", false},
              {"unix:/run/otel.sock", "unix:/run/otel.sock", false}};
  for (const auto& row : rows) {
    const auto endpoint = ParseEndpoint(row.text);
    ASSERT_TRUE(endpoint.ok()) << row.text << ": " << endpoint.status();
    EXPECT_EQ(endpoint->target, row.target);
    EXPECT_EQ(endpoint->tls, row.tls) << row.text;
  }
}

TEST(EndpointTest, SaysWhatWouldBeRight) {
  const struct {
    std::string_view text;
    std::string_view problem;
  } rows[] = {{"collector:4317", "is no address"},
              {"", "is no address"},
              {"ftp://collector", "is no address"},
              {"http://collector:0", "no valid port"},
              {"http://collector:65536", "no valid port"},
              {"http://collector:", "no valid port"},
              {"http://:4317", "no host"},
              {"http://", "no host"},
              {"http://a b", "no host"},
              {"http://collector:4317/v1/traces", "has a path"},
              {"http://ann:hunter2@collector", "no "},
              {"unix:run/otel.sock", "no absolute path"}};
  for (const auto& row : rows) {
    const auto endpoint = ParseEndpoint(row.text);
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(endpoint.status().message()), HasSubstr(std::string(row.problem))) << row.text;
    EXPECT_THAT(std::string(endpoint.status().message()), HasSubstr("write http://host:port"));
    EXPECT_THAT(std::string(endpoint.status().message()), Not(HasSubstr("hunter2")));
  }
}

TEST(EndpointTest, OverHttpIsTheUrlAndAWholeOneUnlessItHasNoPath) {
  EXPECT_EQ(ParseHttpEndpoint("http://collector:4318").value(), "http://collector:4318/v1/traces");
  EXPECT_EQ(ParseHttpEndpoint("http://collector:4318/").value(), "http://collector:4318/");
  EXPECT_EQ(ParseHttpEndpoint("https://otlp.example.com?api-key=a/b").value(),
            "https://otlp.example.com/v1/traces?api-key=a/b");
  EXPECT_EQ(ParseHttpEndpoint("https://otlp.example.com/?api-key=x").value(), "https://otlp.example.com/?api-key=x");
  EXPECT_EQ(ParseHttpEndpoint("https://otlp.example.com#/x").value(), "https://otlp.example.com/v1/traces");
  EXPECT_EQ(ParseHttpEndpoint("https://otlp.example.com/tenant/v1/traces").value(),
            "https://otlp.example.com/tenant/v1/traces");
  for (const char* const text :
       {"", "collector:4318", "unix:/run/otel.sock", "http://ann:hunter2@collector/", "http://"}) {
    const auto url = ParseHttpEndpoint(text);
    EXPECT_EQ(url.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(url.status().message()), Not(HasSubstr("hunter2")));
  }
}

TEST(EndpointTest, AnOriginHasNeitherPathNorQuery) {
  for (const char* const rest : {"", "/", "/a?b", "?a=/b", "#a/b?c"}) {
    EXPECT_EQ(OriginOf(std::string("https://[::1]:4318") + rest), "https://[::1]:4318");
  }
  EXPECT_EQ(OriginOf("unix:/run/otel.sock"), "unix:/run/otel.sock");
}

}  // namespace
}  // namespace toolgate::observability::otlp
