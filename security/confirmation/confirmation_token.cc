#include "security/confirmation/confirmation_token.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/digest.h"

namespace toolgate::security::confirmation {
namespace {

constexpr size_t kMacSize = 32;
constexpr size_t kMaxToken = 512;

}  // namespace

std::string TokenSigner::Mac(std::string_view head, std::string_view call_digest) const {
  return HmacSha256(key_, absl::StrCat(ToAbsl(head), ToAbsl(call_digest)));
}

std::string TokenSigner::Sign(const TokenClaims& claims, std::string_view call_digest) const {
  const std::string head = absl::StrCat(claims.confirmation_id, ".", absl::ToUnixSeconds(claims.expires_at), ".",
                                        claims.state_digest, ".", claims.question_digest, ".");
  return Base64UrlEncode(absl::StrCat(head, Mac(head, call_digest)));
}

std::optional<TokenClaims> TokenSigner::Verify(std::string_view token, std::string_view call_digest) const {
  if (token.size() > kMaxToken) return std::nullopt;
  const std::optional<std::string> bytes = Base64UrlDecode(token);
  if (!bytes.has_value() || bytes->size() <= kMacSize) return std::nullopt;
  // The encoding has unused bits at its end; only the exact text that Sign writes is valid.
  if (Base64UrlEncode(*bytes) != token) return std::nullopt;
  const std::string_view head = std::string_view(*bytes).substr(0, bytes->size() - kMacSize);
  const std::string_view mac = std::string_view(*bytes).substr(head.size());
  if (!ConstantTimeEqual(mac, Mac(head, call_digest))) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(ToAbsl(head), '.');
  int64_t expiry = 0;
  if (fields.size() != 5 || !absl::SimpleAtoi(fields[1], &expiry)) return std::nullopt;
  return TokenClaims{fields[0], absl::FromUnixSeconds(expiry), fields[2], fields[3]};
}

std::string CallDigest(const ToolCall& call, std::string_view policy_version) {
  // Length prefixes prevent the end of one field from being read as the beginning of the next.
  std::string bytes;
  for (const std::string_view part :
       {std::string_view(call.caller.workspace_id), std::string_view(call.caller.user_id),
        std::string_view(call.tool->definition.id), std::string_view(call.arguments_digest()), policy_version,
        std::string_view(call.dry_run ? "dry run" : "")}) {
    absl::StrAppend(&bytes, part.size(), ":", ToAbsl(part));
  }
  return Sha256(bytes);
}

}  // namespace toolgate::security::confirmation
