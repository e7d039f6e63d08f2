#include "services/config/identity_checks.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/source_dir.h"
#include "tests/support/temp_dir.h"

namespace toolgate::services::config {
namespace {

using ::testing::HasSubstr;

// Parts of valid configurations.
constexpr std::string_view kTls = "tls: {certificate_file: c.pem, private_key_file: k.pem}";
constexpr std::string_view kMutual = "tls: {certificate_file: c.pem, private_key_file: k.pem, client_ca_file: ca.pem}";
constexpr std::string_view kTokens =
    "jwt: {issuer: https://issuer.example, audiences: [toolgate], jwks_url: \"https://issuer.example/keys\"}";
constexpr std::string_view kService =
    "services: {planner: {certificate_names: [planner.internal], roles: [guest], trusted: true}}";

std::string Yaml(std::string_view server, std::string_view identity) {
  return absl::StrCat("server: {", std::string(server), "}\nidentity: {", std::string(identity), "}\n");
}

std::string Joined(std::string_view a, std::string_view b) { return std::string(a) + ", " + std::string(b); }

// The problems of a configuration, without their places.
std::string Problems(const std::string& text) {
  const testing::TempDir folder;
  const std::string path = folder.path() + "/t.yaml";
  std::ofstream(path) << text;
  const auto config =
      Load({.file = path, .open_files = false, .environment = [](std::string_view) { return std::nullopt; }});
  return std::string(config.status().message());
}

TEST(IdentityChecksTest, AcceptsEverySafeCombination) {
  const std::string open = "listen: \"0.0.0.0:50051\", channelz: false, ";
  const std::string good[] = {
      Yaml("", ""),
      Yaml("", kTokens),  // Tokens over plaintext on the loopback.
      Yaml("listen: \"unix:/run/toolgate.sock\"", kTokens),
      Yaml(open + std::string(kTls), kTokens),
      Yaml(open + std::string(kMutual), kTokens),
      Yaml(open + std::string(kMutual), kService),
      Yaml(open + std::string(kMutual), Joined(kService, kTokens)),
      Yaml(open + std::string(kMutual) + ", health_listen: \"0.0.0.0:50052\"", kService),
      Yaml("", "jwt: {issuer: i, audiences: [a], jwks_url: \"http://127.0.0.1:8080/keys\"}"),
      Yaml("", "jwt: {issuer: i, audiences: [a], jwks_url: \"http://[::1]:8080/keys\"}"),
      Yaml("", "jwt: {issuer: i, audiences: [a], jwks_url: \"http://localhost/keys\"}"),
      Yaml("", "jwt: {issuer: i, audiences: [a], jwks_file: keys.json, algorithms: [ES256, EdDSA]}"),
      Yaml("", "jwt: {issuer: i, audiences: [a], secret_file: secret, algorithms: [HS256]}"),
      Yaml("",
           "jwt: {clock_skew: 10s, issuers: [{issuer: i, audiences: [a], jwks_file: k, claims: {user: mail}}, "
           "{issuer: j, audiences: [b], secret_file: s, algorithms: [HS256], roles: [guest]}]}"),
      Yaml("", "jwt: {issuer: i, audiences: [a], jwks_file: k, claims: {roles: /realm_access/roles}}"),
      Yaml(kMutual, "services: {batch: {certificate_names: [\"cn:batch\"], roles: [guest], workspaces: [acme]}}"),
  };
  for (const std::string& text : good) EXPECT_EQ(Problems(text), "") << text;
}

TEST(IdentityChecksTest, TheExampleInTheDocumentsIsGood) {
  const auto config = Load({.file = SourceDir() + "/docs/secured.yaml", .open_files = false});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->identity().services().size(), 2);
}

struct Unsafe {
  std::string text;
  std::string problem;
};

TEST(IdentityChecksTest, RefusesUnsafeCombinationsWithWhyAndWhatToDo) {
  const auto jwt = [](std::string_view rest) {
    return Yaml("", absl::StrCat("jwt: {issuer: i, audiences: [a], ", std::string(rest), "}"));
  };
  const auto service = [](std::string_view rest) {
    return Yaml(kMutual, absl::StrCat("services: {s: {", std::string(rest), "}}"));
  };
  const Unsafe rows[] = {
      {Yaml("listen: \"0.0.0.0:1\", channelz: false", ""), "only loopback or a Unix socket may be used without TLS"},
      {Yaml("listen: \"0.0.0.0:1\", channelz: false", kTokens), "only loopback or a Unix socket may be used without"},
      {Yaml(kTls, ""), "server.tls: would hide what callers say and not tell who they are; name"},
      {Yaml(Joined("listen: \"0.0.0.0:1\"", kTls), kTokens), "server.channelz: would show every client"},
      {Yaml("tls: {certificate_file: c.pem}", kTokens), "server.tls.private_key_file: is empty"},
      {Yaml("tls: {private_key_file: k.pem}", kTokens), "server.tls.certificate_file: is empty, so there is no TLS"},
      {Yaml("tls: {client_ca_file: ca.pem}", kTokens), "server.tls.certificate_file: is empty, so there is no TLS"},
      {Yaml("", kService), "identity.services: are known by their client certificates, and none is asked for"},
      {Yaml(kTls, Joined(kService, kTokens)), "identity.services: are known by their client certificates"},
      {Yaml(kMutual, ""), "server.tls.client_ca_file: nobody could call"},
      {service("roles: [developer], trusted: true"), "identity.services.s.certificate_names: is empty"},
      {service("certificate_names: [\"\"], trusted: true"), "names no single certificate"},
      {service("certificate_names: [\"*.internal\"], trusted: true"), "names no single certificate"},
      {service("certificate_names: [\"cn:\"], trusted: true"), "names no single certificate"},
      {service("certificate_names: [a, a], trusted: true"), "stands for a service already"},
      {service("certificate_names: [a], roles: [admin], trusted: true"),
       "identity.services.s.roles[0]: there is no role \"admin\"; write it under identity.roles"},
      {service("certificate_names: [a], roles: [developer], trusted: true"),
       "identity.services.s.roles[0]: there is no role \"developer\"; write it under identity.roles"},
      {service("certificate_names: [a]"), "identity.services.s.workspaces: must name the one workspace"},
      {service("certificate_names: [a], workspaces: [x, y]"), "identity.services.s.workspaces: must name the one"},
      {service("certificate_names: [a], workspaces: [\"x/y\"]"), "is no id"},
      {Yaml(kMutual, "services: {\"a b\": {certificate_names: [a], trusted: true}}"), "is also its user id"},
      {Yaml(kMutual, "services: {development: {certificate_names: [a], trusted: true}}"), "stands for other callers"},
      {Yaml(kMutual,
            "services: {a: {certificate_names: [x], trusted: true}, b: {certificate_names: [x], trusted: "
            "true}}"),
       "identity.services.b.certificate_names[0]: \"x\" stands for a service already"},
      {Yaml(kMutual,
            "services: {a: {certificate_names: [x.internal], trusted: true}, b: {certificate_names: [X.Internal], "
            "trusted: true}}"),
       "identity.services.b.certificate_names[0]: \"X.Internal\" stands for a service already"},
      {Yaml("", "jwt: {audiences: [a], jwks_file: k}"), "identity.jwt.issuer: is empty, so that any issuer would do"},
      {Yaml("", "jwt: {secret_file: k}"), "identity.jwt.issuer: is empty"},
      {Yaml("", "jwt: {issuer: i, jwks_file: k}"), "identity.jwt.audiences: is empty, so that tokens meant for others"},
      {Yaml("", "jwt: {issuer: i, audiences: [\"\"], jwks_file: k}"), "identity.jwt.audiences[0]: is empty"},
      {Yaml("", "jwt: {issuer: i, audiences: [a], jwks_file: k, issuers: [{issuer: j, audiences: [a], jwks_file: l}]}"),
       "identity.jwt.issuers: stands beside an issuer"},
      {Yaml("", "jwt: {issuers: [{audiences: [a], jwks_file: k}]}"), "identity.jwt.issuers[0].issuer: is empty"},
      {Yaml("",
            "jwt: {issuers: [{issuer: i, audiences: [a], jwks_file: k}, {issuer: i, audiences: [a], jwks_file: l}]}"),
       "identity.jwt.issuers[1].issuer: \"i\" stands in the list already"},
      {Yaml("",
            "jwt: {issuers: [{issuer: i, audiences: [a], jwks_file: k}, {issuer: j, audiences: [a], jwks_file: k}]}"),
       "identity.jwt.issuers[1]: has the keys of another issuer, \"k\""},
      {Yaml("", "jwt: {issuers: [{issuer: i, jwks_file: k}]}"), "identity.jwt.issuers[0].audiences: is empty"},
      {Yaml("", "jwt: {issuers: [{issuer: i, audiences: [a]}]}"), "identity.jwt.issuers[0]: needs exactly one of"},
      {Yaml("", "jwt: {issuers: [{issuer: i, audiences: [a], jwks_file: k, algorithms: [HS256]}]}"),
       "identity.jwt.issuers[0].algorithms[0]: \"HS256\" cannot be used"},
      {Yaml("", "jwt: {issuers: [{issuer: i, audiences: [a], jwks_url: \"http://issuer.example/keys\"}]}"),
       "identity.jwt.issuers[0].jwks_url: \"http://issuer.example/keys\": whoever"},
      {Yaml("", "jwt: {issuers: [{issuer: i, audiences: [a], jwks_file: k, roles: [nobody]}]}"),
       "identity.jwt.issuers[0].roles[0]: there is no role \"nobody\""},
      {jwt("roles: []"), "identity.jwt: needs exactly one of jwks_file, jwks_url and secret_file"},
      {jwt("jwks_file: k, secret_file: s"), "public keys and a secret are never mixed"},
      {jwt("jwks_file: k, jwks_url: \"https://x/k\""), "needs exactly one of"},
      {jwt("jwks_url: \"http://issuer.example/keys\""), "could put in keys of their own; write https://"},
      {jwt("jwks_url: \"http://127.0.0.1.example/keys\""), "could put in keys of their own"},
      {jwt("jwks_url: \"http://user@127.0.0.1/keys\""), "is no address; write https://host/path"},
      {jwt("jwks_url: \"file:///etc/keys\""), "is no address; write https://host/path"},
      {jwt("jwks_url: \"ftp://127.0.0.1/keys\""), "could put in keys of their own"},
      {jwt("jwks_url: issuer.example/keys"), "is no address; write https://host/path"},
      {jwt("jwks_file: k, jwks_ca_file: ca.pem"), "identity.jwt.jwks_ca_file: is for a jwks_url with https"},
      {jwt("jwks_file: k, algorithms: [none]"), "identity.jwt.algorithms[0]: \"none\" cannot be used"},
      {jwt("jwks_file: k, algorithms: [HS256]"), "\"HS256\" cannot be used; with public keys RS256"},
      {jwt("secret_file: s, algorithms: [RS256]"), "\"RS256\" cannot be used; with a secret HS256"},
      {jwt("jwks_file: k, types: []"), "identity.jwt.types: is empty, so that no token would do"},
      {jwt("jwks_file: k, claims: {workspace: \"\"}"), "identity.jwt.claims.workspace: is empty"},
      {jwt("jwks_file: k, claims: {user: \"\"}"), "identity.jwt.claims.user: is empty"},
      {jwt("jwks_file: k, claims: {roles: \"/a~2b\"}"), "identity.jwt.claims.roles: \"/a~2b\" is no JSON pointer"},
      {jwt("jwks_file: k, roles: [nobody]"), "identity.jwt.roles[0]: there is no role \"nobody\""},
      {jwt("jwks_file: k, clock_skew: 10m"), "identity.jwt.clock_skew: is 10m; must be from 0s to 5m"},
      {Yaml("health_listen: nowhere", ""), "server.health_listen: \"nowhere\" is no address to listen on"},
      {Yaml("listen: \"127.0.0.1:7\", health_listen: \"127.0.0.1:7\"", ""), "is where server.listen is"},
      {Yaml("", "roles: {r: {arguments: {create_task: {}}}}"), "restricts nothing; write schema or bind"},
      {Yaml("", "roles: {r: {arguments: {create_task: {schema: '{\"propertys\": {}}'}}}}"),
       "identity.roles.r.arguments.create_task.schema: cannot be used: /propertys: is no keyword; did you mean"},
      {Yaml("", "roles: {r: {limits: {create_task: {windows: [{audience: any, window: 1h}]}}}}"),
       "identity.roles.r.limits.create_task.windows[0].max_calls: is 0"},
  };
  for (const Unsafe& row : rows) {
    const std::string problems = Problems(row.text);
    EXPECT_THAT(problems, HasSubstr(row.problem)) << row.text;
    EXPECT_THAT(problems, HasSubstr("t.yaml:")) << "a line is named";
  }
}

}  // namespace
}  // namespace toolgate::services::config
