// A server stream whose events wait in a bounded queue, so that no thread waits for the client.
#ifndef TOOLGATE_SERVICES_GRPC_QUEUED_STREAM_H_
#define TOOLGATE_SERVICES_GRPC_QUEUED_STREAM_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "services/api/outgoing_events.h"
#include "services/api/rpc_table.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

// Runs the call on a worker's fiber. Its events go out one at a time, as gRPC demands; further ones wait in a queue.
// When OutgoingEvents has no more room, a sender that can waits aside. So does the call at its end, until its client
// has read everything. A client that does not read an event within GrpcRuntime::write_timeout is dropped. Owns itself.
class QueuedStream : public ::grpc::ServerWriteReactor<::grpc::ByteBuffer>, public TrackedCall {
 public:
  void OnWriteDone(bool ok) override;
  void OnCancel() override { cancellation_.Cancel(); }
  void Cancel() override { cancellation_.Cancel(); }
  void OnDone() override;

 protected:
  QueuedStream(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, api::Rpc rpc)
      : runtime_(runtime), context_(context), timer_(runtime.shared, rpc, context) {}

  // Hands Serve to a worker; refuses the call when none can take it. To be called once, by whoever made this, which may
  // be gone when it returns.
  void Begin();
  // The call itself. Its status, safe to show, ends the stream.
  virtual absl::Status Serve() = 0;

  // Never waits; bytes for a client that is gone are dropped.
  void Send(const ::grpc::ByteBuffer& bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, in the place of replaceable bytes that have not left yet and that nothing has followed.
  void SendReplaceable(const ::grpc::ByteBuffer& bytes) ABSL_LOCKS_EXCLUDED(mutex_);
  // As Send, and waits aside while the queue is full. CANCELLED when the client is gone or was dropped, TIMEOUT.
  absl::Status SendAndWait(const ::grpc::ByteBuffer& bytes, const fibers::Cancellation& cancellation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  RpcTimer timer_;
  fibers::Cancellation cancellation_;

 private:
  // State of the queue that the call waits for.
  enum class Until { kHasRoom, kEmpty };

  void Push(const ::grpc::ByteBuffer& bytes, bool replaceable) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WriteFirst() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits aside for `until`, or until the client is gone. TIMEOUT once the client has been dropped.
  absl::Status AwaitReader(Until until, const fibers::Cancellation& cancellation) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasCome(Until until) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return gone_ || (until == Until::kEmpty ? events_.empty() : events_.HasRoom());
  }
  // Serve, and what follows it on the call's fiber.
  absl::Status ServeToTheLastEvent();
  void End(const absl::Status& status);
  // Writes the next event. When there is none and none will come, answers how the call ends: whoever called this then
  // calls FinishCall, without the lock, since this object is gone as soon as gRPC has heard of the end.
  std::optional<::grpc::Status> Continue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FinishCall(const ::grpc::Status& end) ABSL_LOCKS_EXCLUDED(mutex_);

  fibers::Event reader_;  // Set when what the call waits for has come.
  absl::Mutex mutex_;
  Until awaited_ ABSL_GUARDED_BY(mutex_) = Until::kHasRoom;
  absl::Duration write_began_ ABSL_GUARDED_BY(mutex_);  // Of the event that is being written, on the monotonic clock.
  api::OutgoingEvents<::grpc::ByteBuffer> events_ ABSL_GUARDED_BY(mutex_);  // The first one is being written.
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;                               // gRPC could not write an event.
  std::optional<::grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_QUEUED_STREAM_H_
