// From a compact JSON Web Signature to the bytes that were signed.
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

// What a token says before anybody has checked it: worth nothing but to choose how to check it.
struct JwsParts {
  Json header;
  Algorithm algorithm;
  std::string key_id;              // "kid", or empty.
  std::string_view signing_input;  // Into the token.
  std::string payload;
  std::string signature;
};

// A signature held; `payload` is what was signed.
struct VerifiedJws {
  Json header;
  Algorithm algorithm;
  std::string key_id;
  std::string payload;
};

// RFC 7515 (compact serialisation), with the advice of RFC 8725. Pure: no clock, no network, no state beyond its
// options; thread-safe.
//
// The key never comes from the token: "jwk", "jku", "x5c" and "x5u" in a header are not looked at. The algorithm comes
// from the header only within the allowed set and within what the key is for.
class JwsVerifier {
 public:
  struct Options {
    AlgorithmSet algorithms = AsymmetricAlgorithms();
    size_t max_bytes = size_t{16} << 10;
  };

  explicit JwsVerifier(const Options& options) : options_(options) {}

  // Takes a token apart, strictly: exactly three parts of canonical base64url, a header of one JSON object without
  // duplicate members, an allowed algorithm, no "crit", no "b64" but true, no "zip". INVALID_ARGUMENT says what is
  // wrong, never with the token's own bytes.
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
