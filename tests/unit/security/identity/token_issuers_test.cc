#include "security/identity/token_issuers.h"

#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/identity/identity_factory.h"
#include "tests/support/fake_clock.h"
#include "tests/support/identify.h"
#include "tests/support/temp_dir.h"
#include "tests/support/token_forge.h"
#include "tests/unit/security/identity/jwt_config.h"

namespace toolgate::security::identity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeJwt;
using testing::SigningKey;

// "alpha" publishes keys and names the user in "sub", "beta" publishes others and uses "mail", "gamma" shares a secret.
class TokenIssuersTest : public ::testing::Test {
 protected:
  TokenIssuersTest() {
    config::v1::Jwt& jwt = *config_.mutable_jwt();
    jwt = testing::JwtWithoutIssuer();
    jwt.add_roles("everyone");
    config::v1::TokenIssuer& alpha = Add("alpha", "toolgate");
    alpha.set_jwks_file(Write("alpha.json", Keys(alpha_)));
    config::v1::TokenIssuer& beta = Add("beta", "tools");
    beta.set_jwks_file(Write("beta.json", Keys(beta_)));
    beta.mutable_claims()->set_user("mail");
    beta.add_algorithms("ES256");
    beta.add_roles("partner");
    config::v1::TokenIssuer& gamma = Add("gamma", "toolgate");
    gamma.set_secret_file(Write("gamma.secret", kSecret));
  }

  config::v1::TokenIssuer& Add(const std::string& name, const std::string& audience) {
    config::v1::TokenIssuer& issuer = *config_.mutable_jwt()->add_issuers();
    issuer.set_issuer(name);
    issuer.add_audiences(audience);
    return issuer;
  }
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = dir_.path() + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), 0600);
    return path;
  }
  static std::string Keys(const SigningKey& key) { return DumpJson(Json{{"keys", {key.Jwk({{"kid", "k"}})}}}); }
  std::string Token(const SigningKey& key, const std::string& algorithm, const Json& issuer,
                    const std::string& audience = "toolgate") {
    Json claims{{"aud", audience},
                {"exp", absl::ToUnixSeconds(clock_.Now()) + 60},
                {"workspace", "acme"},
                {"sub", "ann"},
                {"mail", "bea"}};
    if (!issuer.is_null()) claims["iss"] = issuer;
    // A secret has no id.
    return MakeJwt(key, algorithm, algorithm == "HS256" ? Json::object() : Json{{"kid", "k"}}, claims);
  }
  absl::StatusOr<Caller> Identify(const std::string& token) {
    if (identity_ == nullptr) identity_ = factory_.Make(config_).value();
    Connection connection;
    connection.bearer_token = token;
    return testing::Identify(*identity_, {}, connection);
  }
  std::string Refusal(const std::string& token) {
    const auto caller = Identify(token);
    EXPECT_FALSE(caller.ok());
    const auto error = GetToolError(caller.status());
    EXPECT_TRUE(error.has_value() && error->code == ErrorCode::kUnauthorized) << caller.status();
    return error.has_value() ? error->message : "";
  }

  static constexpr char kSecret[] = "0123456789abcdef0123456789abcdef";
  testing::FakeClock clock_;
  testing::TempDir dir_;
  const SigningKey alpha_ = SigningKey::Ec("P-256");
  const SigningKey beta_ = SigningKey::Ec("P-256");
  config::v1::Identity config_;
  IdentityFactory factory_{{}, clock_, [](const std::string&) {}};
  std::unique_ptr<Identity> identity_;
};

TEST_F(TokenIssuersTest, EachIssuersTokenIsTakenAsThatIssuerMeansIt) {
  const auto alpha = Identify(Token(alpha_, "ES256", "alpha"));
  ASSERT_TRUE(alpha.ok()) << alpha.status();
  EXPECT_EQ(alpha->user_id, "ann");
  EXPECT_THAT(alpha->roles, ElementsAre("everyone"));
  const auto beta = Identify(Token(beta_, "ES256", "beta", "tools"));
  ASSERT_TRUE(beta.ok()) << beta.status();
  EXPECT_EQ(beta->user_id, "bea");
  EXPECT_EQ(beta->workspace_id, "acme") << "a claim that it does not name is called as for all";
  EXPECT_THAT(beta->roles, ElementsAre("everyone", "partner"));
  const auto gamma = Identify(Token(SigningKey::Secret(kSecret), "HS256", "gamma"));
  ASSERT_TRUE(gamma.ok()) << gamma.status();
  EXPECT_EQ(gamma->user_id, "ann");
}

TEST_F(TokenIssuersTest, TheKeyOfOneNeverVerifiesTheTokenOfAnother) {
  for (int i = 0; i < 2; ++i) {  // The second time with valid tokens of all remembered.
    EXPECT_THAT(Refusal(Token(beta_, "ES256", "alpha")), HasSubstr("refused"));
    EXPECT_THAT(Refusal(Token(alpha_, "ES256", "beta", "tools")), HasSubstr("refused"));
    EXPECT_THAT(Refusal(Token(alpha_, "ES256", "gamma")), HasSubstr("refused"));
    EXPECT_THAT(Refusal(Token(SigningKey::Secret(kSecret), "HS256", "alpha")), HasSubstr("refused"));
    EXPECT_TRUE(Identify(Token(alpha_, "ES256", "alpha")).ok());
    EXPECT_TRUE(Identify(Token(beta_, "ES256", "beta", "tools")).ok());
    EXPECT_TRUE(Identify(Token(SigningKey::Secret(kSecret), "HS256", "gamma")).ok());
  }
}

TEST_F(TokenIssuersTest, AnAudienceOfOneIsNoneOfAnother) {
  EXPECT_THAT(Refusal(Token(beta_, "ES256", "beta", "toolgate")), HasSubstr("refused"));
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", "alpha", "tools")), HasSubstr("refused"));
}

TEST_F(TokenIssuersTest, ATokenOfNoKnownIssuerIsRefused) {
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", "delta")), HasSubstr("none of those that are trusted here"));
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", "ALPHA")), HasSubstr("none of those"));
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", "")), HasSubstr("none of those"));
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", nullptr)), HasSubstr("does not say who issued it"));
  EXPECT_THAT(Refusal(Token(alpha_, "ES256", Json::array({"alpha", "beta"}))), HasSubstr("does not say who issued it"));
  EXPECT_THAT(Refusal("x.y.z"), HasSubstr("refused"));
}

TEST_F(TokenIssuersTest, OneIssuersLostKeysAreNoneOfTheOthersTrouble) {
  config_.mutable_jwt()->mutable_issuers(1)->clear_jwks_file();
  config_.mutable_jwt()->mutable_issuers(1)->set_jwks_url("http://127.0.0.1:1/keys");
  EXPECT_TRUE(Identify(Token(alpha_, "ES256", "alpha")).ok());
  EXPECT_EQ(GetToolError(Identify(Token(beta_, "ES256", "beta", "tools")).status())->code, ErrorCode::kOverloaded);
}

TEST_F(TokenIssuersTest, TheSameIssuerTwiceStopsTheStart) {
  config_.mutable_jwt()->mutable_issuers(2)->set_issuer("alpha");
  const auto identity = factory_.Make(config_);
  ASSERT_EQ(identity.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(identity.status().message()),
              HasSubstr("identity.jwt.issuers[2].issuer: stands in the list"));
}

}  // namespace
}  // namespace toolgate::security::identity
