#include "services/grpc/tool_service.h"

#include <utility>

#include "services/api/confirmation_api.h"
#include "services/api/known_call.h"
#include "services/api/tool_api.h"
#include "services/grpc/execute_stream_call.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/rpc_timer.h"
#include "services/grpc/unary_call.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {
namespace {

// Answers with `status` on gRPC's own thread.
::grpc::ServerUnaryReactor* FinishNow(::grpc::CallbackServerContext& context, RpcTimer& timer,
                                      const absl::Status& status) {
  const ::grpc::Status end = ToGrpcStatus(status);
  timer.Finished(end.error_code());
  ::grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(end);
  return reactor;
}

}  // namespace

// The tool decides where the call runs, so the request is read here, and the caller authenticated before.
::grpc::ServerUnaryReactor* ToolService::Execute(::grpc::CallbackServerContext* context,
                                                 const ::grpc::ByteBuffer* bytes, ::grpc::ByteBuffer* out) {
  RpcTimer timer(runtime_.shared, api::Rpc::kExecute, *context);
  absl::StatusOr<api::KnownCall> known =
      api::KnownCall::Authenticate(runtime_.shared, api::Rpc::kExecute, InboundOf(runtime_, *context, timer));
  v1::ExecuteRequest request;
  absl::StatusOr<api::InputBudget::Lease> lease =
      known.ok() ? ReadMessage(*known, *bytes, request) : absl::StatusOr<api::InputBudget::Lease>(known.status());
  absl::Status status = lease.status();
  if (status.ok() && !api::AnswersAtOnce(*known, request)) {
    return WorkerCall::Start(runtime_, *context, std::move(timer),
                             [out, known = *std::move(known), request = std::move(request), lease = *std::move(lease)](
                                 const RpcTimer& /*timer*/, fibers::Cancellation& cancellation) {
                               v1::ExecuteResponse response;
                               const absl::Status executed = api::Execute(known, request, response, cancellation);
                               return executed.ok() ? WriteMessage(response, *out) : executed;
                             });
  }
  v1::ExecuteResponse response;
  if (status.ok()) status = api::ExecuteAtOnce(*known, request, response);
  if (status.ok()) status = WriteMessage(response, *out);
  return FinishNow(*context, timer, status);
}

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ToolService::ExecuteStream(::grpc::CallbackServerContext* context,
                                                                           const ::grpc::ByteBuffer* request) {
  return ExecuteStreamCall::Start(runtime_, *context, *request);
}

::grpc::ServerUnaryReactor* ToolService::ListTools(::grpc::CallbackServerContext* context,
                                                   const ::grpc::ByteBuffer* request, ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kListTools, *request, *response, api::ListTools);
}

::grpc::ServerUnaryReactor* ToolService::Undo(::grpc::CallbackServerContext* context, const ::grpc::ByteBuffer* request,
                                              ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kUndo, *request, *response, api::Undo);
}

::grpc::ServerUnaryReactor* ToolService::ReadResult(::grpc::CallbackServerContext* context,
                                                    const ::grpc::ByteBuffer* request, ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kReadResult, *request, *response, api::ReadResult);
}

::grpc::ServerUnaryReactor* ToolService::ListUndoEntries(::grpc::CallbackServerContext* context,
                                                         const ::grpc::ByteBuffer* request,
                                                         ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kListUndoEntries, *request, *response, api::ListUndoEntries);
}

::grpc::ServerUnaryReactor* ToolService::ListConfirmations(::grpc::CallbackServerContext* context,
                                                           const ::grpc::ByteBuffer* request,
                                                           ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kListConfirmations, *request, *response, api::ListConfirmations);
}

::grpc::ServerUnaryReactor* ToolService::DecideConfirmation(::grpc::CallbackServerContext* context,
                                                            const ::grpc::ByteBuffer* request,
                                                            ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kDecideConfirmation, *request, *response, api::DecideConfirmation);
}

::grpc::ServerUnaryReactor* ToolService::WaitConfirmation(::grpc::CallbackServerContext* context,
                                                          const ::grpc::ByteBuffer* request,
                                                          ::grpc::ByteBuffer* response) {
  return StartUnary(runtime_, *context, api::Rpc::kWaitConfirmation, *request, *response, api::WaitConfirmation);
}

}  // namespace toolgate::services::grpc
