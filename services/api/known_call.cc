#include "services/api/known_call.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "observability/logger.h"
#include "observability/trace_context.h"
#include "security/identity/identity.h"
#include "services/api/arrive.h"
#include "services/api/convert.h"

namespace toolgate::services::api {
namespace {

using observability::LogField;

std::string TraceIdOf(const InboundRpc& inbound) { return inbound.trace.valid() ? inbound.trace.TraceIdHex() : ""; }

// A stranger's text does not go into the log as it is.
std::string_view IdOrNothing(const std::string& text) {
  return security::identity::IsId(text) ? std::string_view(text) : std::string_view();
}

std::string MethodOf(Rpc rpc) { return absl::StrCat(ToAbsl(RowOf(rpc).service), "/", ToAbsl(RowOf(rpc).method)); }

// `caller` is the claim when nobody is known, and empty before anything was read.
void Log(const ApiRuntime& runtime, const InboundRpc& inbound, std::string_view method, const Caller& caller,
         bool known, const absl::Status& refusal) {
  const std::optional<ToolError> error = GetToolError(refusal);
  runtime.logger.Info("rpc refused", {LogField::Key("method", method),
                                      LogField::Key("code", error.has_value() ? ErrorCodeName(error->code) : ""),
                                      {"known", known},
                                      {"workspace_id", IdOrNothing(caller.workspace_id)},
                                      {"user_id", IdOrNothing(caller.user_id)},
                                      {"peer", inbound.peer()},
                                      {"trace_id", TraceIdOf(inbound)}});
}

// The pipeline's own refusal of a call of which only the credentials were looked at.
absl::Status RefuseToolCall(ApiRuntime& runtime, const InboundRpc& inbound, const Core& core, const absl::Status& why) {
  security::ToolCall call;
  Arrive(runtime, inbound, call);
  call.principal = why;
  return core.pipeline().Run(call).status();
}

}  // namespace

absl::StatusOr<KnownCall> KnownCall::Authenticate(ApiRuntime& runtime, Rpc rpc, InboundRpc inbound) {
  std::shared_ptr<const Core> core = runtime.core();
  absl::StatusOr<security::Principal> principal = core->Authenticate(inbound.connection);
  if (principal.ok()) {
    inbound.connection = security::Connection();
    return KnownCall(runtime, rpc, std::move(inbound), std::move(core), *std::move(principal));
  }
  if (RowOf(rpc).permissions.of_its_tool()) return RefuseToolCall(runtime, inbound, *core, principal.status());
  absl::Status refusal = core->Safe(principal.status());
  Log(runtime, inbound, MethodOf(rpc), Caller(), /*known=*/false, refusal);
  return refusal;
}

absl::StatusOr<Caller> KnownCall::Identify(const v1::Caller& claimed) const {
  const Caller claim = FromProto(claimed);
  absl::StatusOr<Caller> caller = core_->Identify(principal_, claim);
  if (!caller.ok()) Log(runtime_, inbound_, MethodOf(rpc_), claim, /*known=*/false, caller.status());
  return caller;
}

absl::StatusOr<Caller> KnownCall::Admit(const v1::Caller& claimed) const {
  ASSIGN_OR_RETURN(Caller caller, Identify(claimed));
  absl::Status allowed = core_->CheckPermissions(caller, RowOf(rpc_).permissions.names());
  if (allowed.ok()) return caller;
  LogRefusal(caller, allowed);
  return allowed;
}

absl::StatusOr<Caller> KnownCall::AdmitTo(std::string_view action, const Json& params,
                                          const v1::Caller& claimed) const {
  ASSIGN_OR_RETURN(Caller caller, Identify(claimed));
  const absl::Status allowed = core_->CheckPermissions(caller, RowOf(rpc_).permissions.names());
  if (allowed.ok()) return caller;
  return core_->Record(caller, action, params, allowed);
}

void KnownCall::LogRefusal(const Caller& caller, const absl::Status& refusal) const {
  Log(runtime_, inbound_, MethodOf(rpc_), caller, /*known=*/true, refusal);
}

absl::Status AuthenticateUnknownMethod(const ApiRuntime& runtime, const InboundRpc& inbound) {
  const std::shared_ptr<const Core> core = runtime.core();
  absl::Status credentials = core->Authenticate(inbound.connection).status();
  if (credentials.ok()) return credentials;
  absl::Status refusal = core->Safe(credentials);
  Log(runtime, inbound, "unknown", Caller(), /*known=*/false, refusal);
  return refusal;
}

}  // namespace toolgate::services::api
