#include "services/api/admin_api.h"

#include <string>

#include "common/json.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/rate_limit/rate_limit.h"
#include "services/api/unimplemented.h"

namespace toolgate::services::api {
namespace {

using coordination::breakers::BreakerSnapshot;
using BreakerState = coordination::breakers::BreakerState;

v1::BreakerState ToProto(BreakerState state) {
  switch (state) {
    case BreakerState::kClosed:
      return v1::BREAKER_STATE_CLOSED;
    case BreakerState::kOpen:
      return v1::BREAKER_STATE_OPEN;
    case BreakerState::kHalfOpen:
      return v1::BREAKER_STATE_HALF_OPEN;
  }
  return v1::BREAKER_STATE_UNSPECIFIED;
}

void FillBreaker(const BreakerSnapshot& snapshot, v1::Breaker& out) {
  out.set_name(snapshot.name);
  out.set_state(ToProto(snapshot.state));
  out.set_failures(static_cast<int32_t>(snapshot.failures));
  out.set_calls(static_cast<int32_t>(snapshot.calls));
  if (snapshot.retry_at.has_value()) SetProtoTime(*snapshot.retry_at, *out.mutable_retry_at());
}

absl::Status FillUsage(const Core& core, const Caller& caller, const std::string& asked,
                       v1::GetQuotaUsageResponse& response) {
  const std::string& user = asked.empty() ? caller.user_id : asked;
  if (user != caller.user_id && !core.May(caller, "admin:read")) {
    return MakeError(ErrorCode::kForbidden, "another user's usage needs the permission admin:read");
  }
  ASSIGN_OR_RETURN(const auto rows, core.rate_limit().ListQuotaUsage(caller.workspace_id, user));
  for (const auto& row : rows) {
    auto* usage = response.add_usages();
    usage->set_tool_id(row.tool_id);
    SetProtoDuration(row.window, *usage->mutable_window());
    usage->set_used(static_cast<int32_t>(row.used));
    usage->set_limit(static_cast<int32_t>(row.limit));
    SetProtoTime(row.resets_at, *usage->mutable_resets_at());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ListBreakers(const KnownCall& call, const v1::ListBreakersRequest& request,
                          v1::ListBreakersResponse& response, fibers::Cancellation&) {
  RETURN_IF_ERROR(call.Admit(request.caller()).status());
  for (const BreakerSnapshot& breaker : call.core().rate_limit().ListBreakers()) {
    FillBreaker(breaker, *response.add_breakers());
  }
  return absl::OkStatus();
}

absl::Status ResetBreaker(const KnownCall& call, const v1::ResetBreakerRequest& request,
                          v1::ResetBreakerResponse& response, fibers::Cancellation&) {
  ASSIGN_OR_RETURN(const Caller caller,
                   call.AdmitTo("breaker.reset", Json{{"name", request.name()}}, request.caller()));
  ASSIGN_OR_RETURN(const BreakerSnapshot snapshot, call.core().ResetBreaker(caller, request.name()));
  FillBreaker(snapshot, *response.mutable_breaker());
  return absl::OkStatus();
}

absl::Status ReloadCatalog(const KnownCall& call, const v1::ReloadCatalogRequest& request, v1::ReloadCatalogResponse&,
                           fibers::Cancellation&) {
  RETURN_IF_ERROR(call.AdmitTo("catalog.reload", Json::object(), request.caller()).status());
  return Unimplemented("this service has no tools but those built in, and nothing to reload");
}

absl::Status GetQuotaUsage(const KnownCall& call, const v1::GetQuotaUsageRequest& request,
                           v1::GetQuotaUsageResponse& response, fibers::Cancellation&) {
  ASSIGN_OR_RETURN(const Caller caller, call.Admit(request.caller()));
  absl::Status status = call.core().Safe(FillUsage(call.core(), caller, request.user_id(), response));
  if (GetToolError(status).value_or(ToolError()).code == ErrorCode::kForbidden) call.LogRefusal(caller, status);
  return status;
}

}  // namespace toolgate::services::api
