#include "security/identity/jose/verification_key.h"

#include <openssl/bn.h>

#include <memory>
#include <string>
#include <vector>

#include "common/openssl_ptr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity::jose {
namespace {

using testing::Base64Url;
using testing::SigningKey;

std::vector<std::string> NamesOf(const AlgorithmSet& set) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kAlgorithms; ++i) {
    if (set.test(i)) names.emplace_back(TraitsOf(static_cast<Algorithm>(i)).name);
  }
  return names;
}

const SigningKey& RsaKey() {
  static const auto* const key = new SigningKey(SigningKey::Rsa());
  return *key;
}

TEST(VerificationKeyTest, SupportsWhatItsTypeIsFor) {
  const struct {
    Json jwk;
    std::vector<std::string> algorithms;
  } rows[] = {
      {RsaKey().Jwk(), {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}},
      {RsaKey().Jwk({{"alg", "PS384"}}), {"PS384"}},
      {RsaKey().Jwk({{"use", "sig"}, {"key_ops", {"verify"}}}), {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}},
      {SigningKey::Ec("P-256").Jwk(), {"ES256"}},
      {SigningKey::Ec("P-384").Jwk(), {"ES384"}},
      {SigningKey::Ec("P-521").Jwk(), {"ES512"}},
      {SigningKey::Ec("P-521").Jwk({{"alg", "ES521"}}), {"ES512"}},
      {SigningKey::Ed25519().Jwk(), {"EdDSA"}},
      {SigningKey::Secret(std::string(32, 'k')).Jwk(), {"HS256"}},
      {SigningKey::Secret(std::string(48, 'k')).Jwk(), {"HS256", "HS384"}},
      {SigningKey::Secret(std::string(64, 'k')).Jwk(), {"HS256", "HS384", "HS512"}},
  };
  for (const auto& row : rows) {
    const auto key = VerificationKey::FromJwk(row.jwk);
    ASSERT_TRUE(key.ok()) << key.status() << DumpJson(row.jwk);
    EXPECT_EQ(NamesOf(key->algorithms()), row.algorithms);
  }
}

TEST(VerificationKeyTest, RefusesKeysThatAreMalformedOrWeak) {
  const SigningKey ec = SigningKey::Ec("P-256");
  const std::string other_x = ec.Jwk()["x"];
  const struct {
    std::string name;
    Json jwk;
    absl::StatusCode code;
  } rows[] = {
      {"no object", Json("key"), absl::StatusCode::kInvalidArgument},
      {"no type", Json::object(), absl::StatusCode::kInvalidArgument},
      {"unknown type", {{"kty", "AKP"}}, absl::StatusCode::kUnimplemented},
      {"type in another case", RsaKey().Jwk({{"kty", "rsa"}}), absl::StatusCode::kUnimplemented},
      {"RSA of 1024 bits", SigningKey::Rsa(1024).Jwk(), absl::StatusCode::kInvalidArgument},
      {"RSA exponent 1", RsaKey().Jwk({{"e", "AQ"}}), absl::StatusCode::kInvalidArgument},
      {"RSA exponent even", RsaKey().Jwk({{"e", "Ag"}}), absl::StatusCode::kInvalidArgument},
      {"RSA exponent huge", RsaKey().Jwk({{"e", Base64Url(std::string(9, '\x7F'))}}),
       absl::StatusCode::kInvalidArgument},
      {"RSA modulus padded", RsaKey().Jwk({{"n", std::string(RsaKey().Jwk()["n"]) + "="}}),
       absl::StatusCode::kInvalidArgument},
      {"RSA without exponent", {{"kty", "RSA"}, {"n", RsaKey().Jwk()["n"]}}, absl::StatusCode::kInvalidArgument},
      {"point off the curve", ec.Jwk({{"y", other_x}}), absl::StatusCode::kInvalidArgument},
      {"point of zeros", ec.Jwk({{"x", Base64Url(std::string(32, '\0'))}, {"y", Base64Url(std::string(32, '\0'))}}),
       absl::StatusCode::kInvalidArgument},
      {"coordinate too short", ec.Jwk({{"x", Base64Url(std::string(31, 'x'))}}), absl::StatusCode::kInvalidArgument},
      {"coordinate too long", ec.Jwk({{"x", Base64Url(std::string(33, '\0'))}}), absl::StatusCode::kInvalidArgument},
      {"curve of another size", ec.Jwk({{"crv", "P-384"}}), absl::StatusCode::kInvalidArgument},
      {"unknown curve", ec.Jwk({{"crv", "secp256k1"}}), absl::StatusCode::kUnimplemented},
      {"Ed448", SigningKey::Ed25519().Jwk({{"crv", "Ed448"}}), absl::StatusCode::kUnimplemented},
      {"Ed25519 too short", SigningKey::Ed25519().Jwk({{"x", Base64Url(std::string(31, 'x'))}}),
       absl::StatusCode::kInvalidArgument},
      {"short secret", SigningKey::Secret(std::string(31, 'k')).Jwk(), absl::StatusCode::kInvalidArgument},
      {"secret too short for its alg", SigningKey::Secret(std::string(32, 'k')).Jwk({{"alg", "HS512"}}),
       absl::StatusCode::kInvalidArgument},
      {"use for encryption", RsaKey().Jwk({{"use", "enc"}}), absl::StatusCode::kUnimplemented},
      {"use no string", RsaKey().Jwk({{"use", 1}}), absl::StatusCode::kInvalidArgument},
      {"only for signing", RsaKey().Jwk({{"key_ops", {"sign"}}}), absl::StatusCode::kUnimplemented},
      {"for no operation", RsaKey().Jwk({{"key_ops", Json::array()}}), absl::StatusCode::kUnimplemented},
      {"operation twice", RsaKey().Jwk({{"key_ops", {"verify", "verify"}}}), absl::StatusCode::kInvalidArgument},
      {"algorithm of another type", RsaKey().Jwk({{"alg", "ES256"}}), absl::StatusCode::kInvalidArgument},
      {"RSA key said to be a secret", RsaKey().Jwk({{"alg", "HS256"}}), absl::StatusCode::kInvalidArgument},
      {"algorithm after another curve", ec.Jwk({{"alg", "ES521"}}), absl::StatusCode::kInvalidArgument},
      {"algorithm for encryption", RsaKey().Jwk({{"alg", "RSA-OAEP"}}), absl::StatusCode::kUnimplemented},
      {"algorithm none", RsaKey().Jwk({{"alg", "none"}}), absl::StatusCode::kUnimplemented},
      {"key id no string", RsaKey().Jwk({{"kid", 7}}), absl::StatusCode::kInvalidArgument},
  };
  for (const auto& row : rows) {
    const auto key = VerificationKey::FromJwk(row.jwk);
    ASSERT_FALSE(key.ok()) << row.name;
    EXPECT_EQ(key.status().code(), row.code) << row.name << ": " << key.status();
  }
}

// An odd number of 2,048 bits that is a power of 65537 modulo each of the first primes, like the moduli of the broken
// generator, or one more than that.
std::string MarkedModulus(bool spoilt) {
  using Number = std::unique_ptr<BIGNUM, OpensslDeleter<BN_free>>;
  const Number product(BN_new());
  BN_one(product.get());
  for (const unsigned prime : {11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157}) {
    BN_mul_word(product.get(), prime);
  }
  // 65537 itself, 2^k products higher: with the same remainders.
  const Number modulus(BN_new());
  BN_lshift(modulus.get(), product.get(), 2048 - BN_num_bits(product.get()));
  BN_add_word(modulus.get(), spoilt ? 65539 : 65537);
  std::string bytes(static_cast<size_t>(BN_num_bytes(modulus.get())), '\0');
  BN_bn2bin(modulus.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  return Base64Url(bytes);
}

TEST(VerificationKeyTest, RefusesKeysOfTheBrokenGenerator) {
  const auto says = [](bool spoilt) {
    return std::string(VerificationKey::FromJwk(RsaKey().Jwk({{"n", MarkedModulus(spoilt)}})).status().message());
  };
  EXPECT_THAT(says(false), ::testing::HasSubstr("ROCA"));
  EXPECT_THAT(says(true), ::testing::Not(::testing::HasSubstr("ROCA")));
}

TEST(VerificationKeyTest, SeesAPrivatePart) {
  for (const char* member : {"d", "p", "q", "dp", "dq", "qi", "oth"}) {
    EXPECT_TRUE(VerificationKey::HasPrivatePart(RsaKey().Jwk({{member, "AQAB"}}))) << member;
    EXPECT_TRUE(VerificationKey::HasPrivatePart({{member, "AQAB"}})) << member;
  }
  EXPECT_TRUE(VerificationKey::HasPrivatePart(SigningKey::Secret(std::string(32, 'k')).Jwk()));
  EXPECT_TRUE(VerificationKey::HasPrivatePart({{"kty", "oct"}, {"k", "c2hvcnQ"}})) << "too short to be used";
}

TEST(VerificationKeyTest, SeesNoPrivatePartInAPublicKey) {
  for (const Json& jwk :
       {RsaKey().Jwk(), SigningKey::Ec("P-256").Jwk(), Json{{"kty", 7}, {"k", ""}}, Json("d"), Json()}) {
    EXPECT_FALSE(VerificationKey::HasPrivatePart(jwk)) << jwk;
  }
}

}  // namespace
}  // namespace toolgate::security::identity::jose
