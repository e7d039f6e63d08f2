#include "security/identity/identity_factory.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/config_path.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "security/identity/credentials_identity.h"
#include "security/identity/development_identity.h"
#include "security/identity/jose/key_set.h"
#include "security/identity/jose/verification_key.h"
#include "security/identity/key_files.h"
#include "security/identity/token_issuers.h"

namespace toolgate::security::identity {
namespace {

// The last line end of a text file is not part of the secret.
std::string WithoutLineEnd(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

absl::StatusOr<jose::VerificationKey> SecretOf(const IssuerConfig& issuer) {
  absl::StatusOr<std::string> secret = ReadSecretFile(issuer.jwt.secret_file());
  absl::StatusOr<jose::VerificationKey> key =
      secret.ok() ? jose::VerificationKey::FromSecret(WithoutLineEnd(*std::move(secret))) : secret.status();
  if (!key.ok()) return AtConfigPath(issuer.path + ".secret_file", key.status());
  return key;
}

absl::Status AtKeyFile(const IssuerConfig& issuer, const absl::Status& status) {
  return AtConfigPath(issuer.path + ".jwks_file", status);
}

FetchedKeys::Fetch FetcherOf(const config::v1::Jwt& config) {
  if (!config.jwks_file().empty()) {
    return [path = config.jwks_file()](const std::atomic<bool>&) { return ReadKeyFile(path); };
  }
  const HttpGet request{config.jwks_url(), config.jwks_ca_file(), FromProtoDuration(config.fetch_timeout())};
  return [request](const std::atomic<bool>& stop) { return FetchOverHttp(request, stop); };
}

absl::StatusOr<std::string> SourceKey(const config::v1::Jwt& config) {
  config::v1::Jwt source;
  source.set_jwks_file(config.jwks_file());
  source.set_jwks_url(config.jwks_url());
  source.set_jwks_ca_file(config.jwks_ca_file());
  *source.mutable_refresh_interval() = config.refresh_interval();
  *source.mutable_refetch_interval() = config.refetch_interval();
  *source.mutable_max_key_age() = config.max_key_age();
  *source.mutable_fetch_timeout() = config.fetch_timeout();
  return SerializeProto(source);
}

}  // namespace

ListenerSecurity SecurityOf(const config::v1::Server& server) {
  const bool tls = !server.tls().certificate_file().empty();
  return {.tls = tls, .client_certificates = tls && !server.tls().client_ca_file().empty()};
}

bool TakesCredentials(const config::v1::Identity& config) {
  return !config.services().empty() || !config.jwt().issuer().empty() || !config.jwt().issuers().empty();
}

absl::Status CheckKeyFile(const IssuerConfig& issuer) {
  if (!issuer.jwt.secret_file().empty()) return SecretOf(issuer).status();
  if (issuer.jwt.jwks_file().empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> text = ReadKeyFile(issuer.jwt.jwks_file());
  return AtKeyFile(issuer, text.ok() ? jose::KeySet::Parse(*text, {}).status() : text.status());
}

absl::StatusOr<std::unique_ptr<Identity>> IdentityFactory::Make(const config::v1::Identity& config) {
  RETURN_IF_ERROR(CheckSafe(config));
  if (!TakesCredentials(config)) return std::unique_ptr<Identity>(std::make_unique<DevelopmentIdentity>());
  ASSIGN_OR_RETURN(ServiceDirectory services, ServiceDirectory::Create(config));
  ASSIGN_OR_RETURN(std::unique_ptr<TokenIssuers> tokens, MakeIssuers(config.jwt()));
  return std::unique_ptr<Identity>(std::make_unique<CredentialsIdentity>(std::move(services), std::move(tokens)));
}

absl::Status IdentityFactory::CheckSafe(const config::v1::Identity& config) const {
  if (listener_.tls && !TakesCredentials(config)) {
    return absl::InvalidArgumentError(
        "the listener has TLS, and nothing says who may call; write identity.services or identity.jwt (believing what "
        "callers say of themselves is for a listener without TLS on loopback, which needs a restart)");
  }
  if (!config.services().empty() && !listener_.client_certificates) {
    return absl::InvalidArgumentError(
        "identity.services are known by their client certificates, and the listener asks for none; name "
        "server.tls.client_ca_file, and restart");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TokenIssuers>> IdentityFactory::MakeIssuers(const config::v1::Jwt& config) {
  TokenIssuers::ByName issuers;
  for (const IssuerConfig& issuer : IssuersOf(config)) {
    ASSIGN_OR_RETURN(std::unique_ptr<TokenAuthenticator> tokens, MakeIssuer(issuer));
    if (!issuers.emplace(issuer.jwt.issuer(), std::move(tokens)).second) {
      return absl::InvalidArgumentError(absl::StrCat(issuer.path, ".issuer: stands in the list already"));
    }
  }
  if (issuers.empty()) return nullptr;
  return std::make_unique<TokenIssuers>(std::move(issuers));
}

absl::StatusOr<std::unique_ptr<TokenAuthenticator>> IdentityFactory::MakeIssuer(const IssuerConfig& issuer) {
  const config::v1::Jwt& config = issuer.jwt;
  if (config.secret_file().empty()) {
    ASSIGN_OR_RETURN(std::shared_ptr<KeySource> keys, PublishedKeys(issuer));
    return TokenAuthenticator::Create(config, jose::AsymmetricAlgorithms(), std::move(keys), clock_);
  }
  ASSIGN_OR_RETURN(jose::VerificationKey key, SecretOf(issuer));
  return TokenAuthenticator::Create(config, jose::SymmetricAlgorithms(),
                                    std::make_shared<FixedKeys>(jose::KeySet::Of(std::move(key))), clock_);
}

absl::StatusOr<std::shared_ptr<KeySource>> IdentityFactory::PublishedKeys(const IssuerConfig& issuer) {
  const config::v1::Jwt& config = issuer.jwt;
  absl::MutexLock lock(&mutex_);
  absl::erase_if(sources_, [](const auto& row) { return row.second.expired(); });
  ASSIGN_OR_RETURN(const std::string source, SourceKey(config));
  if (const auto known = sources_.find(source); known != sources_.end()) {
    if (std::shared_ptr<KeySource> keys = known->second.lock()) return keys;
  }
  FetchedKeys::Options options;
  options.refresh_interval = FromProtoDuration(config.refresh_interval());
  options.refetch_interval = FromProtoDuration(config.refetch_interval());
  options.max_age = FromProtoDuration(config.max_key_age());
  options.wait = FromProtoDuration(config.fetch_timeout());
  options.on_fetch = [this, name = config.issuer()](const std::string& problem) {
    if (!problem.empty()) {
      warn_(absl::StrCat("the keys of the token issuer ", name, " could not be fetched: ", problem));
    }
  };
  auto made = std::make_shared<FetchedKeys>(options, FetcherOf(config), clock_);
  const absl::Status fetched = made->FetchNow();
  // A file is the operator's own, so a problem in it stops the start. A failing address may recover.
  if (!fetched.ok() && !config.jwks_file().empty()) return AtKeyFile(issuer, fetched);
  sources_[source] = made;
  return std::shared_ptr<KeySource>(std::move(made));
}

}  // namespace toolgate::security::identity
