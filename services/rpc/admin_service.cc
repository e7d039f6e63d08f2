#include "services/rpc/admin_service.h"

#include <string>
#include <utility>

#include "common/proto_time.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "security/rate_limit/rate_limit.h"
#include "services/rpc/unary_call.h"
#include "services/rpc/unknown_methods.h"

namespace toolgate::services::rpc {
namespace {

using security::rate_limit::BreakerSnapshot;
using BreakerState = security::rate_limit::BreakerState;

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
  if (snapshot.retry_at.has_value()) *out.mutable_retry_at() = ToProtoTime(*snapshot.retry_at);
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
    *usage->mutable_window() = ToProtoDuration(row.window);
    usage->set_used(static_cast<int32_t>(row.used));
    usage->set_limit(static_cast<int32_t>(row.limit));
    *usage->mutable_resets_at() = ToProtoTime(row.resets_at);
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* AdminService::ListBreakers(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::ListBreakersRequest, v1::ListBreakersResponse>(
      runtime_, context, Rpc::kListBreakers, request, response,
      [](const KnownCall& call, const v1::ListBreakersRequest& question, v1::ListBreakersResponse& answer,
         Cancellation&) -> absl::Status {
        RETURN_IF_ERROR(call.Admit(question.caller()).status());
        for (const BreakerSnapshot& breaker : call.core().rate_limit().ListBreakers()) {
          FillBreaker(breaker, *answer.add_breakers());
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* AdminService::ResetBreaker(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::ResetBreakerRequest, v1::ResetBreakerResponse>(
      runtime_, context, Rpc::kResetBreaker, request, response,
      [](const KnownCall& call, const v1::ResetBreakerRequest& question, v1::ResetBreakerResponse& answer,
         Cancellation&) -> absl::Status {
        ASSIGN_OR_RETURN(const Caller caller,
                         call.AdmitTo("breaker.reset", Json{{"name", question.name()}}, question.caller()));
        ASSIGN_OR_RETURN(const BreakerSnapshot snapshot, call.core().ResetBreaker(caller, question.name()));
        FillBreaker(snapshot, *answer.mutable_breaker());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* AdminService::GetQuotaUsage(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::GetQuotaUsageRequest, v1::GetQuotaUsageResponse>(
      runtime_, context, Rpc::kGetQuotaUsage, request, response,
      [](const KnownCall& call, const v1::GetQuotaUsageRequest& question, v1::GetQuotaUsageResponse& answer,
         Cancellation&) -> absl::Status {
        ASSIGN_OR_RETURN(const Caller caller, call.Admit(question.caller()));
        absl::Status status = call.core().Safe(FillUsage(call.core(), caller, question.user_id(), answer));
        if (GetToolError(status).value_or(ToolError()).code == ErrorCode::kForbidden) call.LogRefusal(caller, status);
        return status;
      });
}

grpc::ServerUnaryReactor* AdminService::ReloadCatalog(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request, grpc::ByteBuffer* response) {
  return StartUnary<v1::ReloadCatalogRequest, v1::ReloadCatalogResponse>(
      runtime_, context, Rpc::kReloadCatalog, request, response,
      [](const KnownCall& call, const v1::ReloadCatalogRequest& question, v1::ReloadCatalogResponse&,
         Cancellation&) -> absl::Status {
        RETURN_IF_ERROR(call.AdmitTo("catalog.reload", Json::object(), question.caller()).status());
        return Unimplemented("this service has no tools but those built in, and nothing to reload");
      });
}

}  // namespace toolgate::services::rpc
