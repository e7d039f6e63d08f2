// Makes the identity that a configuration describes.
#ifndef TOOLGATE_SECURITY_IDENTITY_IDENTITY_FACTORY_H_
#define TOOLGATE_SECURITY_IDENTITY_IDENTITY_FACTORY_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "security/identity/fetched_keys.h"
#include "security/identity/identity.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::identity {

struct IssuerConfig;
class TokenAuthenticator;
class TokenIssuers;

// Security of the running listener, which no reload changes. A listener without TLS is never reachable from other
// machines: the gRPC server ensures that.
struct ListenerSecurity {
  bool tls = false;
  bool client_certificates = false;
};
ListenerSecurity SecurityOf(const config::v1::Server& server);

// Outlives configurations: keys that were fetched for one serve the next, if that names the same source and is made
// while the previous one still exists. Thread-safe.
class IdentityFactory {
 public:
  // Called with messages for the operator, for example about a failed fetch of keys.
  using Warn = std::function<void(const std::string& what)>;

  // Borrows `clock`.
  IdentityFactory(const ListenerSecurity& listener, const Clock& clock, Warn warn)
      : listener_(listener), clock_(clock), warn_(std::move(warn)) {}

  // INVALID_ARGUMENT, with the reason and the remedy, if the configuration would be unsafe on this listener (callers
  // believed over TLS, services without client certificates), an issuer is named twice, or a key file cannot be used.
  // An unreachable issuer is not an error: its tokens are refused until it is back.
  absl::StatusOr<std::unique_ptr<Identity>> Make(const config::v1::Identity& config);

 private:
  absl::Status CheckSafe(const config::v1::Identity& config) const;
  // Null if no issuer is named.
  absl::StatusOr<std::unique_ptr<TokenIssuers>> MakeIssuers(const config::v1::Jwt& config);
  absl::StatusOr<std::unique_ptr<TokenAuthenticator>> MakeIssuer(const IssuerConfig& issuer);
  absl::StatusOr<std::shared_ptr<KeySource>> PublishedKeys(const IssuerConfig& issuer);

  const ListenerSecurity listener_;
  const Clock& clock_;
  const Warn warn_;
  absl::Mutex mutex_;
  // Key sources in use by some configuration, by everything that determines where and how often to fetch.
  absl::flat_hash_map<std::string, std::weak_ptr<FetchedKeys>> sources_ ABSL_GUARDED_BY(mutex_);
};

// Checks that the file with keys or the secret that `issuer` names, if any, can be used. Connects nowhere.
absl::Status CheckKeyFile(const IssuerConfig& issuer);

// Whether the configuration requires credentials; otherwise callers are believed.
bool TakesCredentials(const config::v1::Identity& config);

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_IDENTITY_FACTORY_H_
