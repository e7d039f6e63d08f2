#include "security/identity/token_issuers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::security::identity {
namespace {

using config::v1::Jwt;
using config::v1::TokenIssuer;

Jwt WithShared(const Jwt& shared, const TokenIssuer& own) {
  Jwt jwt = shared;
  jwt.clear_issuers();
  jwt.set_issuer(own.issuer());
  *jwt.mutable_audiences() = own.audiences();
  jwt.set_jwks_file(own.jwks_file());
  jwt.set_jwks_url(own.jwks_url());
  jwt.set_jwks_ca_file(own.jwks_ca_file());
  jwt.set_secret_file(own.secret_file());
  *jwt.mutable_algorithms() = own.algorithms();
  jwt.mutable_claims()->MergeFrom(own.claims());  // An empty name keeps the one that applies to all.
  jwt.mutable_roles()->MergeFrom(own.roles());
  return jwt;
}

absl::Status RefuseToken(std::string_view why) {
  return MakeError(ErrorCode::kUnauthorized, absl::StrCat("the bearer token is refused: ", std::string(why)));
}

}  // namespace

std::vector<IssuerConfig> IssuersOf(const Jwt& config) {
  std::vector<IssuerConfig> issuers;
  if (config.issuers().empty() && !config.issuer().empty()) issuers.push_back({"identity.jwt", config});
  for (int i = 0; i < config.issuers_size(); ++i) {
    issuers.push_back({absl::StrCat("identity.jwt.issuers[", i, "]"), WithShared(config, config.issuers(i))});
  }
  return issuers;
}

absl::StatusOr<std::shared_ptr<const Caller>> TokenIssuers::Authenticate(std::string_view token) const {
  // A single issuer needs no lookup; it checks the name with the other claims.
  if (issuers_.size() == 1) return issuers_.begin()->second->Authenticate(token);
  ASSIGN_OR_RETURN(TokenAuthenticator* const issuer, Find(token));
  return issuer->Authenticate(token);
}

absl::StatusOr<TokenAuthenticator*> TokenIssuers::Find(std::string_view token) const {
  const absl::StatusOr<jose::JwsParts> parts = reader_.Parse(token);
  if (!parts.ok()) return RefuseToken(std::string(parts.status().message()));
  const absl::StatusOr<Json> claims = ParseJson(parts->payload);
  if (!claims.ok() || !claims->is_object())
    return RefuseToken("its claims are not one JSON object with distinct members");
  const auto name = claims->find("iss");
  if (name == claims->end() || !name->is_string()) return RefuseToken("it does not say who issued it");
  const auto issuer = issuers_.find(name->get_ref<const std::string&>());
  if (issuer == issuers_.end()) return RefuseToken("its issuer is none of those that are trusted here");
  return issuer->second.get();
}

}  // namespace toolgate::security::identity
