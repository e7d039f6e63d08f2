#include "services/grpc/execute_stream_call.h"

#include "common/status_macros.h"
#include "services/api/known_call.h"
#include "services/api/take_up.h"
#include "services/api/tool_api.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ExecuteStreamCall::Start(GrpcRuntime& runtime,
                                                                         ::grpc::CallbackServerContext& context,
                                                                         const ::grpc::ByteBuffer& request) {
  auto* call = new ExecuteStreamCall(runtime, context, request);
  call->Begin();
  return call;
}

absl::Status ExecuteStreamCall::Serve() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
  ASSIGN_OR_RETURN(const api::KnownCall known, api::KnownCall::Authenticate(runtime_.shared, api::Rpc::kExecuteStream,
                                                                            InboundOf(runtime_, context_, timer_)));
  v1::ExecuteStreamRequest request;
  ASSIGN_OR_RETURN(const api::InputBudget::Lease lease, ReadMessage(known, request_, request));
  RETURN_IF_ERROR(api::ExecuteStream(known, request, cancellation_, *this));
  return last_written_;
}

void ExecuteStreamCall::Write(const v1::ExecuteStreamResponse& event) {
  ::grpc::ByteBuffer bytes;
  last_written_ = WriteMessage(event, bytes);
  if (last_written_.ok()) Send(bytes);
}

void ExecuteStreamCall::WriteProgress(const v1::ExecuteStreamResponse& event) {
  ::grpc::ByteBuffer bytes;
  if (WriteMessage(event, bytes).ok()) SendReplaceable(bytes);
}

absl::Status ExecuteStreamCall::WriteOutput(const v1::ExecuteStreamResponse& event,
                                            const fibers::Cancellation& cancellation) {
  ::grpc::ByteBuffer bytes;
  RETURN_IF_ERROR(WriteMessage(event, bytes));
  return SendAndWait(bytes, cancellation);
}

}  // namespace toolgate::services::grpc
