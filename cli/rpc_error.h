// What a failed RPC said, taken apart.
#ifndef TOOLGATE_CLI_RPC_ERROR_H_
#define TOOLGATE_CLI_RPC_ERROR_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "cli/exit_code.h"
#include "common/json.h"

namespace grpc {
class Status;
}  // namespace grpc

namespace toolgate::cli {

// The status and the details of its trailer grpc-status-details-bin: ErrorInfo, BadRequest, RetryInfo, QuotaFailure.
struct RpcError {
  struct Violation {
    std::string path;
    std::string description;
  };

  std::string grpc_status;  // "PERMISSION_DENIED".
  std::string message;
  std::string reason;  // ErrorInfo's, for example "FORBIDDEN"; empty when the service explained nothing.
  std::string layer;   // What refused the call, in the words of the service; empty where it named nothing.
  std::map<std::string, std::string> metadata;
  std::vector<Violation> violations;  // Of the request (BadRequest).
  std::vector<Violation> quotas;      // Of limits (QuotaFailure): path is the subject.
  std::optional<absl::Duration> retry_after;
  std::string hint;  // What to do next; may be empty.
  ExitCode exit_code = ExitCode::kServiceFault;
};

// `status` must not be OK. `address` is what was called, and `tls` whether in TLS, for the hint.
RpcError DecodeRpcError(const grpc::Status& status, std::string_view address, bool tls = false);

// {"code", "message", "layer", "grpcStatus", "violations", "quotas", "retryAfterSeconds", "metadata", "hint",
// "exitCode"}; what is empty is left out, but for code and message.
Json ToJson(const RpcError& error);

// Several lines, printable, ending in a line feed; without colour.
std::string RenderForPeople(const RpcError& error);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RPC_ERROR_H_
