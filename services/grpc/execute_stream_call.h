// The RPC ExecuteStream on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
#define TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/event_writer.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/queued_stream.h"

namespace toolgate::services::grpc {

// The call that sends output waits aside while the queue is full. Owns itself.
class ExecuteStreamCall final : public QueuedStream, private api::EventWriter {
 public:
  // `request` is gRPC's and lasts until the call's end.
  static ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Start(GrpcRuntime& runtime,
                                                               ::grpc::CallbackServerContext& context,
                                                               const ::grpc::ByteBuffer& request);

 private:
  ExecuteStreamCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, const ::grpc::ByteBuffer& request)
      : QueuedStream(runtime, context, api::Rpc::kExecuteStream), request_(request) {}

  absl::Status Serve() override;
  void Write(const v1::ExecuteStreamResponse& event) override;
  void WriteProgress(const v1::ExecuteStreamResponse& event) override;
  absl::Status WriteOutput(const v1::ExecuteStreamResponse& event, const fibers::Cancellation& cancellation) override;

  const ::grpc::ByteBuffer& request_;
  absl::Status last_written_;  // Whether the latest event could be serialised. The worker's alone.
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
