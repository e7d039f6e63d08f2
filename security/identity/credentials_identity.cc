#include "security/identity/credentials_identity.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/identity/built_in_roles.h"

namespace toolgate::security::identity {
namespace {

absl::Status Forbid(std::string_view field, std::string_view why) {
  ToolError error;
  error.code = ErrorCode::kForbidden;
  error.message = absl::StrCat("caller.", ToAbsl(field), " ", ToAbsl(why));
  error.facts.emplace_back("field", absl::StrCat("caller.", ToAbsl(field)));
  return ToStatus(error);
}

absl::Status CheckSame(std::string_view field, const std::string& claimed, const std::string& known) {
  if (claimed.empty() || claimed == known) return absl::OkStatus();
  return Forbid(field, "contradicts the call's credentials; leave it empty, or state what they say");
}

absl::Status CheckWorkspace(const KnownService& service, const std::string& workspace) {
  if (service.MayActIn(workspace)) return absl::OkStatus();
  return Forbid("workspace_id", absl::StrCat("is none in which the service ", service.name, " may act"));
}

absl::Status MustBeStated(std::string_view field) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("caller.", ToAbsl(field), " must be stated by a service that calls for its users");
  error.violations.push_back({absl::StrCat("caller.", ToAbsl(field)), "required", "1 to 128 characters", "nothing"});
  return ToStatus(error);
}

// Takes over the context that any caller may state about its own call.
void TakeContext(const Caller& claimed, Caller& caller) {
  caller.conversation_id = claimed.conversation_id;
  caller.ai_model = claimed.ai_model;
  caller.mode_hint = claimed.mode_hint;
  caller.time_zone = claimed.time_zone;
}

absl::StatusOr<Caller> FromTrusted(const Caller& claimed, const KnownService& service) {
  if (claimed.workspace_id.empty()) return MustBeStated("workspace_id");
  if (claimed.user_id.empty()) return MustBeStated("user_id");
  RETURN_IF_ERROR(CheckWorkspace(service, claimed.workspace_id));
  Caller caller;
  caller.workspace_id = claimed.workspace_id;
  caller.user_id = claimed.user_id;
  caller.user_name = claimed.user_name;
  caller.is_guest = claimed.is_guest;
  caller.service = service.name;
  if (claimed.is_guest) {
    caller.roles = {kGuestRole};
  } else {
    caller.roles = service.roles;
  }
  TakeContext(claimed, caller);
  return caller;
}

absl::StatusOr<Caller> FromItself(const Caller& claimed, const KnownService& service) {
  if (service.workspaces.size() != 1) return absl::InternalError("a service that is not trusted has one workspace");
  RETURN_IF_ERROR(CheckSame("workspace_id", claimed.workspace_id, service.workspaces.front()));
  RETURN_IF_ERROR(CheckSame("user_id", claimed.user_id, service.name));
  RETURN_IF_ERROR(CheckSame("user_name", claimed.user_name, service.name));
  if (claimed.is_guest) return Forbid("is_guest", "is not for a service that calls for itself");
  Caller caller;
  caller.workspace_id = service.workspaces.front();
  caller.user_id = service.name;
  caller.user_name = service.name;
  caller.service = service.name;
  caller.roles = service.roles;
  TakeContext(claimed, caller);
  return caller;
}

absl::StatusOr<Caller> FromToken(const Caller& claimed, const Caller& known, const KnownService* service) {
  RETURN_IF_ERROR(CheckSame("workspace_id", claimed.workspace_id, known.workspace_id));
  RETURN_IF_ERROR(CheckSame("user_id", claimed.user_id, known.user_id));
  if (!known.user_name.empty()) RETURN_IF_ERROR(CheckSame("user_name", claimed.user_name, known.user_name));
  if (claimed.is_guest) return Forbid("is_guest", "contradicts the token, which names a user");
  if (service != nullptr) RETURN_IF_ERROR(CheckWorkspace(*service, known.workspace_id));
  Caller caller = known;  // Claims absent from the token stay empty: policies use them, and the audit log shows them.
  if (service != nullptr) caller.service = service->name;
  TakeContext(claimed, caller);
  return caller;
}

}  // namespace

absl::StatusOr<Principal> CredentialsIdentity::Authenticate(const Connection& connection) {
  Principal principal;
  if (connection.certificate.has_value()) {
    ASSIGN_OR_RETURN(principal.service, services_.Find(*connection.certificate));
  }
  if (connection.unreadable_authorization) {
    return MakeError(ErrorCode::kUnauthorized, "the metadata authorization must be one \"Bearer <token>\"");
  }
  if (!connection.bearer_token.empty()) {
    if (tokens_ == nullptr) {
      return MakeError(ErrorCode::kUnauthorized, "bearer tokens are not taken here; leave the token out");
    }
    ASSIGN_OR_RETURN(principal.user, tokens_->Authenticate(connection.bearer_token));
  } else if (principal.service == nullptr) {
    return MakeError(ErrorCode::kUnauthorized,
                     tokens_ != nullptr
                         ? "a bearer token is needed, as \"Bearer <token>\" in the metadata authorization"
                         : "a client certificate is needed");
  }
  return principal;
}

absl::StatusOr<Caller> CredentialsIdentity::Identify(const Principal& principal, const Caller& stated) {
  Caller claimed = stated;
  RETURN_IF_ERROR(CheckForm(claimed));
  if (principal.user != nullptr) return FromToken(claimed, *principal.user, principal.service);
  // Authenticate never makes such a principal; a default one, from another identity, must not pass.
  if (principal.service == nullptr) return MakeError(ErrorCode::kUnauthorized, "the call has no credentials");
  return principal.service->trusted ? FromTrusted(claimed, *principal.service)
                                    : FromItself(claimed, *principal.service);
}

}  // namespace toolgate::security::identity
