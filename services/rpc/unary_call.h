// A unary RPC of one of the services.
#ifndef TOOLGATE_SERVICES_RPC_UNARY_CALL_H_
#define TOOLGATE_SERVICES_RPC_UNARY_CALL_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <utility>

#include "absl/status/status.h"
#include "common/cancellation.h"
#include "common/status_macros.h"
#include "services/rpc/known_call.h"
#include "services/rpc/message_bytes.h"
#include "services/rpc/worker_call.h"

namespace toolgate::services::rpc {

// Authenticates the call on a worker thread, then parses `in`, then runs `work`:
//   absl::Status(const KnownCall&, const Request&, Response&, Cancellation&)
// whose status is safe to show. `in` and `out` are gRPC's and last until the call's end.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* StartUnary(RpcRuntime& runtime, grpc::CallbackServerContext* context, Rpc rpc,
                                     const grpc::ByteBuffer* in, grpc::ByteBuffer* out, Work work) {
  return WorkerCall::Start(
      runtime, *context, rpc,
      [&runtime, context, rpc, in, out, work = std::move(work)](Cancellation& cancellation) mutable -> absl::Status {
        const absl::StatusOr<KnownCall> call = KnownCall::Authenticate(runtime, rpc, *context);
        if (!call.ok()) return call.status();
        Request request;
        RETURN_IF_ERROR(ReadMessage(*in, request));
        Response response;
        const absl::Status status = work(*call, request, response, cancellation);
        return status.ok() ? WriteMessage(response, *out) : status;
      });
}

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_UNARY_CALL_H_
