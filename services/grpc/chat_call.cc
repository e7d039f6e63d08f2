#include "services/grpc/chat_call.h"

#include "common/status_macros.h"
#include "services/api/chat_api.h"
#include "services/api/known_call.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ChatCall::Start(GrpcRuntime& runtime,
                                                                ::grpc::CallbackServerContext& context,
                                                                const ::grpc::ByteBuffer& request) {
  auto* call = new ChatCall(runtime, context, request);
  call->Begin();
  return call;
}

absl::Status ChatCall::Serve() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
  ASSIGN_OR_RETURN(const api::KnownCall known, api::KnownCall::Authenticate(runtime_.shared, api::Rpc::kChat,
                                                                            InboundOf(runtime_, context_, timer_)));
  v1::ChatRequest request;
  ASSIGN_OR_RETURN(const api::InputBudget::Lease lease, ReadMessage(known, request_, request));
  return api::Chat(known, request, *this, cancellation_);
}

absl::Status ChatCall::Write(const v1::ChatResponse& event, const fibers::Cancellation& cancellation) {
  ::grpc::ByteBuffer bytes;
  RETURN_IF_ERROR(WriteMessage(event, bytes));
  return SendAndWait(bytes, cancellation);
}

}  // namespace toolgate::services::grpc
