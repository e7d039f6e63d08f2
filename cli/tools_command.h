#ifndef TOOLGATE_CLI_TOOLS_COMMAND_H_
#define TOOLGATE_CLI_TOOLS_COMMAND_H_

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/session.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli {

// `toolgate tools`: lists the catalogue, shows one tool in detail, or prints the catalogue in a provider's format.
class ToolsCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  ExitCode ShowOne(const v1::ListToolsResponse& catalog, const Session& session) const;
  ExitCode ShowAll(const v1::ListToolsResponse& catalog, const Session& session) const;

  std::string tool_;
  std::string format_ = "native";
  std::vector<std::string> modules_;
  std::vector<std::string> categories_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_TOOLS_COMMAND_H_
