#include "services/rpc/admit.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "observability/logger.h"
#include "observability/trace_context.h"
#include "security/identity/identity.h"
#include "services/rpc/convert.h"

namespace toolgate::services::rpc {
namespace {

std::string TraceIdOf(const grpc::ServerContextBase& context) {
  const auto row = context.client_metadata().find("traceparent");
  if (row == context.client_metadata().end()) return "";
  const auto parent = observability::ParseTraceParent(std::string_view(row->second.data(), row->second.size()));
  return parent.has_value() ? parent->TraceIdHex() : "";
}

// Nothing that a stranger writes comes into the log as it is.
std::string_view IdOrNothing(const std::string& text) {
  return security::identity::IsId(text) ? std::string_view(text) : std::string_view();
}

}  // namespace

void LogRefusal(const RpcRuntime& runtime, Rpc rpc, const Caller& caller, bool known, const absl::Status& refusal,
                const grpc::ServerContextBase& context) {
  const observability::RpcMethod& method = RpcMethods()[static_cast<size_t>(rpc)];
  const std::optional<ToolError> error = GetToolError(refusal);
  runtime.logger.Info("rpc refused", {{"method", absl::StrCat(method.service, "/", method.method)},
                                      {"code", error.has_value() ? ErrorCodeName(error->code) : ""},
                                      {"known", known},
                                      {"workspace_id", IdOrNothing(caller.workspace_id)},
                                      {"user_id", IdOrNothing(caller.user_id)},
                                      {"peer", context.peer()},
                                      {"trace_id", TraceIdOf(context)}});
}

absl::StatusOr<Caller> Admit(const RpcRuntime& runtime, Rpc rpc, const v1::Caller& claimed,
                             const grpc::ServerContextBase& context) {
  const Core& core = runtime.core();
  const Caller claim = FromProto(claimed);
  const security::Connection connection = ConnectionOf(runtime, context);
  absl::StatusOr<Caller> caller = core.Admit(claim, connection, PermissionsFor(rpc));
  if (caller.ok()) return caller;
  // Asked again without permissions, only to say in the log who it was.
  const absl::StatusOr<Caller> known = core.Admit(claim, connection, {});
  LogRefusal(runtime, rpc, known.ok() ? *known : claim, known.ok(), caller.status(), context);
  return caller;
}

absl::StatusOr<Caller> AdmitTo(const RpcRuntime& runtime, Rpc rpc, std::string_view action, const Json& params,
                               const v1::Caller& claimed, const grpc::ServerContextBase& context) {
  const Core& core = runtime.core();
  const Caller claim = FromProto(claimed);
  const security::Connection connection = ConnectionOf(runtime, context);
  absl::StatusOr<Caller> caller = core.AdmitTo(action, params, PermissionsFor(rpc), claim, connection);
  if (!caller.ok() && !core.Admit(claim, connection, {}).ok()) {
    LogRefusal(runtime, rpc, claim, /*known=*/false, caller.status(), context);
  }
  return caller;
}

}  // namespace toolgate::services::rpc
