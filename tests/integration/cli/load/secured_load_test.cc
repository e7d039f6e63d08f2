// `toolgate load` against a service that wants TLS and credentials.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/exit_code.h"
#include "common/json.h"
#include "tests/integration/cli/load/load_command_run.h"
#include "tests/support/certificates.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"
#include "tests/support/token_forge.h"

namespace toolgate::cli::load {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SecuredLoadTest : public ::testing::Test {
 protected:
  SecuredLoadTest() {
    const testing::IssuedCertificate server = authority_.IssueServer();
    Write("server.pem", server.certificate);
    Write("server.key", server.private_key);
    Write("authority.pem", authority_.certificate());
    Write("keys.json", DumpJson(Json{{"keys", {key_.Jwk()}}}));
  }

  // A service with TLS, whose users come with tokens, and with client certificates if `clients` is set.
  void Start(bool clients = false) {
    server_ = std::make_unique<testing::TestServer>([&](config::v1::Config& config) {
      config.mutable_rate_limiting()->set_enforcement(config::v1::ENFORCEMENT_REPORT);
      config::v1::Tls& tls = *config.mutable_server()->mutable_tls();
      tls.set_certificate_file(Path("server.pem"));
      tls.set_private_key_file(Path("server.key"));
      config::v1::Jwt& jwt = *config.mutable_identity()->mutable_jwt();
      jwt.set_issuer("issuer");
      jwt.add_audiences("toolgate");
      jwt.set_jwks_file(Path("keys.json"));
      if (!clients) return;
      tls.set_client_ca_file(Path("authority.pem"));
      config::v1::Service& service = (*config.mutable_identity()->mutable_services())["load"];
      service.add_certificate_names("cn:load");
      service.add_roles("developer");
      service.set_trusted(true);
    });
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // Returns the path of the file, which only its owner may read, as keys must be.
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    std::filesystem::permissions(Path(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return Path(name);
  }
  std::string Token(const std::string& workspace, const std::string& user) const {
    return testing::MakeJwt(key_, "ES256", Json::object(),
                            Json{{"iss", "issuer"},
                                 {"aud", "toolgate"},
                                 {"exp", absl::ToUnixSeconds(absl::Now()) + 600},
                                 {"workspace", workspace},
                                 {"sub", user},
                                 {"roles", {"developer"}}});
  }
  Output Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--address", server_->application().address(), "--json"});
    return RunLoadCommand(std::move(arguments));
  }
  // Users of the audited calls of a workspace, each once.
  std::vector<std::string> AuditedUsers(const std::string& workspace) const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority_.certificate();
    const auto audit =
        v1::AuditService::NewStub(grpc::CreateChannel(server_->application().address(), grpc::SslCredentials(options)));
    std::vector<std::string> users;
    for (const char* user : {"ann", "bob", "eve"}) {
      v1::SearchEntriesRequest filters;
      filters.set_user_id(user);
      v1::SearchEntriesResponse response;
      grpc::ClientContext context;
      context.AddMetadata("authorization", "Bearer " + Token(workspace, "auditor"));
      const grpc::Status status = audit->SearchEntries(&context, filters, &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      if (response.entries_size() > 0) users.emplace_back(user);
    }
    return users;
  }

  const testing::TempDir folder_;
  const testing::TestAuthority authority_;
  const testing::SigningKey key_ = testing::SigningKey::Ec("P-256");
  std::unique_ptr<testing::TestServer> server_;
};

TEST_F(SecuredLoadTest, ATokenIsTheOneCaller) {
  Start();
  const std::string token = Token("acme", "ann");
  for (const char* profile : {"read-mostly", "streaming", "confirmation"}) {
    const Output output = Run({"--tls-ca", Path("authority.pem"), "--token-file", Write("token", token + "\n"),
                               "--profile", profile, "--requests", "60"});
    ASSERT_EQ(output.code, 0) << profile << output.out << output.err;
    EXPECT_GE(output.json["summary"]["count"], 60) << profile;
    EXPECT_EQ(output.json["summary"]["errors"], 0) << profile << output.out;
    EXPECT_EQ(output.json["callers"], 1);
    EXPECT_THAT(output.out, AllOf(HasSubstr("--token-file"), HasSubstr("--tls-ca"), Not(HasSubstr(token))));
  }
  EXPECT_THAT(AuditedUsers("acme"), ElementsAre("ann"));
}

TEST_F(SecuredLoadTest, CallersOfAFileHaveATokenEach) {
  Start();
  std::string lines;
  for (const auto& [workspace, user] :
       std::vector<std::pair<std::string, std::string>>{{"acme", "ann"}, {"acme", "bob"}, {"beta", "eve"}}) {
    lines += DumpJson(Json{{"workspace", workspace}, {"user", user}, {"token", Token(workspace, user)}}) + "\n";
  }
  const Output output = Run({"--tls-ca", Path("authority.pem"), "--callers", Write("callers.jsonl", lines), "--profile",
                             "confirmation", "--requests", "120", "--connections", "2"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
  EXPECT_GT(StepOf(output, "delete and approve: approved call")["count"], 0);
  EXPECT_EQ(output.json["callers"], 3);
  EXPECT_EQ(output.json["workspaces"], 2);
  EXPECT_THAT(AuditedUsers("acme"), ElementsAre("ann", "bob"));
  EXPECT_THAT(AuditedUsers("beta"), ElementsAre("eve"));
}

TEST_F(SecuredLoadTest, ATrustedServiceStatesManyCallers) {
  Start(/*clients=*/true);
  const testing::IssuedCertificate client = authority_.Issue({.common_name = "load"});
  const Output output = Run({"--tls-ca", Path("authority.pem"), "--tls-cert", Write("client.pem", client.certificate),
                             "--tls-key", Write("client.key", client.private_key), "--profile", "confirmation",
                             "--requests", "120", "--workspaces", "3", "--users", "5", "--rate", "300"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
  EXPECT_EQ(output.json["callers"], 15);
}

TEST_F(SecuredLoadTest, WithoutCredentialsARunDoesNotBegin) {
  Start();
  const Output anonymous = Run({"--tls-ca", Path("authority.pem"), "--profile", "read-mostly", "--requests", "10"});
  EXPECT_EQ(anonymous.code, static_cast<int>(ExitCode::kRefused)) << anonymous.out;
  EXPECT_THAT(anonymous.err, AllOf(HasSubstr("set-up"), HasSubstr("UNAUTHORIZED"))) << anonymous.err;

  const Output others = Run({"--tls-ca", Path("authority.pem"), "--token", Token("acme", "ann"), "--profile",
                             "read-mostly", "--requests", "10", "--workspaces", "2"});
  EXPECT_EQ(others.code, static_cast<int>(ExitCode::kRefused)) << "the token is for another workspace" << others.out;

  const Output plain = Run({"--token", Token("acme", "ann"), "--tool", "list_tasks", "--requests", "10"});
  EXPECT_EQ(plain.code, static_cast<int>(ExitCode::kUnreachable)) << plain.out;

  const testing::TestAuthority stranger("Stranger");
  const Output unknown = Run({"--tls-ca", Write("stranger.pem", stranger.certificate()), "--token",
                              Token("acme", "ann"), "--tool", "list_tasks", "--requests", "10"});
  EXPECT_EQ(unknown.code, static_cast<int>(ExitCode::kUnreachable)) << unknown.out;
}

TEST_F(SecuredLoadTest, AnExpiredTokenIsAnErrorOfEachCall) {
  Start();
  const std::string token = testing::MakeJwt(key_, "ES256", Json::object(),
                                             Json{{"iss", "issuer"},
                                                  {"aud", "toolgate"},
                                                  {"exp", absl::ToUnixSeconds(absl::Now()) - 600},
                                                  {"workspace", "acme"},
                                                  {"sub", "ann"}});
  const Output output =
      Run({"--tls-ca", Path("authority.pem"), "--token", token, "--tool", "list_tasks", "--requests", "20"});
  EXPECT_EQ(output.code, static_cast<int>(ExitCode::kThresholdNotMet)) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 20);
  EXPECT_EQ(StepOf(output, "list_tasks")["outcomes"][0]["grpcStatus"], "UNAUTHENTICATED") << output.out;
}

}  // namespace
}  // namespace toolgate::cli::load
