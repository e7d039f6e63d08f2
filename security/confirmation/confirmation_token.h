// Token that proves that a person approved exactly one call.
#ifndef TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_TOKEN_H_
#define TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_TOKEN_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "security/tool_call.h"

namespace toolgate::security::confirmation {

// Content of a token whose signature has been verified.
struct TokenClaims {
  std::string confirmation_id;
  absl::Time expires_at;  // Whole seconds.
  // The part of the approval beyond the call itself: executors::Preview::state_digest.
  std::string state_digest = {};
  // Of the question that the person was shown: QuestionDigest.
  std::string question_digest = {};
};

// Signs and checks tokens with HMAC-SHA256 (RFC 2104). A token is base64url (RFC 4648, no padding) of
// "<confirmation id>.<expiry in Unix seconds>.<state digest>.<question digest>." followed by the 32 bytes of the
// signature over that text and the digest of the call. The call's digest itself is not in the token: it is computed
// from the call that the token comes with, so a token fits no other call. Thread-safe.
class TokenSigner {
 public:
  // `key` is secret, 32 bytes or more, the same on all replicas.
  explicit TokenSigner(std::string key) : key_(std::move(key)) {}

  std::string Sign(const TokenClaims& claims, std::string_view call_digest) const;
  // Nothing if the token is malformed, was altered, or belongs to another call.
  std::optional<TokenClaims> Verify(std::string_view token, std::string_view call_digest) const;

 private:
  std::string Mac(std::string_view head, std::string_view call_digest) const;

  const std::string key_;
};

// SHA-256 over everything in a call that an approval covers: workspace, user, tool, exact arguments, the version of
// policy and schemas, and whether it is a dry run.
std::string CallDigest(const ToolCall& call, std::string_view policy_version);

}  // namespace toolgate::security::confirmation

#endif  // TOOLGATE_SECURITY_CONFIRMATION_CONFIRMATION_TOKEN_H_
