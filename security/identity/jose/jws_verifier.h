// Verifies compact JSON Web Signatures and returns the signed bytes.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_JWS_VERIFIER_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_JWS_VERIFIER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/identity/jose/algorithm.h"
#include "security/identity/jose/key_set.h"

namespace toolgate::security::identity::jose {

// Content of a token before any check: must be used only to choose how to check it.
struct JwsParts {
  Json header;
  Algorithm algorithm;
  std::string key_id;              // "kid", or empty.
  std::string_view signing_input;  // Into the token.
  std::string payload;
  std::string signature;
};

// Result of a valid signature; `payload` is the signed content.
struct VerifiedJws {
  Json header;
  Algorithm algorithm;
  std::string key_id;
  std::string payload;
};

// RFC 7515 (compact serialisation), with the advice of RFC 8725. Pure: no clock, no network, no state beyond its
// options; thread-safe.
//
// The key never comes from the token: "jwk", "jku", "x5c" and "x5u" in a header are ignored. The header's algorithm
// must be in the allowed set and fit the key.
class JwsVerifier {
 public:
  struct Options {
    AlgorithmSet algorithms = AsymmetricAlgorithms();
    size_t max_bytes = size_t{16} << 10;
  };

  explicit JwsVerifier(const Options& options) : options_(options) {}

  // Takes a token apart, strictly: exactly three parts of canonical base64url, a header of one JSON object without
  // duplicate members, an allowed algorithm, no "crit", no "b64" other than true, no "zip". INVALID_ARGUMENT describes
  // the problem, but never quotes the token.
  absl::StatusOr<JwsParts> Parse(std::string_view token) const;

  // Parse, then the signature. NOT_FOUND: no key of the set has the token's key id. UNAUTHENTICATED: no key of the set
  // is for this algorithm, or none made the signature.
  absl::StatusOr<VerifiedJws> Verify(std::string_view token, const KeySet& keys) const;

 private:
  absl::StatusOr<Json> ParseHeader(std::string_view text) const;

  const Options options_;
};

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_JWS_VERIFIER_H_
