// The one place where a refusal becomes a gRPC status.
#ifndef TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_
#define TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace toolgate::services::grpc {

// The gRPC status that a client sees for `status`, which carries a ToolError: code and message of api::ToRpcStatus, and
// the whole of it as details. OK stays OK.
::grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_
