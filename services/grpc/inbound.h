// Reads an RPC's credentials, headers and deadline from gRPC.
#ifndef TOOLGATE_SERVICES_GRPC_INBOUND_H_
#define TOOLGATE_SERVICES_GRPC_INBOUND_H_

#include <grpcpp/server_context.h>

#include <optional>

#include "observability/trace_context.h"
#include "services/api/inbound_rpc.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"

namespace toolgate::services::grpc {

// For an RPC that `timer` traces. Borrows both, which last until the RPC's end.
api::InboundRpc InboundOf(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context, const RpcTimer& timer);
// For an RPC without a span of its own: the client's stands in for it. Borrows `context`.
api::InboundRpc InboundOf(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context);

// The client's span, if its headers state one (W3C Trace Context).
std::optional<observability::TraceContext> ClientSpanOf(const ::grpc::ServerContextBase& context);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_INBOUND_H_
