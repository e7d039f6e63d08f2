#include "security/identity/jose/inspect_jws.h"

#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity::jose {
namespace {

using testing::Base64Url;
using testing::MakeJwt;
using testing::SigningKey;

Json Verdict(const Json& line) {
  const auto verdict = InspectJws(DumpJson(line));
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? *ParseJson(*verdict) : Json();
}

TEST(InspectJwsTest, JudgesATokenByOneKeyOrASet) {
  const SigningKey key = SigningKey::Ec("P-256");
  const std::string token = MakeJwt(key, "ES256", Json::object(), Json{{"a", 1}});
  const Json good{{"valid", true}, {"alg", "ES256"}, {"payload", Base64Url(R"({"a":1})")}};
  EXPECT_EQ(Verdict({{"jws", token}, {"jwk", key.Jwk()}}), good);
  EXPECT_EQ(Verdict({{"jws", token}, {"jwks", {{"keys", {key.Jwk()}}}}}), good);
  const Json bad = Verdict({{"jws", token}, {"jwk", SigningKey::Ec("P-256").Jwk()}});
  EXPECT_EQ(bad["valid"], false);
  EXPECT_EQ(bad["reason"], "the signature is not one of a known key");
}

TEST(InspectJwsTest, JudgesSymmetricTokensToo) {
  const SigningKey key = SigningKey::Secret(std::string(32, 's'));
  const std::string token = MakeJwt(key, "HS256", Json::object(), Json::object());
  EXPECT_EQ(Verdict({{"jws", token}, {"jwk", key.Jwk()}})["valid"], true);
}

TEST(InspectJwsTest, ABadKeyIsAVerdictAndABadLineAnError) {
  EXPECT_EQ(Verdict({{"jws", "a.b.c"}, {"jwk", {{"kty", "RSA"}}}})["valid"], false);
  EXPECT_EQ(Verdict({{"jws", "a.b.c"}, {"jwk", 1}})["valid"], false);
  EXPECT_FALSE(InspectJws("{}").ok());
  EXPECT_FALSE(InspectJws(R"({"jws": 1, "jwk": {}})").ok());
  EXPECT_FALSE(InspectJws(R"({"jws": "a", "jwk": {}, "jwks": {}})").ok());
  EXPECT_FALSE(InspectJws("no JSON").ok());
}

}  // namespace
}  // namespace toolgate::security::identity::jose
