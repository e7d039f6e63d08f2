// The RPC ExecuteStream on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
#define TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/baton.h"
#include "common/cancellation.h"
#include "services/api/event_writer.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

// Runs the call on a worker thread. Its events go out one at a time, as gRPC demands; further ones wait in a bounded
// queue, and when that is full, the call waits aside. Owns itself.
class ExecuteStreamCall final : public ::grpc::ServerWriteReactor<::grpc::ByteBuffer>,
                                public TrackedCall,
                                private api::EventWriter {
 public:
  // `request` is gRPC's and lasts until the call's end.
  static ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Start(GrpcRuntime& runtime,
                                                               ::grpc::CallbackServerContext& context,
                                                               const ::grpc::ByteBuffer& request);

  void OnWriteDone(bool ok) override;
  void OnCancel() override { cancellation_.Cancel(); }
  void Cancel() override { cancellation_.Cancel(); }
  void OnDone() override;

 private:
  ExecuteStreamCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, const ::grpc::ByteBuffer& request);

  void Run() { End(Execute()); }
  absl::Status Execute();
  bool Write(const v1::ExecuteStreamResponse& event) override;
  void End(const absl::Status& status);
  // Writes the next event. When there is none and none will come, answers how the call ends: whoever called this then
  // calls FinishCall, without the lock, since this object is gone as soon as gRPC has heard of the end.
  std::optional<::grpc::Status> Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishCall(const ::grpc::Status& end) ABSL_LOCKS_EXCLUDED(mutex_);

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  const ::grpc::ByteBuffer& request_;
  const RpcTimer timer_;
  Cancellation cancellation_;
  absl::Status last_written_;  // Whether the latest event could be serialised. The worker's alone.
  absl::Mutex mutex_;
  std::deque<::grpc::ByteBuffer> events_ ABSL_GUARDED_BY(mutex_);  // The first one is being written.
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;                      // gRPC could not write an event.
  Baton* room_ ABSL_GUARDED_BY(mutex_) = nullptr;                  // Of a Write that waits for the queue to shrink.
  std::optional<::grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
