// `toolgate check`: validates a configuration.
#ifndef TOOLGATE_CLI_CHECK_COMMAND_H_
#define TOOLGATE_CLI_CHECK_COMMAND_H_

#include <string>

#include "cli/command.h"

namespace toolgate::cli {

// Reports the errors of a configuration file, with their lines. Needs no service.
class CheckCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string config_file_;
  bool without_files_ = false;
  bool print_ = false;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_CHECK_COMMAND_H_
