#include "security/identity/identity_factory.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/identify.h"
#include "tests/support/temp_dir.h"
#include "tests/support/token_forge.h"
#include "tests/unit/security/identity/jwt_config.h"

namespace toolgate::security::identity {
namespace {

using ::testing::HasSubstr;
using testing::MakeJwt;
using testing::SigningKey;

constexpr ListenerSecurity kPlain{};
constexpr ListenerSecurity kTls{.tls = true};
constexpr ListenerSecurity kMutual{.tls = true, .client_certificates = true};

class IdentityFactoryTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& text, mode_t mode = 0600) {
    const std::string path = dir_.path() + "/file";
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }
  static config::v1::Identity WithTokens() {
    config::v1::Identity config;
    config::v1::Jwt& jwt = *config.mutable_jwt();
    jwt = testing::JwtWithoutIssuer();
    jwt.set_issuer("issuer");
    jwt.add_audiences("toolgate");
    return config;
  }
  static config::v1::Identity WithServices() {
    config::v1::Identity config;
    (*config.mutable_services())["a"].add_certificate_names("a.internal");
    (*config.mutable_services())["a"].add_workspaces("acme");
    return config;
  }
  absl::StatusOr<std::unique_ptr<Identity>> Make(const config::v1::Identity& config, const ListenerSecurity& listener) {
    factories_.push_back(
        std::make_unique<IdentityFactory>(listener, clock_, [this](const std::string& what) { warnings_ += what; }));
    return factories_.back()->Make(config);
  }
  std::string Token(const SigningKey& key, std::string_view algorithm, const Json& members = Json::object()) {
    return MakeJwt(key, algorithm, members,
                   {{"iss", "issuer"},
                    {"aud", "toolgate"},
                    {"exp", absl::ToUnixSeconds(clock_.Now()) + 60},
                    {"workspace", "acme"},
                    {"sub", "ann"}});
  }

  testing::FakeClock clock_;
  testing::TempDir dir_;
  std::string warnings_;
  std::vector<std::unique_ptr<IdentityFactory>> factories_;
};

TEST_F(IdentityFactoryTest, BelievesCallersOnlyWithoutTls) {
  EXPECT_TRUE(Make({}, kPlain).ok());
  for (const ListenerSecurity& listener : {kTls, kMutual}) {
    const auto identity = Make({}, listener);
    ASSERT_FALSE(identity.ok());
    EXPECT_THAT(std::string(identity.status().message()), HasSubstr("nothing says who may call"));
  }
}

TEST_F(IdentityFactoryTest, ServicesNeedClientCertificates) {
  EXPECT_TRUE(Make(WithServices(), kMutual).ok());
  for (const ListenerSecurity& listener : {kPlain, kTls}) {
    const auto identity = Make(WithServices(), listener);
    ASSERT_FALSE(identity.ok());
    EXPECT_THAT(std::string(identity.status().message()), HasSubstr("server.tls.client_ca_file"));
  }
}

TEST_F(IdentityFactoryTest, TakesTokensUnderAKeyFile) {
  const SigningKey key = SigningKey::Ec("P-256");
  config::v1::Identity config = WithTokens();
  config.mutable_jwt()->set_jwks_file(Write(DumpJson(Json{{"keys", {key.Jwk({{"kid", "a"}})}}}), 0644));
  const auto identity = Make(config, kPlain);
  ASSERT_TRUE(identity.ok()) << identity.status();
  Connection connection;
  connection.bearer_token = Token(key, "ES256", {{"kid", "a"}});
  EXPECT_TRUE(testing::Identify(**identity, {}, connection).ok());
  EXPECT_FALSE(testing::Identify(**identity, {}, Connection()).ok());
  // The file's keys change; a token of the new key causes it to be read again.
  const SigningKey other = SigningKey::Ec("P-256");
  Write(DumpJson(Json{{"keys", {other.Jwk({{"kid", "b"}})}}}), 0644);
  clock_.Advance(absl::Seconds(2));
  Connection rotated;
  rotated.bearer_token = Token(other, "ES256", {{"kid", "b"}});
  EXPECT_TRUE(testing::Identify(**identity, {}, rotated).ok());
  EXPECT_FALSE(testing::Identify(**identity, {}, connection).ok()) << "the old key is gone, and so is what it signed";
}

TEST_F(IdentityFactoryTest, TakesTokensUnderASecretOfItsOwn) {
  const std::string secret(32, 's');
  config::v1::Identity config = WithTokens();
  config.mutable_jwt()->set_secret_file(Write(secret + "\n"));
  const auto identity = Make(config, kPlain);
  ASSERT_TRUE(identity.ok()) << identity.status();
  Connection connection;
  connection.bearer_token = Token(SigningKey::Secret(secret), "HS256");
  EXPECT_TRUE(testing::Identify(**identity, {}, connection).ok());
  connection.bearer_token = Token(SigningKey::Ec("P-256"), "ES256");
  EXPECT_FALSE(testing::Identify(**identity, {}, connection).ok());
}

TEST_F(IdentityFactoryTest, RefusesUnsafeKeyFiles) {
  const SigningKey key = SigningKey::Ec("P-256");
  config::v1::Identity secret = WithTokens();
  secret.mutable_jwt()->set_secret_file(Write(std::string(31, 's') + "\n"));
  EXPECT_THAT(std::string(Make(secret, kPlain).status().message()), HasSubstr("has 31 bytes; it must have 32"));
  Write(std::string(32, 's'), 0644);
  EXPECT_THAT(std::string(Make(secret, kPlain).status().message()), HasSubstr("chmod o="));
  config::v1::Identity keys = WithTokens();
  keys.mutable_jwt()->set_jwks_file(Write(DumpJson(Json{{"keys", {key.Jwk({{"d", "AQAB"}})}}})));
  EXPECT_THAT(std::string(Make(keys, kPlain).status().message()), HasSubstr("private part"));
  keys.mutable_jwt()->set_jwks_file(dir_.path() + "/absent");
  EXPECT_THAT(std::string(Make(keys, kPlain).status().message()), HasSubstr("No such file"));
}

TEST_F(IdentityFactoryTest, AnIssuerOutOfReachIsNoReasonNotToStart) {
  config::v1::Identity config = WithTokens();
  config.mutable_jwt()->set_jwks_url("http://127.0.0.1:1/keys");
  const auto identity = Make(config, kPlain);
  ASSERT_TRUE(identity.ok());
  EXPECT_THAT(warnings_, HasSubstr("could not be fetched"));
  Connection connection;
  connection.bearer_token = Token(SigningKey::Ec("P-256"), "ES256");
  EXPECT_EQ(GetToolError(testing::Identify(**identity, {}, connection).status())->code, ErrorCode::kOverloaded);
}

TEST_F(IdentityFactoryTest, KeysAreSharedWhileSomebodyUsesThemAndThenForgotten) {
  const SigningKey first = SigningKey::Ec("P-256");
  const SigningKey second = SigningKey::Ec("P-256");
  config::v1::Identity config = WithTokens();
  config.mutable_jwt()->set_jwks_file(Write(DumpJson(Json{{"keys", {first.Jwk({{"kid", "a"}})}}}), 0644));
  IdentityFactory factory(kPlain, clock_, [](const std::string&) {});
  std::unique_ptr<Identity> identity = factory.Make(config).value();
  Write(DumpJson(Json{{"keys", {second.Jwk({{"kid", "b"}})}}}), 0644);
  Connection old_key;
  old_key.bearer_token = Token(first, "ES256", {{"kid", "a"}});
  // A reload makes the next one before the previous one is destroyed.
  identity = factory.Make(config).value();
  EXPECT_TRUE(testing::Identify(*identity, {}, old_key).ok());
  identity.reset();
  identity = factory.Make(config).value();
  EXPECT_FALSE(testing::Identify(*identity, {}, old_key).ok()) << "the file was read anew";
}

}  // namespace
}  // namespace toolgate::security::identity
