#include "services/execution/claimed_call.h"

#include <optional>
#include <utility>

#include "common/json.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "observability/trace_context.h"
#include "toolgate/internal/v1/claimed_call.pb.h"

namespace toolgate::services::execution {
namespace {

void FillCaller(const Caller& caller, v1::Caller& out) {
  out.set_workspace_id(caller.workspace_id);
  out.set_user_id(caller.user_id);
  out.set_user_name(caller.user_name);
  out.set_is_guest(caller.is_guest);
  out.set_conversation_id(caller.conversation_id);
  out.set_ai_model(caller.ai_model);
  out.set_mode_hint(caller.mode_hint);
  out.set_time_zone(caller.time_zone);
}

Caller CallerOf(const internal::v1::ClaimedCall& claimed) {
  Caller caller;
  caller.workspace_id = claimed.caller().workspace_id();
  caller.user_id = claimed.caller().user_id();
  caller.user_name = claimed.caller().user_name();
  caller.is_guest = claimed.caller().is_guest();
  caller.conversation_id = claimed.caller().conversation_id();
  caller.ai_model = claimed.caller().ai_model();
  caller.mode_hint = claimed.caller().mode_hint();
  caller.time_zone = claimed.caller().time_zone();
  caller.service = claimed.caller_service();
  return caller;
}

}  // namespace

absl::StatusOr<std::string> ToClaimedCall(const security::ToolCall& call) {
  internal::v1::ClaimedCall claimed;
  claimed.set_tool_id(call.tool->definition.id);
  FillCaller(call.caller, *claimed.mutable_caller());
  claimed.set_caller_service(call.caller.service);
  claimed.set_arguments_json(DumpJson(call.arguments()));
  claimed.set_call_id(call.id);
  claimed.set_audit_entry_id(call.audit_entry_id);
  claimed.set_request_id(call.request_id);
  claimed.set_idempotency_key(call.idempotency_key);
  claimed.set_arrived_at_us(absl::ToUnixMicros(call.arrived));
  if (call.trace.valid()) claimed.set_traceparent(call.trace.ToTraceParent());
  if (call.approval.has_value()) {
    claimed.set_confirmation_id(call.approval->confirmation_id);
    claimed.set_question_digest(call.approval->question_digest);
  }
  if (call.settles_as_step()) {
    claimed.set_parent_call_id(call.step_of->call_id);
    claimed.set_part_of(call.step_of->claim_id);
    claimed.set_step_number(call.step_of->number);
  }
  return SerializeProto(claimed);
}

absl::Status FromClaimedCall(std::string_view bytes, const executors::Tool& tool, security::ToolCall& call) {
  internal::v1::ClaimedCall claimed;
  if (!ParseProto(bytes, claimed).ok()) {
    return absl::DataLossError("the call that a claim in the journal keeps cannot be read");
  }
  ASSIGN_OR_RETURN(Json arguments, ParseJson(claimed.arguments_json(), kStoredJson));
  call.tool = &tool;
  call.tool_id = claimed.tool_id();
  call.caller = CallerOf(claimed);
  call.claimed = call.caller;
  call.id = claimed.call_id();
  call.audit_entry_id = claimed.audit_entry_id();
  call.request_id = claimed.request_id();
  call.idempotency_key = claimed.idempotency_key();
  call.arrived = absl::FromUnixMicros(claimed.arrived_at_us());
  if (const auto trace = observability::ParseTraceParent(claimed.traceparent()); trace.has_value()) call.trace = *trace;
  if (!claimed.confirmation_id().empty()) {
    call.approval =
        security::Approval{.confirmation_id = claimed.confirmation_id(), .question_digest = claimed.question_digest()};
  }
  if (!claimed.part_of().empty()) {
    call.step_of = security::StepOf{
        .call_id = claimed.parent_call_id(), .claim_id = claimed.part_of(), .number = claimed.step_number()};
  }
  call.SetArguments(std::move(arguments));
  call.FreezeArguments();
  return absl::OkStatus();
}

}  // namespace toolgate::services::execution
