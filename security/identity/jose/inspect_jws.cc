#include "security/identity/jose/inspect_jws.h"

#include <utility>

#include "absl/status/status.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "security/identity/jose/jws_verifier.h"
#include "security/identity/jose/key_set.h"
#include "security/identity/jose/verification_key.h"

namespace toolgate::security::identity::jose {
namespace {

// Lines come from people who try the verifier: longer than a token may be, but still limited.
constexpr JsonLimits kLineLimits{.max_bytes = size_t{4} << 20};

absl::StatusOr<KeySet> KeysOf(const Json& line) {
  if (line.contains("jwks")) return KeySet::FromJson(line["jwks"], {.allow_secrets = true});
  ASSIGN_OR_RETURN(VerificationKey key, VerificationKey::FromJwk(line["jwk"]));
  return KeySet::Of(std::move(key));
}

absl::StatusOr<VerifiedJws> VerifyLine(const Json& line) {
  ASSIGN_OR_RETURN(const KeySet keys, KeysOf(line));
  const JwsVerifier verifier({.algorithms = AllAlgorithms()});
  return verifier.Verify(line["jws"].get_ref<const std::string&>(), keys);
}

}  // namespace

absl::StatusOr<std::string> InspectJws(std::string_view text) {
  ASSIGN_OR_RETURN(const Json line, ParseJson(text, kLineLimits));
  const bool readable = line.is_object() && line.contains("jws") && line["jws"].is_string();
  if (!readable || line.contains("jwk") == line.contains("jwks")) {
    return absl::InvalidArgumentError("a line must be an object with a text \"jws\" and one of \"jwk\" and \"jwks\"");
  }
  const absl::StatusOr<VerifiedJws> verified = VerifyLine(line);
  if (!verified.ok()) {
    return DumpJson(Json{{"valid", false}, {"reason", std::string(FromAbsl(verified.status().message()))}});
  }
  return DumpJson(Json{{"valid", true},
                       {"alg", std::string(TraitsOf(verified->algorithm).name)},
                       {"payload", Base64UrlEncode(verified->payload)}});
}

}  // namespace toolgate::security::identity::jose
