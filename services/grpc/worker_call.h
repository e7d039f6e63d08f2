// A unary RPC whose work may block.
#ifndef TOOLGATE_SERVICES_GRPC_WORKER_CALL_H_
#define TOOLGATE_SERVICES_GRPC_WORKER_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/api_runtime.h"
#include "services/api/take_up.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

// Runs `work` on a worker thread and answers what it answers. The work is cancelled when the client leaves, or when a
// drain runs out of time, and does not begin when the deadline passed or the client left before a worker was free. Owns
// itself. It is tracked until the answer has left: a drain must not cut one whose work is done, for its client could
// not tell what was committed.
//
// The work asks whether the client is still there, instead of being told.
class WorkerCall final : public ::grpc::ServerUnaryReactor, public TrackedCall, private fibers::CancellationSource {
 public:
  // The status is for the caller: made safe already.
  using Work = absl::AnyInvocable<absl::Status(const RpcTimer&, fibers::Cancellation&)>;

  // `timer` is of this RPC. OVERLOADED at once when no worker can take it.
  static ::grpc::ServerUnaryReactor* Start(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, RpcTimer timer,
                                           Work work);

  void Cancel() override { cancellation_.Cancel(); }

 private:
  WorkerCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, RpcTimer timer, Work work);
  void OnDone() override;
  // gRPC delivers OnDone where it learns of the end, instead of on one more thread; that hop would cost a tenth of a
  // durable mutation. gRPC 1.51 keeps this to its own default reactor, which can do nothing in OnDone. Ours does
  // little.
  bool InternalInlineable() override { return true; }
  bool Cancelled() const override { return context_.IsCancelled(); }
  absl::Status Run();
  // Answers; this may be gone afterwards.
  void End(const absl::Status& status);

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  RpcTimer timer_;
  const absl::Duration submitted_;
  Work work_;
  fibers::Cancellation cancellation_;
};

// api::TakeUp for an RPC of gRPC.
absl::Status TakeUp(api::ApiRuntime& runtime, const ::grpc::ServerContextBase& context,
                    const fibers::Cancellation& cancellation, absl::Duration started);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_WORKER_CALL_H_
