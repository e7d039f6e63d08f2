#include "security/identity/claims_mapper.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/claims.h"
#include "security/identity/built_in_roles.h"
#include "security/identity/identity.h"

namespace toolgate::security::identity {
namespace {

constexpr size_t kMaxListed = 100;
constexpr std::string_view kSystem = "system:";

absl::Status Wrong(std::string_view claim, std::string_view expected) {
  return MakeError(ErrorCode::kUnauthorized,
                   absl::StrCat("the token's claim \"", ToAbsl(claim), "\" must be ", ToAbsl(expected)));
}

// The text of a claim; "" if it is absent or none is configured.
absl::StatusOr<std::string> TextOf(const Json& claims, std::string_view name) {
  const Json* claim = name.empty() ? nullptr : FindClaim(claims, name);
  if (claim == nullptr) return std::string();
  if (!claim->is_string()) return Wrong(name, "a text");
  return claim->get<std::string>();
}

absl::StatusOr<std::vector<std::string>> ListOf(const Json& claims, std::string_view name) {
  std::vector<std::string> list;
  const Json* claim = name.empty() ? nullptr : FindClaim(claims, name);
  if (claim == nullptr) return list;
  if (claim->is_string()) {
    list = absl::StrSplit(claim->get_ref<const std::string&>(), ' ', absl::SkipEmpty());
  } else if (claim->is_array() && claim->size() <= kMaxListed) {
    for (const Json& row : *claim) {
      if (!row.is_string()) return Wrong(name, "a list of texts");
      list.push_back(row.get<std::string>());
    }
  } else {
    return Wrong(name, "a list of at most 100 texts, or one text with blanks between");
  }
  if (list.size() > kMaxListed) return Wrong(name, "a list of at most 100 texts");
  return list;
}

// Permissions that only the configuration can grant.
bool IsBeyondTokens(const std::string& permission) { return permission == "*" || permission.starts_with(kSystem); }

}  // namespace

ClaimsMapper::ClaimsMapper(const config::v1::Jwt& config)
    : names_(config.claims()), roles_(config.roles().begin(), config.roles().end()) {}

absl::StatusOr<Caller> ClaimsMapper::Map(const Json& claims) const {
  Caller caller;
  ASSIGN_OR_RETURN(caller.workspace_id, TextOf(claims, names_.workspace()));
  ASSIGN_OR_RETURN(caller.user_id, TextOf(claims, names_.user()));
  ASSIGN_OR_RETURN(caller.user_name, TextOf(claims, names_.name()));
  constexpr std::string_view kIdForm = "1 to 128 characters of A-Z a-z 0-9 . _ : @ -";
  if (!IsId(caller.workspace_id)) return Wrong(names_.workspace(), kIdForm);
  if (!IsId(caller.user_id)) return Wrong(names_.user(), kIdForm);
  if (!CheckForm(caller).ok()) return Wrong(names_.name(), "at most 200 bytes without control characters");
  caller.roles = roles_;
  ASSIGN_OR_RETURN(const std::vector<std::string> roles, ListOf(claims, names_.roles()));
  for (const std::string& role : roles) {
    // A token identifies a user, and a guest's rights are only for guests.
    if (role == kGuestRole) continue;
    if (std::find(caller.roles.begin(), caller.roles.end(), role) == caller.roles.end()) caller.roles.push_back(role);
  }
  ASSIGN_OR_RETURN(caller.permissions, ListOf(claims, names_.permissions()));
  caller.permissions.erase(std::remove_if(caller.permissions.begin(), caller.permissions.end(), IsBeyondTokens),
                           caller.permissions.end());
  caller.service = "token";
  caller.claims = std::make_shared<const Json>(claims);
  return caller;
}

}  // namespace toolgate::security::identity
