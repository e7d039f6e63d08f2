#include "security/identity/credentials_identity.h"

#include <memory>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/identify.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity {
namespace {

using ::testing::ElementsAre;
using testing::FakeClock;
using ::testing::HasSubstr;
using testing::MakeJwt;
using testing::SigningKey;

class CredentialsIdentityTest : public ::testing::Test {
 protected:
  CredentialsIdentityTest() {
    auto& services = *config_.mutable_services();
    services["planner"].add_certificate_names("planner.internal");
    services["planner"].add_roles("backend");
    services["planner"].set_trusted(true);
    services["planner"].add_workspaces("acme");
    services["planner"].add_workspaces("beta");
    services["gateway"].add_certificate_names("gateway.internal");
    services["gateway"].set_trusted(true);
    services["batch"].add_certificate_names("cn:batch");
    services["batch"].add_roles("nightly");
    services["batch"].add_workspaces("acme");
    config::v1::Jwt& jwt = *config_.mutable_jwt();
    jwt.set_issuer("issuer");
    jwt.add_audiences("toolgate");
    jwt.add_types("JWT");
    jwt.mutable_claims()->set_workspace("workspace");
    jwt.mutable_claims()->set_user("sub");
    jwt.mutable_claims()->set_name("name");
    jwt.mutable_claims()->set_roles("roles");
    Make(/*tokens=*/true);
  }
  void Make(bool tokens) {
    std::unique_ptr<TokenIssuers> issuers;
    if (tokens) {
      auto keys = std::make_shared<FixedKeys>(jose::KeySet::Of(*jose::VerificationKey::FromJwk(key_.Jwk())));
      TokenIssuers::ByName by_name;
      by_name["issuer"] =
          *TokenAuthenticator::Create(config_.jwt(), jose::AsymmetricAlgorithms(), std::move(keys), clock_);
      issuers = std::make_unique<TokenIssuers>(std::move(by_name));
    }
    identity_ = std::make_unique<CredentialsIdentity>(*ServiceDirectory::Create(config_), std::move(issuers));
  }
  Connection WithToken(const std::string& workspace = "acme", const std::string& name = "Ann") {
    Connection connection;
    Json claims{{"iss", "issuer"},        {"aud", "toolgate"}, {"exp", absl::ToUnixSeconds(clock_.Now()) + 60},
                {"workspace", workspace}, {"sub", "ann"},      {"roles", {"writer"}}};
    if (!name.empty()) claims["name"] = name;
    connection.bearer_token = MakeJwt(key_, "ES256", Json::object(), claims);
    return connection;
  }
  static Connection With(PeerCertificate certificate) {
    Connection connection;
    connection.certificate = std::move(certificate);
    return connection;
  }
  static Connection Planner() { return With({.dns_names = {"planner.internal"}}); }
  static Connection Batch() { return With({.common_name = "batch"}); }
  Caller Good(const Caller& claimed, const Connection& connection) {
    const auto caller = testing::Identify(*identity_, claimed, connection);
    EXPECT_TRUE(caller.ok()) << caller.status();
    return caller.ok() ? *caller : Caller();
  }
  ToolError Bad(const Caller& claimed, const Connection& connection) {
    const auto caller = testing::Identify(*identity_, claimed, connection);
    EXPECT_FALSE(caller.ok());
    return GetToolError(caller.status()).value_or(ToolError());
  }

  FakeClock clock_;
  const SigningKey key_ = SigningKey::Ec("P-256");
  config::v1::Identity config_;
  std::unique_ptr<CredentialsIdentity> identity_;
};

TEST_F(CredentialsIdentityTest, NobodyGetsInWithoutCredentials) {
  EXPECT_EQ(Bad({.workspace_id = "acme", .user_id = "ann"}, {}).code, ErrorCode::kUnauthorized);
  EXPECT_EQ(Bad({}, With({.dns_names = {"stranger.internal"}})).code, ErrorCode::kUnauthorized);
  EXPECT_EQ(Bad({}, With({})).code, ErrorCode::kUnauthorized);
}

TEST_F(CredentialsIdentityTest, ABadCredentialIsNotMadeGoodByAnotherOne) {
  Connection stranger = WithToken();
  stranger.certificate = PeerCertificate{.dns_names = {"stranger.internal"}};
  EXPECT_EQ(Bad({}, stranger).code, ErrorCode::kUnauthorized);
  Connection bad_token = Planner();
  bad_token.bearer_token = "x.y.z";
  EXPECT_EQ(Bad({.workspace_id = "acme", .user_id = "ann"}, bad_token).code, ErrorCode::kUnauthorized);
  Connection unreadable = Planner();
  unreadable.unreadable_authorization = true;
  EXPECT_EQ(Bad({.workspace_id = "acme", .user_id = "ann"}, unreadable).code, ErrorCode::kUnauthorized);
}

TEST_F(CredentialsIdentityTest, ATrustedServiceStatesItsUser) {
  const Caller caller = Good({.workspace_id = "beta",
                              .user_id = "ann",
                              .user_name = "Ann",
                              .conversation_id = "c",
                              .ai_model = "m",
                              .time_zone = "Europe/Berlin",
                              .service = "forged",
                              .roles = {"admin"},
                              .permissions = {"*"}},
                             Planner());
  EXPECT_EQ(caller.workspace_id, "beta");
  EXPECT_EQ(caller.user_id, "ann");
  EXPECT_EQ(caller.user_name, "Ann");
  EXPECT_EQ(caller.conversation_id, "c");
  EXPECT_EQ(caller.ai_model, "m");
  EXPECT_EQ(caller.time_zone, "Europe/Berlin");
  EXPECT_EQ(caller.service, "planner");
  EXPECT_THAT(caller.roles, ElementsAre("backend"));
  EXPECT_TRUE(caller.permissions.empty());
}

TEST_F(CredentialsIdentityTest, ATrustedServiceMustStateItsUserAndStayInItsWorkspaces) {
  EXPECT_THAT(Bad({.user_id = "ann"}, Planner()).message, HasSubstr("caller.workspace_id must be stated"));
  EXPECT_THAT(Bad({.workspace_id = "acme"}, Planner()).message, HasSubstr("caller.user_id must be stated"));
  const ToolError error = Bad({.workspace_id = "gamma", .user_id = "ann"}, Planner());
  EXPECT_EQ(error.code, ErrorCode::kForbidden);
  EXPECT_THAT(error.message, HasSubstr("caller.workspace_id"));
  const Connection gateway = With({.dns_names = {"gateway.internal"}});
  EXPECT_EQ(Good({.workspace_id = "anywhere", .user_id = "ann"}, gateway).workspace_id, "anywhere");
}

TEST_F(CredentialsIdentityTest, AGuestOfATrustedServiceHasTheRoleGuest) {
  const Caller caller = Good({.workspace_id = "acme", .user_id = "g1", .is_guest = true}, Planner());
  EXPECT_TRUE(caller.is_guest);
  EXPECT_THAT(caller.roles, ElementsAre("guest"));
}

TEST_F(CredentialsIdentityTest, AnotherServiceIsItself) {
  const Caller caller = Good({.conversation_id = "c"}, Batch());
  EXPECT_EQ(caller.workspace_id, "acme");
  EXPECT_EQ(caller.user_id, "batch");
  EXPECT_EQ(caller.service, "batch");
  EXPECT_THAT(caller.roles, ElementsAre("nightly"));
  EXPECT_EQ(caller.conversation_id, "c");
}

TEST_F(CredentialsIdentityTest, ATokenNamesTheUser) {
  const Caller caller = Good({.conversation_id = "c"}, WithToken());
  EXPECT_EQ(caller.workspace_id, "acme");
  EXPECT_EQ(caller.user_id, "ann");
  EXPECT_EQ(caller.user_name, "Ann");
  EXPECT_EQ(caller.service, "token");
  EXPECT_EQ(caller.conversation_id, "c");
  EXPECT_THAT(caller.roles, ElementsAre("writer"));
  ASSERT_NE(caller.claims, nullptr);
}

TEST_F(CredentialsIdentityTest, ATokenBehindAServiceKeepsItsOwnRoles) {
  Connection connection = WithToken();
  connection.certificate = Planner().certificate;
  const Caller caller = Good({}, connection);
  EXPECT_EQ(caller.user_id, "ann");
  EXPECT_EQ(caller.service, "planner");
  EXPECT_THAT(caller.roles, ElementsAre("writer"));
  Connection elsewhere = WithToken("gamma");
  elsewhere.certificate = Planner().certificate;
  EXPECT_EQ(Bad({}, elsewhere).code, ErrorCode::kForbidden) << "not one of the service's workspaces";
}

TEST_F(CredentialsIdentityTest, AClaimMayRepeatButNotContradict) {
  EXPECT_EQ(Good({.workspace_id = "acme", .user_id = "ann", .user_name = "Ann"}, WithToken()).user_id, "ann");
  EXPECT_EQ(Good({.workspace_id = "acme", .user_id = "batch"}, Batch()).user_id, "batch");
  EXPECT_EQ(Good({.user_name = "Annie"}, WithToken("acme", "")).user_name, "") << "the token says no name";
  const struct {
    std::string field;
    Caller claimed;
    Connection connection;
  } rows[] = {
      {"workspace_id", {.workspace_id = "beta"}, WithToken()},
      {"user_id", {.user_id = "bob"}, WithToken()},
      {"user_id", {.user_id = "Ann"}, WithToken()},
      {"user_name", {.user_name = "Bob"}, WithToken()},
      {"is_guest", {.is_guest = true}, WithToken()},
      {"workspace_id", {.workspace_id = "beta"}, Batch()},
      {"user_id", {.user_id = "ann"}, Batch()},
      {"user_name", {.user_name = "Ann"}, Batch()},
      {"is_guest", {.is_guest = true}, Batch()},
  };
  for (const auto& row : rows) {
    const ToolError error = Bad(row.claimed, row.connection);
    EXPECT_EQ(error.code, ErrorCode::kForbidden) << row.field;
    EXPECT_THAT(error.message, HasSubstr("caller." + row.field));
  }
}

TEST_F(CredentialsIdentityTest, AMalformedClaimIsRefusedWhateverTheCredentials) {
  for (const Connection& connection : {Planner(), Batch(), WithToken()}) {
    EXPECT_EQ(Bad({.workspace_id = "a/b", .user_id = "ann"}, connection).code, ErrorCode::kInvalidParams);
    EXPECT_EQ(Bad({.time_zone = "Mars"}, connection).code, ErrorCode::kInvalidParams);
  }
}

TEST_F(CredentialsIdentityTest, BadCredentialsComeBeforeAMalformedClaim) {
  Connection forged = WithToken();
  forged.bearer_token += "x";
  Connection unreadable;
  unreadable.unreadable_authorization = true;
  const Connection connections[] = {Connection(), forged, unreadable, With({.common_name = "stranger"})};
  for (const Connection& connection : connections) {
    EXPECT_EQ(Bad({.workspace_id = "a/b"}, connection).code, ErrorCode::kUnauthorized);
    EXPECT_EQ(Bad({.time_zone = "Mars"}, connection).code, ErrorCode::kUnauthorized);
  }
  EXPECT_EQ(GetToolError(identity_->Identify(Principal(), {}).status())->code, ErrorCode::kUnauthorized)
      << "a principal of a listener without credentials";
}

TEST_F(CredentialsIdentityTest, WithoutAnIssuerATokenIsRefused) {
  Make(/*tokens=*/false);
  Connection connection = WithToken();
  connection.certificate = Planner().certificate;
  EXPECT_EQ(Bad({.workspace_id = "acme", .user_id = "ann"}, connection).code, ErrorCode::kUnauthorized);
}

}  // namespace
}  // namespace toolgate::security::identity
