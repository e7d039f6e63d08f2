// Decodes errors of RPCs.
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

// Status of an RPC and the details in its trailer grpc-status-details-bin: ErrorInfo, BadRequest, RetryInfo,
// QuotaFailure.
struct RpcError {
  struct Violation {
    std::string path;
    std::string description;
  };

  std::string grpc_status;  // "PERMISSION_DENIED".
  std::string message;
  std::string reason;  // From ErrorInfo, for example "FORBIDDEN"; empty without an ErrorInfo.
  std::string layer;   // Layer that refused the call; empty if the service named none.
  std::map<std::string, std::string> metadata;
  std::vector<Violation> violations;  // Violations of the request (BadRequest).
  std::vector<Violation> quotas;      // Exceeded limits (QuotaFailure); path is the subject.
  std::optional<absl::Duration> retry_after;
  std::string hint;  // Advice; may be empty.
  ExitCode exit_code = ExitCode::kServiceFault;
};

// Decodes `status`, which must not be OK. `address` and `tls` describe the connection, for the hint.
RpcError DecodeRpcError(const grpc::Status& status, std::string_view address, bool tls = false);

// {"code", "message", "layer", "grpcStatus", "violations", "quotas", "retryAfterSeconds", "metadata", "hint",
// "exitCode"}. Empty members other than code and message are left out.
Json ToJson(const RpcError& error);

// Text of several printable lines without colour, ending with a line feed.
std::string RenderForPeople(const RpcError& error);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RPC_ERROR_H_
