#ifndef TOOLGATE_CLI_CALL_COMMAND_H_
#define TOOLGATE_CLI_CALL_COMMAND_H_

#include <grpcpp/support/status.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command.h"
#include "cli/session.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {

// `toolgate call`: runs one tool, and asks a person first if the service requires it.
class CallCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  // The command's exit code where the tool ran one; `otherwise` for all other tools.
  ExitCode CodeOf(const v1::ToolResult& result, ExitCode otherwise) const;
  absl::StatusOr<std::string> ReadArguments(const Session& session) const;
  v1::ExecuteRequest MakeRequest(Session& session, const std::string& arguments) const;
  grpc::Status Send(Session& session, const v1::ExecuteRequest& request, v1::ExecuteResponse& response) const;
  grpc::Status SendStreaming(Session& session, const v1::ExecuteRequest& request, v1::ExecuteResponse& response) const;
  // Exit code if the call must not be sent again; nothing if the person approved.
  std::optional<ExitCode> Decide(Session& session, const v1::ConfirmationRequest& request) const;

  std::string tool_;
  std::string arguments_;
  bool dry_run_ = false;
  bool confirm_ = false;
  bool stream_ = false;
  std::string confirmation_token_;
  std::string idempotency_key_;
  std::string request_id_;
  std::string mode_hint_;
  std::string result_format_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CALL_COMMAND_H_
