// A unary RPC of one of the services.
#ifndef TOOLGATE_SERVICES_GRPC_UNARY_CALL_H_
#define TOOLGATE_SERVICES_GRPC_UNARY_CALL_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "services/api/known_call.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/rpc_timer.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

// An RPC of services/api: takes a request and fills the response. Its status is safe to show.
template <typename Request, typename Response>
using UnaryMethod = absl::Status (*)(const api::KnownCall&, const Request&, Response&, fibers::Cancellation&);

// Authenticates the call on a worker thread, then parses `in`, then runs `method`. `in` and `out` are gRPC's and last
// until the call's end.
template <typename Request, typename Response>
::grpc::ServerUnaryReactor* StartUnary(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context, api::Rpc rpc,
                                       const ::grpc::ByteBuffer& in, ::grpc::ByteBuffer& out,
                                       UnaryMethod<Request, Response> method) {
  return WorkerCall::Start(runtime, context, RpcTimer(runtime.shared, rpc, context),
                           [&runtime, &context, rpc, &in, &out, method](
                               const RpcTimer& timer, fibers::Cancellation& cancellation) -> absl::Status {
                             ASSIGN_OR_RETURN(
                                 const api::KnownCall call,
                                 api::KnownCall::Authenticate(runtime.shared, rpc, InboundOf(runtime, context, timer)));
                             Request request;
                             ASSIGN_OR_RETURN(const api::InputBudget::Lease lease, ReadMessage(call, in, request));
                             Response response;
                             RETURN_IF_ERROR(method(call, request, response, cancellation));
                             return WriteMessage(response, out);
                           });
}

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_UNARY_CALL_H_
