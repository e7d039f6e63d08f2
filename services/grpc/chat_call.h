// The RPC Chat on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_CHAT_CALL_H_
#define TOOLGATE_SERVICES_GRPC_CHAT_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/chat/chat_writer.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/queued_stream.h"

namespace toolgate::services::grpc {

// The chat waits aside while the queue is full, so a slow client holds the model back. Owns itself.
class ChatCall final : public QueuedStream, private chat::ChatWriter {
 public:
  // `request` is gRPC's and lasts until the call's end.
  static ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Start(GrpcRuntime& runtime,
                                                               ::grpc::CallbackServerContext& context,
                                                               const ::grpc::ByteBuffer& request);

 private:
  ChatCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, const ::grpc::ByteBuffer& request)
      : QueuedStream(runtime, context, api::Rpc::kChat), request_(request) {}

  absl::Status Serve() override;
  absl::Status Write(const v1::ChatResponse& event, const fibers::Cancellation& cancellation) override;

  const ::grpc::ByteBuffer& request_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_CHAT_CALL_H_
