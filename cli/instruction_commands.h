#ifndef TOOLGATE_CLI_INSTRUCTION_COMMANDS_H_
#define TOOLGATE_CLI_INSTRUCTION_COMMANDS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/command.h"
#include "toolgate/v1/instruction_service.pb.h"

namespace toolgate::cli {

// `toolgate instruction`: the user's system instruction, part by part.
class InstructionCommand final : public Command {
 public:
  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;
};

// `toolgate instruction set`: changes the given parts.
class InstructionSetCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  absl::Status CheckFlags() const;
  absl::StatusOr<v1::UpdateInstructionRequest> MakeRequest(Session& session) const;

  std::string core_file_;
  std::string db_schema_file_;
  std::optional<std::string> memory_;
  std::string memory_enabled_;
  std::string confirmation_token_;
  std::string idempotency_key_;
};

// `toolgate prompt`: prints the system prompt.
class PromptCommand final : public Command {
 public:
  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_INSTRUCTION_COMMANDS_H_
