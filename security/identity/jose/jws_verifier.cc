#include "security/identity/jose/jws_verifier.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "security/identity/jose/base64url.h"

namespace toolgate::security::identity::jose {
namespace {

constexpr JsonLimits kHeaderLimits{.max_bytes = size_t{8} << 10, .max_depth = 8, .max_keys = 64, .max_values = 256};
// Maximum number of keys tried in a set whose keys have no ids; each costs a signature check.
constexpr size_t kMaxTries = 8;

absl::Status Malformed(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// Members that change the meaning of a signature and that this verifier does not support.
absl::Status RefuseExtensions(const Json& header) {
  // RFC 7515 section 4.1.11: a verifier refuses an unknown extension, and this one knows none.
  if (header.contains("crit")) return Malformed("the header has \"crit\", and no extension is supported");
  const auto b64 = header.find("b64");
  if (b64 != header.end() && *b64 != true) return Malformed("the header has \"b64\" other than true");
  if (header.contains("zip") || header.contains("enc")) return Malformed("the token is an encrypted one");
  return absl::OkStatus();
}

absl::Status CheckTexts(const Json& header) {
  for (const char* member : {"kid", "typ", "cty"}) {
    const auto found = header.find(member);
    if (found != header.end() && !found->is_string()) {
      return Malformed(absl::StrCat("the header's \"", member, "\" must be a string"));
    }
  }
  return absl::OkStatus();
}

std::string TextOr(const Json& header, const char* member) {
  const auto found = header.find(member);
  return found == header.end() ? std::string() : found->get<std::string>();
}

}  // namespace

absl::StatusOr<Json> JwsVerifier::ParseHeader(std::string_view text) const {
  const std::optional<std::string> bytes = DecodeBase64Url(text);
  if (!bytes.has_value()) return Malformed("the header is not base64url without padding");
  absl::StatusOr<Json> header = ParseJson(*bytes, kHeaderLimits);
  // The parser's own message may quote the token.
  if (!header.ok() || !header->is_object()) return Malformed("the header is not one JSON object with distinct members");
  RETURN_IF_ERROR(RefuseExtensions(*header));
  RETURN_IF_ERROR(CheckTexts(*header));
  return header;
}

absl::StatusOr<JwsParts> JwsVerifier::Parse(std::string_view token) const {
  if (token.size() > options_.max_bytes) {
    return Malformed(absl::StrCat("the token is longer than ", options_.max_bytes, " bytes"));
  }
  const auto dots = std::count(token.begin(), token.end(), '.');
  if (dots == 4) return Malformed("the token is an encrypted one");
  if (dots != 2) return Malformed("the token does not have three parts");
  const size_t first = token.find('.');
  const size_t second = token.rfind('.');
  JwsParts parts;
  ASSIGN_OR_RETURN(parts.header, ParseHeader(token.substr(0, first)));
  const auto name = parts.header.find("alg");
  if (name == parts.header.end() || !name->is_string()) return Malformed("the header has no \"alg\"");
  if (absl::EqualsIgnoreCase(name->get_ref<const std::string&>(), "none")) return Malformed("the token is not signed");
  const std::optional<Algorithm> algorithm = AlgorithmFromName(name->get_ref<const std::string&>());
  if (!algorithm.has_value() || !options_.algorithms.test(static_cast<size_t>(*algorithm))) {
    return Malformed("the token's \"alg\" is not an allowed one");
  }
  parts.algorithm = *algorithm;
  parts.key_id = TextOr(parts.header, "kid");
  parts.signing_input = token.substr(0, second);
  std::optional<std::string> payload = DecodeBase64Url(token.substr(first + 1, second - first - 1));
  if (!payload.has_value()) return Malformed("the payload is not base64url without padding");
  std::optional<std::string> signature = DecodeBase64Url(token.substr(second + 1));
  if (!signature.has_value()) return Malformed("the signature is not base64url without padding");
  if (signature->empty()) return Malformed("the token is not signed");
  parts.payload = *std::move(payload);
  parts.signature = *std::move(signature);
  return parts;
}

absl::StatusOr<VerifiedJws> JwsVerifier::Verify(std::string_view token, const KeySet& keys) const {
  ASSIGN_OR_RETURN(JwsParts parts, Parse(token));
  if (!keys.Knows(parts.key_id)) return absl::NotFoundError("no key has the token's \"kid\"");
  const std::vector<const VerificationKey*> candidates = keys.Candidates(parts.algorithm, parts.key_id);
  if (candidates.empty()) return absl::UnauthenticatedError("no key is for the token's \"alg\"");
  const size_t tries = std::min(candidates.size(), kMaxTries);
  for (size_t i = 0; i < tries; ++i) {
    if (!candidates[i]->Verify(parts.algorithm, parts.signing_input, parts.signature)) continue;
    return VerifiedJws{std::move(parts.header), parts.algorithm, std::move(parts.key_id), std::move(parts.payload)};
  }
  return absl::UnauthenticatedError("the signature is not one of a known key");
}

}  // namespace toolgate::security::identity::jose
