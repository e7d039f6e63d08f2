#include "services/config/http_checks.h"

#include <fstream>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/temp_dir.h"

namespace toolgate::services::config {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kPlain = "";
constexpr std::string_view kUserTokens =
    "identity: {jwt: {issuer: https://issuer.example, audiences: [toolgate], jwks_url: "
    "\"https://issuer.example/keys\"}}\n";
constexpr std::string_view kTlsAndTokens =
    "server: {tls: {certificate_file: c.pem, private_key_file: k.pem}}\n"
    "identity: {jwt: {issuer: https://issuer.example, audiences: [toolgate], jwks_url: "
    "\"https://issuer.example/keys\"}}\n";
constexpr std::string_view kServices =
    "server: {tls: {certificate_file: c.pem, private_key_file: k.pem, client_ca_file: ca.pem}}\n"
    "identity: {services: {planner: {certificate_names: [planner.internal], roles: [guest], trusted: true}}}\n";

// The problems of a configuration with `http` as its section of that name.
std::string HttpProblems(std::string_view http, std::string_view rest) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/t.yaml";
  std::ofstream(path) << "http: {" << http << "}\n" << rest;
  const auto config =
      Load({.file = path, .open_files = false, .environment = [](std::string_view) { return std::nullopt; }});
  return std::string(config.status().message());
}

TEST(HttpChecksTest, AcceptsEverySafeListener) {
  const struct {
    std::string_view http;
    std::string_view rest;
  } rows[] = {
      {"listen: \"\"", kPlain},
      {"listen: off", kPlain},
      {"listen: \"off\"", kServices},
      {"listen: \"127.0.0.1:8080\"", kPlain},
      {"listen: \"localhost:0\"", kPlain},
      {"listen: \"[::1]:8080\"", kUserTokens},
      {"listen: \"unix:/run/toolgate-http.sock\"", kPlain},
      {"listen: \"unix:/run/toolgate-http.sock\"", kTlsAndTokens},
      {"listen: \"0.0.0.0:8443\"", kTlsAndTokens},
      {"allowed_origins: [\"https://app.example.com\", \"http://localhost:5173\", \"chrome-extension://abc\"]", kPlain},
      {"allowed_hosts: [gate.internal, \"[fe80::1]\"]", kPlain},
  };
  for (const auto& row : rows) EXPECT_EQ(HttpProblems(row.http, row.rest), "") << row.http << row.rest;
}

TEST(HttpChecksTest, RefusesTheRestWithARemedy) {
  const struct {
    std::string_view http;
    std::string_view rest;
    std::string_view problem;
  } rows[] = {
      {"listen: nowhere", kPlain, "http.listen: \"nowhere\" is no address to listen on: no port"},
      {"listen: \"0.0.0.0:8080\"", kPlain, "can be reached from other machines; that needs server.tls and tokens"},
      {"listen: \"0.0.0.0:8080\"", kUserTokens, "can be reached from other machines"},
      {"listen: \"0.0.0.0:8080\"", kServices, "can be reached from other machines"},
      {"listen: \"127.0.0.1:8080\"", kServices, "cannot know its callers"},
      {"listen: \"127.0.0.1:50051\"", kPlain, "is where another of the service's listeners is"},
      {"listen: \"127.0.0.1:9464\"", kPlain, "is where another of the service's listeners is"},
      {"allowed_origins: [\"*\"]", kPlain, "http.allowed_origins[0]: \"*\" is no origin"},
      {"allowed_origins: [\"null\"]", kPlain, "is no origin"},
      {"allowed_origins: [app.example.com]", kPlain, "is no origin"},
      {"allowed_origins: [\"https://app.example.com/\"]", kPlain, "is no origin"},
      {"allowed_origins: [\"https://App.example.com\"]", kPlain, "in lower case"},
      {"allowed_origins: [\"https://a.b\", \"https://*.example.com\"]", kPlain, "http.allowed_origins[1]"},
      {"allowed_hosts: [\"gate:8080\"]", kPlain, "http.allowed_hosts[0]: \"gate:8080\" is no host name"},
      {"allowed_hosts: [\"*\"]", kPlain, "is no host name"},
      {"max_body_bytes: 0", kPlain, "http.max_body_bytes"},
      {"request_timeout: 0s", kPlain, "http.request_timeout"},
      {"idle_timeout: 500ms", kPlain, "http.idle_timeout"},
      {"port: 8080", kPlain, "port"},
  };
  for (const auto& row : rows) EXPECT_THAT(HttpProblems(row.http, row.rest), HasSubstr(row.problem)) << row.http;
}

TEST(HttpChecksTest, TheFlagTakesPrecedence) {
  const auto config = Load({.http_listen = "127.0.0.1:0", .open_files = false});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->http().listen(), "127.0.0.1:0");
  const auto wrong = Load({.http_listen = "nowhere", .open_files = false});
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("--http-listen: http.listen"));
}

}  // namespace
}  // namespace toolgate::services::config
