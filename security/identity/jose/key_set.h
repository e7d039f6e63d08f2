// The keys of an issuer.
#ifndef TOOLGATE_SECURITY_IDENTITY_JOSE_KEY_SET_H_
#define TOOLGATE_SECURITY_IDENTITY_JOSE_KEY_SET_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/identity/jose/verification_key.h"

namespace toolgate::security::identity::jose {

// A JSON Web Key Set (RFC 7517 section 5). Immutable, hence thread-safe.
class KeySet {
 public:
  struct Options {
    size_t max_bytes = size_t{256} << 10;
    size_t max_keys = 64;
    // A published set contains public keys only: a set with a secret or a private part is refused as a whole, because
    // its owner has given the key away. This also applies to keys that cannot be used.
    bool allow_secrets = false;
  };

  // Keys that cannot be used (of unknown type, for encryption, malformed, too weak) are left out, and skipped() says
  // why. INVALID_ARGUMENT if the text is not a key set, or no key is left.
  static absl::StatusOr<KeySet> Parse(std::string_view text, const Options& options);
  static absl::StatusOr<KeySet> FromJson(const Json& set, const Options& options);
  // One key.
  static KeySet Of(VerificationKey key);

  const std::vector<VerificationKey>& keys() const { return keys_; }
  // Reasons for which keys were left out, one line each, with the key's position.
  const std::vector<std::string>& skipped() const { return skipped_; }

  // The keys that may have made a signature of `algorithm` under the key id of a token's header ("" for none). A key
  // without an id fits any token.
  std::vector<const VerificationKey*> Candidates(Algorithm algorithm, std::string_view key_id) const;
  // Whether a token with this key id could be checked at all.
  bool Knows(std::string_view key_id) const;

 private:
  std::vector<VerificationKey> keys_;
  std::vector<std::string> skipped_;
};

}  // namespace toolgate::security::identity::jose

#endif  // TOOLGATE_SECURITY_IDENTITY_JOSE_KEY_SET_H_
