// The one place where a refusal becomes a gRPC status.
#ifndef TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_
#define TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace toolgate::services::grpc {

// The gRPC status that a client sees for `status`, which carries a ToolError. Its code is that of `status`, its message
// the ToolError's, and its details a google.rpc.Status with exactly one ErrorInfo (reason = the error's code, domain
// "toolgate.v1", metadata = its facts), and with BadRequest (violations), RetryInfo (retry_after) and QuotaFailure
// (limits) where they apply.
//
// The whole stays below the 8 KiB of trailers that gRPC clients accept by default: long texts are cut, and violations
// that do not fit are counted in the metadata "violationsOmitted".
//
// OK stays OK. A failure without a ToolError has not passed layer 5, so nothing of it may be shown: the answer is then
// INTERNAL, reason EXECUTION_ERROR, with a neutral message.
::grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_RPC_STATUS_H_
