// Limits on the clients of a gRPC listener.
#ifndef TOOLGATE_SERVICES_GRPC_SERVER_LIMITS_H_
#define TOOLGATE_SERVICES_GRPC_SERVER_LIMITS_H_

#include <grpcpp/server_builder.h>

#include <cstddef>

#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::grpc {

// Bounds what one client can make the server hold or do: sizes and streams as configured, time-outs, pings, and memory
// for what connections buffer, beyond which gRPC first closes idle connections, then ends streams. Messages are not
// compressed, neither way: a call whose grpc-encoding is another than identity is UNIMPLEMENTED.
void SetLimits(const config::v1::Server& config, size_t memory_quota_bytes, ::grpc::ServerBuilder& builder);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_SERVER_LIMITS_H_
