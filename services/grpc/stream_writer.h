// A server stream whose messages are made by work that may block.
#ifndef TOOLGATE_SERVICES_GRPC_STREAM_WRITER_H_
#define TOOLGATE_SERVICES_GRPC_STREAM_WRITER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "services/api/known_call.h"
#include "services/api/take_up.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/rpc_timer.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

// Authenticates the call on a worker thread, then parses `request`, then runs `method`, which hands messages to the
// function that it is given. That blocks until gRPC has taken the message, so that a slow client slows the work and
// nothing piles up. Owns itself.
template <typename Request, typename Message>
class StreamWriter final : public ::grpc::ServerWriteReactor<::grpc::ByteBuffer>, public TrackedCall {
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
    runtime.calls.Add(*stream);
    if (!runtime.workers.Submit([stream] { stream->Run(); })) stream->End(api::NoWorker(runtime.shared));
    return stream;
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (!ok) gone_ = true;
  }
  void OnCancel() override { Cancel(); }
  void Cancel() override { cancellation_.Cancel(); }
  void OnDone() override {
    runtime_.calls.Remove(*this);
    delete this;
  }

 private:
  StreamWriter(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, api::Rpc rpc,
               const ::grpc::ByteBuffer& request, Method method)
      : runtime_(runtime),
        context_(context),
        rpc_(rpc),
        request_(request),
        timer_(runtime.shared, rpc, context),
        method_(method) {}

  void Run() { End(Serve()); }

  absl::Status Serve() {
    RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, timer_.started()));
    ASSIGN_OR_RETURN(const api::KnownCall call,
                     api::KnownCall::Authenticate(runtime_.shared, rpc_, InboundOf(runtime_, context_, timer_)));
    Request request;
    ASSIGN_OR_RETURN(const api::InputBudget::Lease lease, ReadMessage(call, request_, request));
    return method_(call, request, cancellation_, [this](const Message& message) { return WriteOne(message); });
  }

  bool WriteOne(const Message& message) {
    if (cancellation_.cancelled() || !WriteMessage(message, written_).ok()) return false;
    {
      absl::MutexLock lock(&mutex_);
      if (gone_) return false;
      writing_ = true;
    }
    StartWrite(&written_);
    // gRPC reports every write, also that of a cancelled call, so this ends.
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](bool* writing) { return !*writing; }, &writing_));
    return !gone_;
  }

  void End(const absl::Status& status) {
    const ::grpc::Status end = ToGrpcStatus(status);
    timer_.Finished(end.error_code());
    Finish(end);
  }

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  const api::Rpc rpc_;
  const ::grpc::ByteBuffer& request_;
  RpcTimer timer_;
  const Method method_;
  ::grpc::ByteBuffer written_;  // gRPC's while writing_.
  fibers::Cancellation cancellation_;
  absl::Mutex mutex_;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool gone_ ABSL_GUARDED_BY(mutex_) = false;
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
