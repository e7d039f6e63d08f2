// Keys and tokens for tests: valid ones, and invalid ones on request.
#ifndef TOOLGATE_TESTS_SUPPORT_TOKEN_FORGE_H_
#define TOOLGATE_TESTS_SUPPORT_TOKEN_FORGE_H_

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "common/json.h"

namespace toolgate::testing {

// A key that signs, and its JSON Web Key. Aborts the test program if OpenSSL fails.
class SigningKey {
 public:
  static SigningKey Rsa(int bits = 2048);
  static SigningKey Ec(std::string_view curve);  // "P-256", "P-384", "P-521" or another that OpenSSL knows.
  static SigningKey Ed25519();
  static SigningKey Secret(std::string_view bytes);

  // The public half (including "k" for a secret), with `members` added or replacing its own.
  Json Jwk(const Json& members = Json::object()) const;
  // With `algorithm` ("RS256"); an ECDSA signature is r||s.
  std::string Sign(std::string_view algorithm, std::string_view message) const;
  // ECDSA's other form, which JOSE does not use.
  std::string SignDer(std::string_view algorithm, std::string_view message) const;
  // RSA-PSS with a salt of another length than the hash's.
  std::string SignPssWithSalt(std::string_view algorithm, std::string_view message, int salt_bytes) const;
  // Of the public half, as a file would hold it.
  std::string PublicPem() const;

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::string secret_;
};

std::string Base64Url(std::string_view bytes);

// "header.payload.signature" with `header` written as given, so that it may be malformed.
std::string MakeToken(const SigningKey& key, std::string_view algorithm, std::string_view header,
                      std::string_view payload);
// With the header {"alg": algorithm} and `members`.
std::string MakeJwt(const SigningKey& key, std::string_view algorithm, const Json& members, const Json& claims);

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TOKEN_FORGE_H_
