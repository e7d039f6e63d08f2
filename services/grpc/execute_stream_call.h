// The RPC ExecuteStream on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
#define TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>
#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "services/api/event_writer.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

// Runs the call on a worker thread. Its events go out one at a time, as gRPC demands; further ones wait in a queue.
// When kMaxQueuedBytes wait there, the call that sends output waits aside. Owns itself.
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
  struct QueuedEvent {
    ::grpc::ByteBuffer bytes;
    bool is_progress = false;
  };

  ExecuteStreamCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, const ::grpc::ByteBuffer& request);

  void Run() { End(Execute()); }
  absl::Status Execute();
  void Write(const v1::ExecuteStreamResponse& event) override;
  void WriteProgress(const v1::ExecuteStreamResponse& event) override;
  absl::Status WriteOutput(const v1::ExecuteStreamResponse& event, const fibers::Cancellation& cancellation) override;
  void Push(::grpc::ByteBuffer bytes, bool is_progress) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const absl::Status& status);
  // Writes the next event. When there is none and none will come, answers how the call ends: whoever called this then
  // calls FinishCall, without the lock, since this object is gone as soon as gRPC has heard of the end.
  std::optional<::grpc::Status> Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishCall(const ::grpc::Status& end) ABSL_LOCKS_EXCLUDED(mutex_);

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  const ::grpc::ByteBuffer& request_;
  RpcTimer timer_;
  fibers::Cancellation cancellation_;
  absl::Status last_written_;  // Whether the latest event could be serialised. The worker's alone.
  fibers::Event has_room_;     // Set while the queue is short enough for more output, or the client is gone.
  absl::Mutex mutex_;
  std::deque<QueuedEvent> events_ ABSL_GUARDED_BY(mutex_);  // The first one is being written.
  size_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;  // gRPC could not write an event.
  std::optional<::grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_EXECUTE_STREAM_CALL_H_
