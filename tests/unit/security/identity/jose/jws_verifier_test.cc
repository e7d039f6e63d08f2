#include "security/identity/jose/jws_verifier.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity::jose {
namespace {

using testing::Base64Url;
using ::testing::HasSubstr;
using testing::MakeToken;
using testing::SigningKey;

constexpr std::string_view kPayload = R"({"sub":"ann"})";

// One key for each algorithm; RSA keys are expensive to make.
const SigningKey& KeyFor(std::string_view algorithm) {
  static const auto* const keys =
      new std::map<std::string, SigningKey, std::less<>>{{"HS", SigningKey::Secret(std::string(64, 's'))},
                                                         {"RS", SigningKey::Rsa()},
                                                         {"ES256", SigningKey::Ec("P-256")},
                                                         {"ES384", SigningKey::Ec("P-384")},
                                                         {"ES512", SigningKey::Ec("P-521")},
                                                         {"EdDSA", SigningKey::Ed25519()}};
  if (algorithm.starts_with("HS")) return keys->find("HS")->second;
  if (algorithm.starts_with("RS") || algorithm.starts_with("PS")) return keys->find("RS")->second;
  return keys->find(algorithm)->second;
}

KeySet SetOf(const Json& jwk) { return KeySet::Of(*VerificationKey::FromJwk(jwk)); }

std::string Header(std::string_view algorithm, const Json& members = Json::object()) {
  Json header{{"alg", algorithm}};
  for (const auto& [name, value] : members.items()) header[name] = value;
  return DumpJson(header);
}

std::string GoodToken(std::string_view algorithm, const Json& members = Json::object()) {
  return MakeToken(KeyFor(algorithm), algorithm, Header(algorithm, members), kPayload);
}

const JwsVerifier& Anything() {
  static const auto* const verifier = new JwsVerifier({.algorithms = AllAlgorithms()});
  return *verifier;
}

class JwsAlgorithmTest : public ::testing::TestWithParam<std::string> {};

TEST_P(JwsAlgorithmTest, AcceptsAGoodTokenAndNothingNearIt) {
  const std::string token = GoodToken(GetParam());
  const KeySet keys = SetOf(KeyFor(GetParam()).Jwk());
  const auto verified = Anything().Verify(token, keys);
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(verified->payload, kPayload);
  EXPECT_EQ(TraitsOf(verified->algorithm).name, GetParam());

  // Any character changed to another of the alphabet is another message or another signature.
  for (size_t i = 0; i < token.size(); i += 7) {
    if (token[i] == '.') continue;
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(Anything().Verify(changed, keys).ok()) << i;
  }
}

TEST_P(JwsAlgorithmTest, RefusesSignaturesOfAnotherLength) {
  const std::string input = Base64Url(Header(GetParam())) + "." + Base64Url(kPayload);
  const std::string good = KeyFor(GetParam()).Sign(GetParam(), input);
  const std::string zeros(good.size(), '\0');
  const KeySet keys = SetOf(KeyFor(GetParam()).Jwk());
  ASSERT_TRUE(Anything().Verify(input + "." + Base64Url(good), keys).ok());
  for (const std::string& signature :
       {std::string(), good.substr(0, good.size() - 1), good.substr(1), good + '\0', std::string(1, '\0') + good,
        good + good, zeros, std::string(1, '\0'), std::string(good.size(), '\xFF')}) {
    EXPECT_FALSE(Anything().Verify(input + "." + Base64Url(signature), keys).ok()) << signature.size();
  }
}

TEST_P(JwsAlgorithmTest, RefusesTheSignatureUnderEveryOtherAlgorithmsName) {
  const KeySet keys = SetOf(KeyFor(GetParam()).Jwk());
  for (size_t i = 0; i < kAlgorithms; ++i) {
    const std::string_view other = TraitsOf(static_cast<Algorithm>(i)).name;
    if (other == GetParam()) continue;
    const std::string token = MakeToken(KeyFor(GetParam()), GetParam(), Header(other), kPayload);
    EXPECT_FALSE(Anything().Verify(token, keys).ok()) << other;
  }
}

TEST_P(JwsAlgorithmTest, RefusesAnotherKeyOfTheSameKind) {
  const std::string token = GoodToken(GetParam());
  const std::string_view algorithm = GetParam();
  const SigningKey other = algorithm.starts_with("HS") ? SigningKey::Secret(std::string(64, 't'))
                           : algorithm == "ES256"      ? SigningKey::Ec("P-256")
                           : algorithm == "ES384"      ? SigningKey::Ec("P-384")
                           : algorithm == "ES512"      ? SigningKey::Ec("P-521")
                           : algorithm == "EdDSA"      ? SigningKey::Ed25519()
                                                       : SigningKey::Rsa();
  EXPECT_EQ(Anything().Verify(token, SetOf(other.Jwk())).status().code(), absl::StatusCode::kUnauthenticated);
}

TEST_P(JwsAlgorithmTest, RefusesAKeyMeantForSomethingElse) {
  const std::string token = GoodToken(GetParam());
  const SigningKey& key = KeyFor(GetParam());
  for (size_t i = 0; i < kAlgorithms; ++i) {
    const std::string_view other = TraitsOf(static_cast<Algorithm>(i)).name;
    const auto restricted = VerificationKey::FromJwk(key.Jwk({{"alg", other}}));
    if (!restricted.ok()) continue;
    const KeySet keys = SetOf(key.Jwk({{"alg", other}}));
    EXPECT_EQ(Anything().Verify(token, keys).ok(), other == GetParam()) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(All, JwsAlgorithmTest,
                         ::testing::Values("HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384",
                                           "PS512", "ES256", "ES384", "ES512", "EdDSA"),
                         [](const auto& row) { return row.param; });

// A way to spoil a token, and a word of the refusal.
struct Attack {
  std::string name;
  std::string token;
  std::string reason;
};

std::vector<Attack> HeaderAttacks() {
  const auto signed_as = [](std::string_view header) { return MakeToken(KeyFor("ES256"), "ES256", header, kPayload); };
  const std::string jwk = DumpJson(SigningKey::Ec("P-256").Jwk());
  return {
      {"no algorithm", signed_as("{}"), "no \"alg\""},
      {"algorithm no text", signed_as(R"({"alg":256})"), "no \"alg\""},
      {"algorithm null", signed_as(R"({"alg":null})"), "no \"alg\""},
      {"algorithm in a list", signed_as(R"({"alg":["ES256"]})"), "no \"alg\""},
      {"algorithm in another case", signed_as(R"({"alg":"es256"})"), "not an allowed one"},
      {"algorithm with a blank", signed_as(R"({"alg":"ES256 "})"), "not an allowed one"},
      {"unknown algorithm", signed_as(R"({"alg":"ES256K"})"), "not an allowed one"},
      {"critical extension", signed_as(R"({"alg":"ES256","crit":["exp"],"exp":1})"), "crit"},
      {"critical list empty", signed_as(R"({"alg":"ES256","crit":[]})"), "crit"},
      {"critical b64", signed_as(R"({"alg":"ES256","crit":["b64"],"b64":false})"), "crit"},
      {"payload not encoded", signed_as(R"({"alg":"ES256","b64":false})"), "b64"},
      {"b64 as text", signed_as(R"({"alg":"ES256","b64":"true"})"), "b64"},
      {"compressed", signed_as(R"({"alg":"ES256","zip":"DEF"})"), "encrypted"},
      {"algorithm twice", signed_as(R"({"alg":"none","alg":"ES256"})"), "distinct members"},
      {"algorithm twice, escaped", signed_as(R"({"alg":"ES256","\u0061lg":"none"})"), "distinct members"},
      {"key id twice", signed_as(R"({"alg":"ES256","kid":"a","kid":"b"})"), "distinct members"},
      {"key id no text", signed_as(R"({"alg":"ES256","kid":1})"), "kid"},
      {"type no text", signed_as(R"({"alg":"ES256","typ":["JWT"]})"), "typ"},
      {"header no object", signed_as(R"(["ES256"])"), "JSON object"},
      {"header no JSON", signed_as("alg=ES256"), "JSON object"},
      {"header of two values", signed_as(R"({"alg":"ES256"}{})"), "JSON object"},
      {"header with a comment", signed_as(R"({"alg":"ES256"/**/})"), "JSON object"},
      {"header with a trailing comma", signed_as(R"({"alg":"ES256",})"), "JSON object"},
      {"header not UTF-8", signed_as("{\"alg\":\"ES256\",\"x\":\"\xC3\x28\"}"), "JSON object"},
      {"header with a byte order mark", signed_as("\xEF\xBB\xBF{\"alg\":\"ES256\"}"), "JSON object"},
      {"header nested deep", signed_as(R"({"alg":"ES256","x":)" + std::string(100, '[') + std::string(100, ']') + "}"),
       "JSON object"},
      {"header empty", signed_as(""), "JSON object"},
      {"signed by the key that it brings",
       MakeToken(SigningKey::Ec("P-256"), "ES256", R"({"alg":"ES256","jwk":)" + jwk + "}", kPayload), "known key"},
  };
}

TEST(JwsVerifierTest, RefusesBadHeaders) {
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  for (const Attack& attack : HeaderAttacks()) {
    const auto verified = Anything().Verify(attack.token, keys);
    ASSERT_FALSE(verified.ok()) << attack.name;
    EXPECT_THAT(std::string(verified.status().message()), HasSubstr(attack.reason)) << attack.name;
  }
}

TEST(JwsVerifierTest, RefusesTokensWithoutASignature) {
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  for (const std::string_view none : {"none", "None", "NONE", "nOnE"}) {
    const std::string input = Base64Url(Header(none)) + "." + Base64Url(kPayload);
    EXPECT_FALSE(Anything().Verify(input + ".", keys).ok());
    EXPECT_FALSE(Anything().Verify(input + "." + Base64Url("x"), keys).ok());
    EXPECT_FALSE(Anything().Verify(MakeToken(KeyFor("ES256"), "ES256", Header(none), kPayload), keys).ok());
  }
  const std::string good = GoodToken("ES256");
  EXPECT_FALSE(Anything().Verify(good.substr(0, good.rfind('.') + 1), keys).ok());
  EXPECT_FALSE(Anything().Verify(good.substr(0, good.rfind('.')), keys).ok());
}

TEST(JwsVerifierTest, RefusesOtherSerialisations) {
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  const std::string good = GoodToken("ES256");
  const size_t first = good.find('.');
  const size_t second = good.rfind('.');
  const std::string header = good.substr(0, first);
  const std::string payload = good.substr(first + 1, second - first - 1);
  const std::string signature = good.substr(second + 1);
  const std::string_view last_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // 64 bytes leave four bits unused in the last of 86 characters.
  std::string loose_bits = signature;
  loose_bits.back() = last_alphabet[last_alphabet.find(loose_bits.back()) ^ 1];
  const std::vector<std::string> tokens = {
      "",
      ".",
      "..",
      "...",
      "....",
      good + ".",
      "." + good,
      good + "." + signature,
      good + ".x.y",
      " " + good,
      good + " ",
      good + "\n",
      good + std::string(1, '\0'),
      good + "=",
      good + "==",
      header + "=." + payload + "." + signature,
      header + "." + payload + "=." + signature,
      header + ". " + payload + "." + signature,
      header + "\r\n." + payload + "." + signature,
      header + "." + payload + "." + loose_bits,
      header + ".." + signature,
      "." + payload + "." + signature,
      "Bearer " + good,
      R"({"payload":")" + payload + R"(","protected":")" + header + R"(","signature":")" + signature + "\"}",
  };
  ASSERT_TRUE(Anything().Verify(good, keys).ok());
  for (const std::string& token : tokens) EXPECT_FALSE(Anything().Verify(token, keys).ok()) << token;
}

TEST(JwsVerifierTest, KnowsOneAlphabetOnly) {
  // A payload whose base64url has both '-' and '_'.
  const std::string payload = "\xFB\xEF\xFF\xFB";
  const std::string good = MakeToken(KeyFor("HS256"), "HS256", Header("HS256"), payload);
  const KeySet keys = SetOf(KeyFor("HS256").Jwk());
  ASSERT_TRUE(Anything().Verify(good, keys).ok());
  std::string input = Base64Url(Header("HS256")) + "." + "++//+w";
  EXPECT_FALSE(Anything().Verify(input + "." + Base64Url(KeyFor("HS256").Sign("HS256", input)), keys).ok());
}

TEST(JwsVerifierTest, DoesNotTakeAPublicKeyForASecret) {
  for (const std::string_view algorithm : {"RS256", "ES256", "EdDSA"}) {
    const SigningKey& key = KeyFor(algorithm);
    const Json jwk = key.Jwk();
    const KeySet keys = SetOf(jwk);
    const std::string number = jwk.contains("n") ? jwk["n"] : jwk["x"];
    for (const std::string& secret : {key.PublicPem(), DumpJson(jwk), number}) {
      const std::string token = MakeToken(SigningKey::Secret(secret), "HS256", Header("HS256"), kPayload);
      EXPECT_EQ(Anything().Verify(token, keys).status().code(), absl::StatusCode::kUnauthenticated) << algorithm;
    }
  }
}

TEST(JwsVerifierTest, WantsEcdsaSignaturesInTheFormOfJose) {
  const std::string input = Base64Url(Header("ES256")) + "." + Base64Url(kPayload);
  const std::string der = KeyFor("ES256").SignDer("ES256", input);
  EXPECT_FALSE(Anything().Verify(input + "." + Base64Url(der), SetOf(KeyFor("ES256").Jwk())).ok());
}

TEST(JwsVerifierTest, WantsASaltAsLongAsTheHash) {
  const std::string input = Base64Url(Header("PS256")) + "." + Base64Url(kPayload);
  const KeySet keys = SetOf(KeyFor("PS256").Jwk());
  for (const int salt : {0, 20, 31, 33, 64}) {
    const std::string signature = KeyFor("PS256").SignPssWithSalt("PS256", input, salt);
    EXPECT_FALSE(Anything().Verify(input + "." + Base64Url(signature), keys).ok()) << salt;
  }
  const std::string signature = KeyFor("PS256").SignPssWithSalt("PS256", input, 32);
  EXPECT_TRUE(Anything().Verify(input + "." + Base64Url(signature), keys).ok());
}

// (r, n - s) is the same signature to ECDSA; JOSE forbids values of zero and beyond the group's order.
TEST(JwsVerifierTest, RefusesEcdsaValuesOutOfRange) {
  const std::string input = Base64Url(Header("ES256")) + "." + Base64Url(kPayload);
  const std::string good = KeyFor("ES256").Sign("ES256", input);
  const std::string r = good.substr(0, 32);
  const std::string s = good.substr(32);
  const std::string zero(32, '\0');
  const std::string one = std::string(31, '\0') + '\x01';
  const std::string order(
      "\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xBC\xE6\xFA\xAD\xA7\x17\x9E\x84\xF3\xB9\xCA\xC2"
      "\xFC\x63\x25\x51",
      32);
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  for (const std::string& signature :
       {zero + zero, r + zero, zero + s, order + order, r + order, order + s, one + one, one + zero, s + r}) {
    EXPECT_FALSE(Anything().Verify(input + "." + Base64Url(signature), keys).ok());
  }
}

TEST(JwsVerifierTest, OnlyAllowedAlgorithmsCount) {
  const JwsVerifier asymmetric{JwsVerifier::Options()};
  EXPECT_FALSE(asymmetric.Verify(GoodToken("HS256"), SetOf(KeyFor("HS256").Jwk())).ok());
  EXPECT_TRUE(asymmetric.Verify(GoodToken("ES256"), SetOf(KeyFor("ES256").Jwk())).ok());
  const JwsVerifier only({.algorithms = AlgorithmSet().set(static_cast<size_t>(Algorithm::kPs256))});
  EXPECT_FALSE(only.Verify(GoodToken("RS256"), SetOf(KeyFor("RS256").Jwk())).ok());
  EXPECT_TRUE(only.Verify(GoodToken("PS256"), SetOf(KeyFor("PS256").Jwk())).ok());
}

TEST(JwsVerifierTest, BoundsTheToken) {
  const std::string token = GoodToken("ES256");
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  EXPECT_TRUE(JwsVerifier({.max_bytes = token.size()}).Verify(token, keys).ok());
  EXPECT_FALSE(JwsVerifier({.max_bytes = token.size() - 1}).Verify(token, keys).ok());
}

TEST(JwsVerifierTest, TellsAnUnknownKeyIdFromABadSignature) {
  const std::string token = GoodToken("ES256", {{"kid", "new"}});
  const Json jwk = KeyFor("ES256").Jwk();
  Json named = jwk;
  named["kid"] = "old";
  EXPECT_EQ(Anything().Verify(token, SetOf(named)).status().code(), absl::StatusCode::kNotFound);
  named["kid"] = "new";
  EXPECT_TRUE(Anything().Verify(token, SetOf(named)).ok());
  EXPECT_TRUE(Anything().Verify(token, SetOf(jwk)).ok()) << "a key without an id fits any token";
  EXPECT_TRUE(Anything().Verify(GoodToken("ES256"), SetOf(named)).ok()) << "a token without an id fits any key";
}

TEST(JwsVerifierTest, AcceptsWhatTheStandardAllows) {
  const KeySet keys = SetOf(KeyFor("ES256").Jwk());
  const auto accepts = [&](std::string_view header, std::string_view payload) {
    return Anything().Verify(MakeToken(KeyFor("ES256"), "ES256", header, payload), keys).ok();
  };
  EXPECT_TRUE(accepts("{\"typ\":\"JWT\",\r\n \"alg\":\"ES256\"}", kPayload)) << "white space inside the header";
  EXPECT_TRUE(accepts(R"({"alg":"\u0045S256"})", kPayload)) << "an escape";
  EXPECT_TRUE(accepts(R"({"alg":"ES256","b64":true})", kPayload));
  EXPECT_TRUE(accepts(R"({"alg":"ES256","unknown":{"a":[1]}})", kPayload)) << "an extension that is not critical";
  EXPECT_TRUE(accepts(R"({"alg":"ES256","x5t":"abc","jku":"https://example.org/keys"})", kPayload));
  EXPECT_TRUE(accepts(R"({"alg":"ES256"})", "")) << "an empty payload";
  EXPECT_TRUE(accepts(R"({"alg":"ES256"})", std::string("\0\xFF no JSON", 10))) << "a payload of bytes";
}

// RFC 7515 appendix A.1: made by another program.
TEST(JwsVerifierTest, AcceptsTheExampleOfTheStandard) {
  const Json jwk{{"kty", "oct"},
                 {"k", "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}};
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl"
      "LmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  EXPECT_TRUE(Anything().Verify(token, SetOf(jwk)).ok());
}

// RFC 8037 appendix A.4.
TEST(JwsVerifierTest, AcceptsTheExampleForEd25519) {
  const Json jwk{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}};
  const std::string token =
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4"
      "ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
  EXPECT_TRUE(Anything().Verify(token, SetOf(jwk)).ok());
}

}  // namespace
}  // namespace toolgate::security::identity::jose
