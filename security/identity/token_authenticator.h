// Determines the caller that a bearer token identifies.
#ifndef TOOLGATE_SECURITY_IDENTITY_TOKEN_AUTHENTICATOR_H_
#define TOOLGATE_SECURITY_IDENTITY_TOKEN_AUTHENTICATOR_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/clock.h"
#include "security/identity/claims_check.h"
#include "security/identity/claims_mapper.h"
#include "security/identity/jose/jws_verifier.h"
#include "security/identity/key_source.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

// Checks the signature, then the claims, then maps the caller. A valid token is remembered by its SHA-256 until it
// expires or the keys change, so that only a user's first call pays for the signature. At most 16,384 tokens with 16
// MiB in total are remembered; their claims take a multiple of that, because they are kept parsed. Thread-safe.
class TokenAuthenticator {
 public:
  // Borrows `clock`. INVALID_ARGUMENT for an unknown algorithm; `algorithms` of the configuration may be empty, which
  // means all of `family`.
  static absl::StatusOr<std::unique_ptr<TokenAuthenticator>> Create(const config::v1::Jwt& config,
                                                                    const jose::AlgorithmSet& family,
                                                                    std::shared_ptr<KeySource> keys,
                                                                    const Clock& clock);

  // UNAUTHORIZED, with the problem; OVERLOADED if the issuer's keys cannot be determined.
  absl::StatusOr<std::shared_ptr<const Caller>> Authenticate(std::string_view token);

 private:
  struct Known {
    SharedKeys keys;  // Keys under which the signature was valid.
    absl::Time expires;
    std::shared_ptr<const Caller> caller;
    size_t token_bytes = 0;
  };
  struct Shard {
    absl::Mutex mutex;
    absl::flat_hash_map<std::string, Known> tokens ABSL_GUARDED_BY(mutex);
    size_t token_bytes ABSL_GUARDED_BY(mutex) = 0;  // Total of all tokens.
  };

  TokenAuthenticator(const config::v1::Jwt& config, const jose::AlgorithmSet& algorithms,
                     std::shared_ptr<KeySource> keys, const Clock& clock);

  absl::StatusOr<Known> Check(std::string_view token, SharedKeys keys);
  absl::StatusOr<jose::VerifiedJws> Verify(std::string_view token, SharedKeys& keys);
  std::shared_ptr<const Caller> Recall(const std::string& digest, const SharedKeys& keys, absl::Time now);
  void Remember(const std::string& digest, const Known& known);
  Shard& ShardOf(const std::string& digest) { return shards_[static_cast<unsigned char>(digest[0]) % shards_.size()]; }

  const jose::JwsVerifier verifier_;
  const ClaimsCheck check_;
  const ClaimsMapper mapper_;
  const std::shared_ptr<KeySource> keys_;
  const Clock& clock_;
  std::array<Shard, 16> shards_;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_TOKEN_AUTHENTICATOR_H_
