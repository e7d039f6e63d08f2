// A server stream whose messages are made by work that may block.
#ifndef TOOLGATE_SERVICES_GRPC_STREAM_WRITER_H_
#define TOOLGATE_SERVICES_GRPC_STREAM_WRITER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "services/api/known_call.h"
#include "services/api/rpc_table.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/queued_stream.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

// Authenticates the call on a worker, then parses `request`, then runs `method`, which hands messages to the function
// that it is given. That waits aside until gRPC has taken the message, so that a slow client slows the work, nothing
// piles up, and no thread waits. Owns itself.
template <typename Request, typename Message>
class StreamWriter final : public QueuedStream {
 public:
  // False when the client is gone: then the method should end.
  using Write = absl::FunctionRef<bool(const Message&)>;
  // An RPC of services/api. Its status is safe to show.
  using Method = absl::Status (*)(const api::KnownCall&, const Request&, fibers::Cancellation&, Write);

  // `request` is gRPC's and lasts until the call's end.
  static ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Start(GrpcRuntime& runtime,
                                                               ::grpc::CallbackServerContext& context, api::Rpc rpc,
                                                               const ::grpc::ByteBuffer& request, Method method) {
    auto* stream = new StreamWriter(runtime, context, rpc, request, method);
    stream->Begin();
    return stream;
  }

 private:
  StreamWriter(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, api::Rpc rpc,
               const ::grpc::ByteBuffer& request, Method method)
      : QueuedStream(runtime, context, rpc), rpc_(rpc), request_(request), method_(method) {}

  absl::Status Serve() override {
    RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
    ASSIGN_OR_RETURN(const api::KnownCall call,
                     api::KnownCall::Authenticate(runtime_.shared, rpc_, InboundOf(runtime_, context_, timer_)));
    Request request;
    ASSIGN_OR_RETURN(const api::InputBudget::Lease lease, ReadMessage(call, request_, request));
    return method_(call, request, cancellation_, [this](const Message& message) { return WriteOne(message); });
  }

  bool WriteOne(const Message& message) {
    ::grpc::ByteBuffer bytes;
    return WriteMessage(message, bytes).ok() && SendAndWait(bytes, cancellation_).ok();
  }

  const api::Rpc rpc_;
  const ::grpc::ByteBuffer& request_;
  const Method method_;
};

// Starts `method` as StreamWriter does.
template <typename Request, typename Message>
::grpc::ServerWriteReactor<::grpc::ByteBuffer>* StartStream(
    GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, api::Rpc rpc, const ::grpc::ByteBuffer& request,
    absl::Status (*method)(const api::KnownCall&, const Request&, fibers::Cancellation&,
                           absl::FunctionRef<bool(const Message&)>)) {
  return StreamWriter<Request, Message>::Start(runtime, context, rpc, request, method);
}

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_STREAM_WRITER_H_
