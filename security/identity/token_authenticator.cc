#include "security/identity/token_authenticator.h"

#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::security::identity {
namespace {

// Per shard, of which there are 16. A full one forgets everything: one more signature check costs less than keeping an
// order.
constexpr size_t kMaxRemembered = 1024;
constexpr size_t kMaxRememberedBytes = size_t{1} << 20;

absl::Status Refuse(const absl::Status& why) {
  return MakeError(ErrorCode::kUnauthorized, absl::StrCat("the bearer token is refused: ", why.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TokenAuthenticator>> TokenAuthenticator::Create(const config::v1::Jwt& config,
                                                                               const jose::AlgorithmSet& family,
                                                                               std::shared_ptr<KeySource> keys,
                                                                               const Clock& clock) {
  jose::AlgorithmSet algorithms = config.algorithms().empty() ? family : jose::AlgorithmSet();
  for (const std::string& name : config.algorithms()) {
    const std::optional<jose::Algorithm> algorithm = jose::AlgorithmFromName(name);
    if (!algorithm.has_value() || !family.test(static_cast<size_t>(*algorithm))) {
      return absl::InvalidArgumentError(absl::StrCat("algorithms of the token issuer ", config.issuer(), ": \"", name,
                                                     "\" is unknown, or does not fit the kind of keys"));
    }
    algorithms.set(static_cast<size_t>(*algorithm));
  }
  return absl::WrapUnique(new TokenAuthenticator(config, algorithms, std::move(keys), clock));
}

TokenAuthenticator::TokenAuthenticator(const config::v1::Jwt& config, const jose::AlgorithmSet& algorithms,
                                       std::shared_ptr<KeySource> keys, const Clock& clock)
    : verifier_({.algorithms = algorithms}), check_(config), mapper_(config), keys_(std::move(keys)), clock_(clock) {}

absl::StatusOr<std::shared_ptr<const Caller>> TokenAuthenticator::Authenticate(std::string_view token) {
  ASSIGN_OR_RETURN(SharedKeys keys, keys_->Keys());
  const std::string digest = Sha256(token);
  if (std::shared_ptr<const Caller> caller = Recall(digest, keys, clock_.Now()); caller != nullptr) return caller;
  ASSIGN_OR_RETURN(const Known known, Check(token, std::move(keys)));
  Remember(digest, known);
  return known.caller;
}

absl::StatusOr<TokenAuthenticator::Known> TokenAuthenticator::Check(std::string_view token, SharedKeys keys) {
  const absl::StatusOr<jose::VerifiedJws> verified = Verify(token, keys);
  if (!verified.ok()) return Refuse(verified.status());
  absl::StatusOr<ClaimsCheck::Claims> claims = check_.Check(*verified, clock_.Now());
  if (!claims.ok()) return Refuse(claims.status());
  ASSIGN_OR_RETURN(Caller caller, mapper_.Map(claims->all));
  return Known{std::move(keys), claims->expires, std::make_shared<const Caller>(std::move(caller)), token.size()};
}

absl::StatusOr<jose::VerifiedJws> TokenAuthenticator::Verify(std::string_view token, SharedKeys& keys) {
  absl::StatusOr<jose::VerifiedJws> verified = verifier_.Verify(token, *keys);
  if (verified.status().code() != absl::StatusCode::kNotFound) return verified;
  SharedKeys newer = keys_->Newer(keys);
  if (newer == keys) return verified;
  keys = std::move(newer);
  return verifier_.Verify(token, *keys);
}

std::shared_ptr<const Caller> TokenAuthenticator::Recall(const std::string& digest, const SharedKeys& keys,
                                                         absl::Time now) {
  Shard& shard = ShardOf(digest);
  absl::MutexLock lock(&shard.mutex);
  const auto found = shard.tokens.find(digest);
  if (found == shard.tokens.end()) return nullptr;
  if (found->second.keys == keys && now < found->second.expires) return found->second.caller;
  shard.token_bytes -= found->second.token_bytes;
  shard.tokens.erase(found);
  return nullptr;
}

void TokenAuthenticator::Remember(const std::string& digest, const Known& known) {
  Shard& shard = ShardOf(digest);
  absl::MutexLock lock(&shard.mutex);
  if (shard.tokens.size() >= kMaxRemembered || shard.token_bytes >= kMaxRememberedBytes) {
    shard.tokens.clear();
    shard.token_bytes = 0;
  }
  // Another call may have added the same token meanwhile.
  if (shard.tokens.insert_or_assign(digest, known).second) shard.token_bytes += known.token_bytes;
}

}  // namespace toolgate::security::identity
