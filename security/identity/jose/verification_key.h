// Key for checking signatures.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_VERIFICATION_KEY_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_VERIFICATION_KEY_H_

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/identity/jose/algorithm.h"

namespace toolgate::security::identity::jose {

// One JSON Web Key (RFC 7517, RFC 7518 section 6, RFC 8037 section 2). Its own type, curve, "alg", "use" and "key_ops"
// decide what it may be used for, so that no token can cause an RSA key's public text to be used as a secret, or one
// curve as another. Immutable, hence thread-safe.
class VerificationKey {
 public:
  // UNIMPLEMENTED for an unknown type or curve, or a key that is not for checking signatures: a set skips such keys.
  // INVALID_ARGUMENT for a key that is malformed or too weak (RSA below 2048 bits, a secret below 32 bytes, a point
  // that is not on its curve).
  static absl::StatusOr<VerificationKey> FromJwk(const Json& jwk);
  // Whether `jwk`, which need not be a sound key or one for checking signatures, contains parts that only its owner may
  // have, so that publishing it has given the key away.
  static bool HasPrivatePart(const Json& jwk);
  // For HS256 to HS512, if it is long enough for them (RFC 7518 section 3.2: as long as the hash).
  static absl::StatusOr<VerificationKey> FromSecret(std::string_view secret);

  VerificationKey(VerificationKey&&) noexcept;
  VerificationKey& operator=(VerificationKey&&) noexcept;
  ~VerificationKey();

  const std::string& id() const { return id_; }  // "kid", or empty.
  const AlgorithmSet& algorithms() const { return algorithms_; }
  bool Supports(Algorithm algorithm) const { return algorithms_.test(static_cast<size_t>(algorithm)); }

  // Whether `signature` is a signature of `message`. Also false for an algorithm that the key does not support.
  bool Verify(Algorithm algorithm, std::string_view message, std::string_view signature) const;

 private:
  struct PkeyDeleter {
    void operator()(EVP_PKEY* key) const;
  };
  using Pkey = std::unique_ptr<EVP_PKEY, PkeyDeleter>;

  VerificationKey();

  static absl::StatusOr<VerificationKey> Rsa(const Json& jwk);
  static absl::StatusOr<VerificationKey> Ec(const Json& jwk);
  static absl::StatusOr<VerificationKey> Okp(const Json& jwk);
  static absl::StatusOr<VerificationKey> Oct(const Json& jwk);
  // Removes the algorithms that the members "alg", "use" and "key_ops" do not allow.
  absl::Status Restrict(const Json& jwk);
  bool VerifyPublic(const AlgorithmTraits& traits, std::string_view message, std::string_view signature) const;

  std::string id_;
  AlgorithmSet algorithms_;
  Pkey public_key_;     // Null for a secret.
  std::string secret_;  // Wiped on destruction.
};

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_VERIFICATION_KEY_H_
