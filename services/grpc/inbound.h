// Reads an RPC's credentials, headers and deadline from gRPC.
#ifndef TOOLGATE_SERVICES_GRPC_INBOUND_H_
#define TOOLGATE_SERVICES_GRPC_INBOUND_H_

#include <grpcpp/server_context.h>

#include "services/api/inbound_rpc.h"
#include "services/grpc/grpc_runtime.h"

namespace toolgate::services::grpc {

// Borrows `context`, which lasts until the RPC's end.
api::InboundRpc InboundOf(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_INBOUND_H_
