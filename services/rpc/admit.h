// Who calls an RPC that is no tool call, and a line in the operator's log about who was refused.
#ifndef TOOLGATE_SERVICES_RPC_ADMIT_H_
#define TOOLGATE_SERVICES_RPC_ADMIT_H_

#include <grpcpp/server_context.h>

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/json.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/caller.pb.h"

namespace toolgate::services::rpc {

// Core::Admit with the permissions of `rpc`.
absl::StatusOr<Caller> Admit(const RpcRuntime& runtime, Rpc rpc, const v1::Caller& claimed,
                             const grpc::ServerContextBase& context);

// Core::AdmitTo with the permissions of `rpc`. What is audited is not logged a second time, and what is refused before
// the caller is known is logged.
absl::StatusOr<Caller> AdmitTo(const RpcRuntime& runtime, Rpc rpc, std::string_view action, const Json& params,
                               const v1::Caller& claimed, const grpc::ServerContextBase& context);

// Logs "rpc refused" with the method, the code, the peer, the trace id, and `caller`: the one who is known or, when
// nobody is, the workspace and user that the client names, if they have the form of ids. `refusal` is safe already.
void LogRefusal(const RpcRuntime& runtime, Rpc rpc, const Caller& caller, bool known, const absl::Status& refusal,
                const grpc::ServerContextBase& context);

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_ADMIT_H_
