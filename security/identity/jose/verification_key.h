// A key that signatures are checked with.
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

// One JSON Web Key (RFC 7517, RFC 7518 section 6, RFC 8037 section 2). It decides by its own type, curve, "alg", "use"
// and "key_ops" what it may be used for, so that no token can have an RSA key's public text taken for a secret, or a
// curve for another. Immutable, hence thread-safe.
class VerificationKey {
 public:
  // UNIMPLEMENTED for a type or curve that is not known, or a key that is not for checking signatures: a set skips such
  // keys. INVALID_ARGUMENT for one that is malformed or too weak (RSA below 2048 bits, a secret below 32 bytes, a point
  // that is not on its curve).
  static absl::StatusOr<VerificationKey> FromJwk(const Json& jwk);
  // Whether `jwk`, which need not be a sound key or one for checking signatures, holds what only its owner may have:
  // whoever published it has given it away.
  static bool HasPrivatePart(const Json& jwk);
  // For HS256 to HS512, as far as it is long enough (RFC 7518 section 3.2: as long as the hash).
  static absl::StatusOr<VerificationKey> FromSecret(std::string_view secret);

  VerificationKey(VerificationKey&&) noexcept;
  VerificationKey& operator=(VerificationKey&&) noexcept;
  ~VerificationKey();

  const std::string& id() const { return id_; }  // "kid", or empty.
  const AlgorithmSet& algorithms() const { return algorithms_; }
  bool Supports(Algorithm algorithm) const { return algorithms_.test(static_cast<size_t>(algorithm)); }

  // Whether `signature` is one of `message`. False also for an algorithm that the key does not support.
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
  // Takes away what the members "alg", "use" and "key_ops" do not allow.
  absl::Status Restrict(const Json& jwk);
  bool VerifyPublic(const AlgorithmTraits& traits, std::string_view message, std::string_view signature) const;

  std::string id_;
  AlgorithmSet algorithms_;
  Pkey public_key_;     // Null for a secret.
  std::string secret_;  // Wiped in the end.
};

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_VERIFICATION_KEY_H_
