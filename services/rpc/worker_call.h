// A unary RPC whose work may block.
#ifndef TOOLGATE_SERVICES_RPC_WORKER_CALL_H_
#define TOOLGATE_SERVICES_RPC_WORKER_CALL_H_

#include <grpcpp/support/server_callback.h>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "common/cancellation.h"
#include "services/rpc/rpc_runtime.h"

namespace toolgate::services::rpc {

// Runs `work` on a worker thread and answers what it answers. Cancels the work when the client leaves or a drain runs
// out of time. Owns itself: gone once gRPC is done with it.
class WorkerCall final : public grpc::ServerUnaryReactor, public TrackedCall {
 public:
  // The status is for the caller: made safe already.
  using Work = absl::AnyInvocable<absl::Status(Cancellation&)>;

  // OVERLOADED at once when no worker can take it.
  static grpc::ServerUnaryReactor* Start(RpcRuntime& runtime, Rpc rpc, Work work);

  void OnCancel() override { cancellation_.Cancel(); }
  void OnDone() override;
  void Cancel() override { cancellation_.Cancel(); }

 private:
  WorkerCall(RpcRuntime& runtime, Rpc rpc, Work work);
  void Run();

  RpcRuntime& runtime_;
  RpcTimer timer_;
  Work work_;
  Cancellation cancellation_;
};

// What a full worker pool answers.
absl::Status NoWorker();

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_WORKER_CALL_H_
